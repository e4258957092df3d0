"""Rate limits: counts mails per sender, thread and project, detects repeated deliveries and limits notices.

Mails are counted, not calls: a mail that is parsed again after a crash counts once and gets the same decision.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from webordinary.aws.clients import Clock, utc_now
from webordinary.tables.idempotency import IdempotencyTable, Purpose

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
NOTICE_INTERVAL = timedelta(days=30)
DELIVERED_ONCE_WITHIN = timedelta(days=500)  # longer than a thread is kept after its last mail


class RateLimits(NamedTuple):
    table: IdempotencyTable
    clock: Clock = utc_now

    def count_this_hour(self, kind: str, subject: str, mail_id: str) -> int:
        """The number of different mails of this subject in the current hour, including this one."""
        return self.table.count(Purpose.MAILS, kind, subject, self.this_hour(), member=mail_id, kept_for=2 * HOUR)

    def count_today(self, kind: str, subject: str, mail_id: str) -> int:
        return self.table.count(Purpose.MAILS, kind, subject, self.today(), member=mail_id, kept_for=2 * DAY)

    def is_first_delivery(self, sender: str, mark: str, mail_id: str) -> bool:
        """Whether this sender's mark is new; true again for the same stored mail."""
        return self.table.is_first(Purpose.DELIVERED, sender, mark, this_one=mail_id, kept_for=DELIVERED_ONCE_WITHIN)

    def is_first_notice(self, reason: str, subject: str, mail_id: str) -> bool:
        """Whether the sender should be notified about this mail; true again for the same mail, false for later ones."""
        return self.table.is_first(Purpose.NOTIFIED, reason, subject, this_one=mail_id, kept_for=NOTICE_INTERVAL)

    def this_hour(self) -> str:
        return self.clock().strftime("%Y-%m-%dT%H")

    def next_hour(self) -> datetime:
        return self.clock().replace(minute=0, second=0, microsecond=0) + HOUR

    def today(self) -> str:
        return self.clock().strftime("%Y-%m-%d")

    def next_day(self) -> datetime:
        return self.clock().replace(hour=0, minute=0, second=0, microsecond=0) + DAY
