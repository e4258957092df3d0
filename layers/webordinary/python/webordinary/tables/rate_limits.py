"""How many mails of a sender or a thread have come this hour, and who has been told about it.

Mails are counted, not calls: a mail that is parsed again after a crash counts once and is told the same again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from webordinary.platform.clients import Clock, utc_now
from webordinary.tables.idempotency import IdempotencyTable, Purpose

HOUR = timedelta(hours=1)
TOLD_AGAIN_AFTER = timedelta(days=30)


@dataclass(frozen=True)
class RateLimits:
    table: IdempotencyTable
    clock: Clock = utc_now

    def count_this_hour(self, kind: str, subject: str, mail_id: str) -> int:
        """How many different mails have come for this subject in the current hour, this one included."""
        return self.table.count(Purpose.MAILS, kind, subject, self.this_hour(), member=mail_id, kept_for=2 * HOUR)

    def is_first_to_hear(self, reason: str, subject: str, mail_id: str) -> bool:
        """Whether this mail is the one whose sender is told; true again for the same mail, false for later ones."""
        return self.table.is_first(Purpose.TOLD, reason, subject, this_one=mail_id, kept_for=TOLD_AGAIN_AFTER)

    def this_hour(self) -> str:
        return self.clock().strftime("%Y-%m-%dT%H")
