"""How many mails of a sender, a thread or a project have come, which came before, and who has been told about it.

Mails are counted, not calls: a mail that is parsed again after a crash counts once and is told the same again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from webordinary.aws.clients import Clock, utc_now
from webordinary.tables.idempotency import IdempotencyTable, Purpose

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
TOLD_AGAIN_AFTER = timedelta(days=30)
DELIVERED_ONCE_WITHIN = timedelta(days=500)  # longer than a thread is remembered after its last mail


@dataclass(frozen=True)
class RateLimits:
    table: IdempotencyTable
    clock: Clock = utc_now

    def count_this_hour(self, kind: str, subject: str, mail_id: str) -> int:
        """How many different mails have come for this subject in the current hour, this one included."""
        return self.table.count(Purpose.MAILS, kind, subject, self.this_hour(), member=mail_id, kept_for=2 * HOUR)

    def count_today(self, kind: str, subject: str, mail_id: str) -> int:
        return self.table.count(Purpose.MAILS, kind, subject, self.today(), member=mail_id, kept_for=2 * DAY)

    def is_first_delivery(self, sender: str, mark: str, mail_id: str) -> bool:
        """Whether nothing of this sender was delivered with this mark before; true again for the same stored mail."""
        return self.table.is_first(Purpose.DELIVERED, sender, mark, this_one=mail_id, kept_for=DELIVERED_ONCE_WITHIN)

    def is_first_notice(self, reason: str, subject: str, mail_id: str) -> bool:
        """Whether this mail is the one whose sender is told; true again for the same mail, false for later ones."""
        return self.table.is_first(Purpose.TOLD, reason, subject, this_one=mail_id, kept_for=TOLD_AGAIN_AFTER)

    def this_hour(self) -> str:
        return self.clock().strftime("%Y-%m-%dT%H")

    def next_hour(self) -> datetime:
        return self.clock().replace(minute=0, second=0, microsecond=0) + HOUR

    def today(self) -> str:
        return self.clock().strftime("%Y-%m-%d")

    def next_day(self) -> datetime:
        return self.clock().replace(hour=0, minute=0, second=0, microsecond=0) + DAY
