"""The mailbox page as HTML. Everything that came from a mail is escaped; HTML mail is shown locked up."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from local.conversations import Conversation, Mail
from local.events import Event

_ASSETS = Path(__file__).parent / "assets"
_LINK = re.compile(r"https?://[^\s<>\"']{1,2000}[^\s<>\"'.,;:!?)]")

# The steps a person would ask about, with the words that they are shown in.
STEPS = {
    "mail_accepted": "arrived",
    "execution_started": "taken in",
    "mail_parsed": "understood",
    "claim_requested": "worker called",
    "job_dispatched": "queued",
    "pair_claimed": "claimed",
    "agent_started": "editing",
    "agent_finished": "edited",
    "site_built": "built",
    "branch_pushed": "pushed",
    "site_deployed": "online",
    "reply_sent": "answered",
}


@dataclass(frozen=True)
class Compose:
    """What the form starts with."""

    senders: Sequence[str]
    recipient: str
    example: str


def simple_page(title: str, body: str) -> bytes:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<style>body{font:17px/1.6 system-ui,sans-serif;max-width:36rem;margin:20vh auto;padding:0 1rem}</style>"
        f"</head><body>{body}</body></html>"
    ).encode()


def mailbox_page(compose: Compose, conversations: str) -> bytes:
    template = (_ASSETS / "mailbox.html").read_text(encoding="utf-8")
    options = "".join(f'<option value="{escape(sender)}">{escape(sender)}</option>' for sender in compose.senders)
    filled = {
        "{{senders}}": options,
        "{{recipient}}": escape(compose.recipient),
        "{{example}}": escape(compose.example),
        "{{conversations}}": conversations,
    }
    # One pass, so that a mail that contains a marker is only text.
    return re.sub(r"\{\{\w+\}\}", lambda marker: filled[marker[0]], template).encode()


def asset(name: str) -> tuple[bytes, str] | None:
    types = {"mailbox.css": "text/css; charset=utf-8", "mailbox.js": "text/javascript; charset=utf-8"}
    return ((_ASSETS / name).read_bytes(), types[name]) if name in types else None


def conversations_fragment(
    conversations: Sequence[Conversation], events_of: Callable[[str], Sequence[Event]], own_address: str
) -> str:
    if not conversations:
        return '<p class="empty">No mail yet. Write one above, or send one with your own mail program.</p>'
    return "".join(_conversation(conversation, events_of, own_address) for conversation in conversations)


def _conversation(conversation: Conversation, events_of: Callable[[str], Sequence[Event]], own_address: str) -> str:
    rows = "".join(
        _exchange(mail, conversation.answer_to(mail), events_of(mail.job_id), own_address)
        for mail in conversation.mails
        if mail.direction == "in"
    )
    return f'<article class="conversation"><h2>{escape(conversation.subject)}</h2>{rows}</article>'


def _exchange(mail: Mail, answer: Mail | None, events: Sequence[Event], own_address: str) -> str:
    right = _mail(answer, own_address) if answer else _progress(events)
    return f'<div class="exchange">{_mail(mail, own_address)}{right}</div>'


def _mail(mail: Mail, own_address: str) -> str:
    who = "asked" if mail.direction == "in" else "answered"
    body = (
        _locked_up(mail.html)
        if mail.html is not None
        else f'<div class="text">{_with_links(mail.text, own_address)}</div>'
    )
    return (
        f'<section class="mail {who}"><header><b>{escape(mail.sender)}</b>'
        f'<time datetime="{mail.at.isoformat()}">{mail.at.astimezone():%H:%M:%S}</time></header>{body}</section>'
    )


def _progress(events: Sequence[Event]) -> str:
    reached = {event.milestone for event in events}
    steps = "".join(
        f'<li class="{"reached" if step in reached else "ahead"}">{words}</li>' for step, words in STEPS.items()
    )
    return (
        f'<section class="mail waiting"><header><b>Working on it</b></header><ol class="steps">{steps}</ol></section>'
    )


def _locked_up(html: str) -> str:
    """No scripts, no forms, no origin; and no picture from elsewhere tells its sender that somebody looked."""
    policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    return f'<iframe class="html" sandbox="" title="HTML mail" srcdoc="{escape(policy + html)}"></iframe>'


def _with_links(text: str, own_address: str) -> str:
    """Escaped text in which only addresses of this very page become links."""
    parts, end = [], 0
    for found in _LINK.finditer(text):
        parts.append(escape(text[end : found.start()]))
        address = escape(found[0])
        mine = found[0].startswith(f"{own_address}/sites/")
        parts.append(f'<a href="{address}" target="_blank" rel="noopener">{address}</a>' if mine else address)
        end = found.end()
    return "".join(parts) + escape(text[end:])
