"""Decides whether a mail replies, forwards or starts a thread, mostly from its headers.

A mail that starts a thread has no history: text that looks like history was written or pasted on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from webordinary.mail.mime.subjects import Prefix, prefix_of
from webordinary.mail.vocabulary.matching import fold
from webordinary.mail.vocabulary.patterns import lazy_pattern

# Our replies no longer end with this line, but old threads still have it.
OUR_FOOTER = lazy_pattern(r"(?:^|\n)[>|\s]{0,20}Conversation: {1,2}t-[a-z2-7]", re.IGNORECASE)
OUR_TOKEN = lazy_pattern(r"\+[tq]-[a-z2-7]{20,60}@", re.IGNORECASE)
MOST_ADDRESSES = 20
MOST_MENTIONS = 5
_COLON_AFTER = lazy_pattern(r">[^\n:\uff1a]{0,40}\n?[^\n:\uff1a]{0,30}[:\uff1a]")
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
    """What the headers say about a text. The default is a reply without headers.

    With headers, lines are removed only on strong evidence. Without, the text is treated as an ordinary reply.
    """

    turn: Turn = Turn.ANSWER
    has_headers: bool = False
    names: frozenset[str] = frozenset()  # folded words of the sender's name and address
    own_addresses: frozenset[str] = frozenset()  # our addresses among the recipients, in lower case
    sender_address: str = ""  # in lower case


def context_factory(
    subject: str,
    *,
    is_reply: bool,
    names: frozenset[str] = frozenset(),
    recipients: Sequence[str] = (),
    sender_address: str = "",
) -> Callable[[str], Context]:
    """Returns a function from a text to its context. The text is searched only if the headers do not decide.

    `is_reply`: a header names the mail that this one answers.
    """
    own_addresses = frozenset(address.lower() for address in recipients[:MOST_ADDRESSES])
    sender_address = sender_address.lower()
    prefix = prefix_of(subject)
    if prefix is Prefix.FORWARD:
        forward = Context(Turn.FORWARD, True, names, own_addresses, sender_address)
        return lambda _: forward
    answer = Context(Turn.ANSWER, True, names, own_addresses, sender_address)
    if is_reply or prefix is Prefix.REPLY or any(OUR_TOKEN().search(address) for address in own_addresses):
        return lambda _: answer
    fresh = Context(Turn.FRESH, True, names, own_addresses, sender_address)
    return lambda text: answer if _quotes_our_mail(text, own_addresses) else fresh


def sender_names(name: str, address: str) -> frozenset[str]:
    """The folded words that the sender may sign with."""
    local = address.rpartition("@")[0]
    parts = [*_NAME_PARTS.findall(fold(name)), *(part for part in _NAME_PARTS.findall(fold(local)) if len(part) > 2)]
    return frozenset(part for part in parts if part not in _SHARED_MAILBOXES)


def _quotes_our_mail(text: str, own_addresses: Iterable[str]) -> bool:
    """Whether a text has our old footer, an address with a thread token, or our address in an introduction."""
    lowered = text.lower()
    if "conversation: " in lowered and OUR_FOOTER().search(text):
        return True
    if ("+t-" in lowered or "+q-" in lowered) and OUR_TOKEN().search(text):
        return True
    return any(_is_in_introduction(lowered, address) for address in own_addresses)


def _is_in_introduction(text: str, address: str) -> bool:
    """ "… <bakery@example.org> wrote:" or "From: Bakery <bakery@example.org>": brackets with a colon near them.

    In our replies the address has the thread token as a tag.
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
        after = text[position : position + len(domain) + 60]
        if ":" in line[:25] or _COLON_AFTER().match(after, len(domain) + 1):
            return True
    return False
