"""Why a mail was dropped, shown on the local page only. The sender deliberately gets no reply."""

from __future__ import annotations

from collections.abc import Iterable

from local.runtime.events import Event

REASONS = {
    "unknown_sender": "The sender may not edit any website.",
    "no_sender": "The mail has no sender.",
    "automatic": "The mail was sent automatically.",
    "not_authenticated": "The sender could not be authenticated.",
    "replay": "The mail was delivered before.",
    "too_many_mails": "Too many mails; the sender has been notified.",
    "budget_exhausted": "The daily budget is exhausted; the sender has been notified.",
    "not_addressed": "The mail was not addressed to this system; the sender has been notified.",
    "oversize": "The mail is too large.",
}


def drop_reason(events: Iterable[Event]) -> str | None:
    """Why a mail was dropped, from its logged milestones; None if it was not."""
    for event in events:
        if event.milestone == "mail_parsed" and event.fields.get("decision") == "drop":
            reason = str(event.fields.get("reason", ""))
            return REASONS.get(reason) or REASONS.get(reason.partition(".")[0]) or reason
    return None
