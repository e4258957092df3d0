"""Why a mail gets no answer, in words for whoever sits before the page. The sender is told nothing, on purpose."""

from __future__ import annotations

from collections.abc import Iterable

from local.runtime.events import Event

REASONS = {
    "unknown_sender": "its sender may edit no website",
    "no_sender": "it says of nobody that they wrote it",
    "automatic": "a program wrote it, not a person",
    "not_authenticated": "nothing proves that it comes from its sender",
    "replay": "it was delivered before",
    "too_many_mails": "there were too many mails, and its sender has been told so",
    "budget_exhausted": "as much was done today as may be done in a day, and its sender has been told so",
    "not_addressed": "it was not written to us, and its sender has been told so",
    "oversize": "it is larger than a mail may be",
}


def reason_for_silence(events: Iterable[Event]) -> str | None:
    """Of a mail that was dropped, by what was logged about it."""
    for event in events:
        if event.milestone == "mail_parsed" and event.fields.get("decision") == "drop":
            reason = str(event.fields.get("reason", ""))
            return REASONS.get(reason) or REASONS.get(reason.partition(".")[0]) or reason
    return None
