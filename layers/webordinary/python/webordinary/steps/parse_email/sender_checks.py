"""Checks that a mail is its sender's own, is new, and is meant for us."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from webordinary import mail as mails
from webordinary.contract.outcomes import RefusalReason
from webordinary.steps.parse_email.refused import Refused

if TYPE_CHECKING:
    from webordinary.contract.messages.base import Pair
    from webordinary.contract.messages.mail import RawMail
    from webordinary.mail import ParsedMail
    from webordinary.steps.parse_email.own_addresses import OwnAddresses
    from webordinary.tables.rate_limits import RateLimits


class SenderChecks(NamedTuple):
    rates: RateLimits
    addresses: OwnAddresses

    def require_authentication(self, mail: RawMail, parsed: ParsedMail, sender: str) -> None:
        verdict = parsed.authentication
        if verdict.passed:
            return
        reason = f"not_authenticated.{verdict.reason.value}"
        if verdict.fixable and self.rates.is_first_notice(reason, sender, mail.delivery_id):
            raise Refused(RefusalReason(reason))
        raise Refused(reason)

    def require_first_delivery(self, mail: RawMail, parsed: ParsedMail, sender: str) -> None:
        """Rejects replays: anyone with a copy of a signed mail can deliver it again."""
        # Not every signature covers the Message-ID. The signed text is checked first: an old mail with a new id must
        # not use up that id.
        words = f"{parsed.date.isoformat()} {parsed.subject} {parsed.full_text}" if parsed.date else ""
        marks = [mark for mark in (words, parsed.message_id) if mark]
        if not all(self.rates.is_first_delivery(sender, mark, mail.delivery_id) for mark in marks):
            raise Refused("replay")

    def require_own_recipient(self, mail: RawMail, parsed: ParsedMail, sender: str, pairs: list[Pair]) -> None:
        """A signature does not cover the envelope either: only mails addressed to us in To or Cc are meant for us."""
        if self.addresses.in_mail(parsed):
            return
        if self.rates.is_first_notice(RefusalReason.NOT_ADDRESSED, sender, mail.delivery_id):
            raise Refused(RefusalReason.NOT_ADDRESSED, addresses=self.addresses.of_pairs(pairs))
        raise Refused("not_addressed.again")


def sender_of(parsed: ParsedMail) -> str:
    if parsed.kind != mails.MailKind.NORMAL:
        raise Refused(f"automatic.{parsed.kind.value}")
    if parsed.sender is None:
        raise Refused("no_sender")
    return parsed.sender.address.lower()
