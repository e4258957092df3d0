"""Whether a mail answers another one, forwards one, or begins a conversation: from what is known besides its text.

A mail that begins a conversation holds no history. What looks like it there was written or pasted on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from webordinary.mail.mime.subjects import Prefix, prefix_of
from webordinary.mail.vocabulary.matching import fold
from webordinary.mail.vocabulary.patterns import compiled_later

# Answers end with such a line no more, but conversations are long.
OUR_FOOTER = compiled_later(r"(?:^|\n)[>|\s]{0,20}Conversation: {1,2}t-[a-z2-7]", re.IGNORECASE)
OUR_TOKEN = compiled_later(r"\+t-[a-z2-7]{20,60}@", re.IGNORECASE)
MOST_ADDRESSES = 20
MOST_MENTIONS = 5
_COLON_BEHIND = compiled_later(r">[^\n:\uff1a]{0,40}\n?[^\n:\uff1a]{0,30}[:\uff1a]")
_NAME_PARTS = re.compile(r"[^\W\d_]{2,40}")
_SHARED_MAILBOXES = frozenset(
    [
        "info",
        "mail",
        "office",
        "contact",
        "kontakt",
        "hello",
        "hallo",
        "admin",
        "team",
        "sales",
        "shop",
        "post",
        "web",
        "webmaster",
        "service",
        "support",
    ]
)


class Turn(StrEnum):
    FRESH = "fresh"
    ANSWER = "answer"
    FORWARD = "forward"


class Context(NamedTuple):
    """What the headers say about a text. The default is an answer of which nothing else is known.

    Where there are headers, what is cut must be certain. Where there are none, a text is read as any reply to anybody.
    """

    turn: Turn = Turn.ANSWER
    has_headers: bool = False
    names: frozenset[str] = frozenset()  # folded words of the sender's name and address
    ours: frozenset[str] = frozenset()  # addresses that the mail went to, in lower case


def context_of(
    subject: str,
    *,
    answers: bool,
    names: frozenset[str] = frozenset(),
    recipients: Sequence[str] = (),
    text: str = "",
) -> Context:
    """The context of a mail with that subject; `answers` says that a header names the mail that it answers."""
    return context_maker(subject, answers=answers, names=names, recipients=recipients)(text)


def context_maker(
    subject: str, *, answers: bool, names: frozenset[str] = frozenset(), recipients: Sequence[str] = ()
) -> Callable[[str], Context]:
    """Makes the context of a text. Only where the headers do not tell what the mail is, the text is looked at."""
    ours = frozenset(address.lower() for address in recipients[:MOST_ADDRESSES])
    prefix = prefix_of(subject)
    if prefix is Prefix.FORWARD:
        forward = Context(Turn.FORWARD, True, names, ours)
        return lambda _: forward
    answer = Context(Turn.ANSWER, True, names, ours)
    if answers or prefix is Prefix.REPLY or any(OUR_TOKEN().search(address) for address in ours):
        return lambda _: answer
    fresh = Context(Turn.FRESH, True, names, ours)
    return lambda text: answer if _shows_our_mail(text, ours) else fresh


def names_of(name: str, address: str) -> frozenset[str]:
    """The words by which a sender may sign."""
    local = address.rpartition("@")[0]
    parts = [*_NAME_PARTS.findall(fold(name)), *(part for part in _NAME_PARTS.findall(fold(local)) if len(part) > 2)]
    return frozenset(part for part in parts if part not in _SHARED_MAILBOXES)


def _shows_our_mail(text: str, ours: Iterable[str]) -> bool:
    """A footer of ours, an address with a conversation's token, or any of ours in a line that introduces a mail."""
    lowered = text.lower()
    if "conversation: " in lowered and OUR_FOOTER().search(text):
        return True
    if "+t-" in lowered and OUR_TOKEN().search(text):
        return True
    return any(_introduces(lowered, address) for address in ours)


def _introduces(text: str, address: str) -> bool:
    """ "… <bakery@example.org> wrote:" or "From: Bakery <bakery@example.org>": brackets, and a colon beside them.

    In our answers the address carries the conversation's token as a tag.
    """
    local, _, domain = address.rpartition("@")
    local = local.partition("+")[0]
    position = -1
    for _ in range(MOST_MENTIONS):
        position = text.find(f"@{domain}>", position + 1)
        if position < 0:
            return False
        opened = text.rfind("<", max(0, position - 120), position)
        if opened < 0 or text[opened + 1 : position].strip().partition("+")[0] != local:
            continue
        line = text[text.rfind("\n", 0, position) + 1 : position]
        behind = text[position : position + len(domain) + 60]
        if ":" in line[:25] or _COLON_BEHIND().match(behind, len(domain) + 1):
            return True
    return False
