"""The texts of a mail that a job carries, each within its limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webordinary import mail as mails
from webordinary.contract.outcomes import Command, RefusalReason
from webordinary.contract.sizes import cut, json_bytes
from webordinary.contract.values import limit
from webordinary.steps.parse_email.refused import Refused

if TYPE_CHECKING:
    from webordinary.mail import ParsedMail

_REST_IS_CUT = "\n\n[The forwarded text is longer; its rest is cut off here.]"


def require_request(parsed: ParsedMail) -> None:
    """Refuses a mail that asks for nothing, or for more than a job can carry."""
    request = parsed.request
    if parsed.is_unreadable:
        raise Refused(RefusalReason.ENCRYPTED)
    content = request.instruction.strip() or parsed.forwarded_text or parsed.attachments
    if request.command == Command.EDIT and not content:
        raise Refused(RefusalReason.EMPTY)
    if len(request.instruction) > limit("instruction_characters"):
        raise Refused(RefusalReason.TOO_LONG)
    if _bytes_of_request(parsed) > limit("request_bytes"):
        raise Refused(RefusalReason.TOO_LONG)


def near_command(parsed: ParsedMail) -> Command | None:
    """The command that the mail misspells. With material it is an edit about that material."""
    if parsed.request.command is not Command.EDIT or parsed.forwarded_text or parsed.is_forward or parsed.attachments:
        return None
    return mails.near_command(parsed.request.instruction)


def language_of(parsed: ParsedMail) -> str:
    """The language of the mail; quoted text helps if the mail is too short."""
    return mails.language_of(parsed.text, parsed.subject, parsed.history_text)


def forwarded_text(parsed: ParsedMail) -> str:
    """A forwarded chain may be long, and its newest mails come first. The agent sees that the rest is missing."""
    forwarded, most = parsed.forwarded_text, limit("instruction_characters")
    return forwarded if len(forwarded) <= most else forwarded[: most - len(_REST_IS_CUT)] + _REST_IS_CUT


def history_text(parsed: ParsedMail) -> str:
    """As much of the earlier mails as fits into the execution."""
    return cut(parsed.history_text[: limit("history_characters")], limit("request_bytes") - _bytes_of_request(parsed))


def removed_text(parsed: ParsedMail) -> str:
    """As much of the removed text as fits into the execution."""
    left = limit("request_bytes") - _bytes_of_request(parsed) - json_bytes(history_text(parsed))
    return cut(parsed.removed_text[: limit("removed_characters")], left)


def last_references(parsed: ParsedMail) -> tuple[str, ...]:
    last: list[str] = []
    left = limit("reference_bytes")
    for reference in reversed(parsed.references[-20:]):
        left -= json_bytes(reference)
        if left < 0:
            break
        last.insert(0, reference)
    return tuple(last)


def _bytes_of_request(parsed: ParsedMail) -> int:
    return json_bytes(parsed.request.instruction) + json_bytes(forwarded_text(parsed))
