"""Deletes the queues of pairs that have been quiet for long. The next mail makes them anew.

A queue is deleted only if its pair has no open job, no owner, and has had none for `quiet_seconds`, and holds nothing.
One that never had an owner is counted from when it was made.
Should a mail be dispatched at this very moment, its job was recorded before its message was sent: it waits in the jobs
table, and the sweep sends it again as soon as the queue can be made. So nothing is lost, and one mail is minutes late.

Looked through little by little: some pairs an hour, going on where the last look ended.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from botocore.exceptions import ClientError

from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.queue_provisioning import PairQueues
from webordinary.aws.queues import Queues
from webordinary.aws.telemetry import count, logger
from webordinary.contract.messages.base import Pair
from webordinary.contract.settings import Timing
from webordinary.tables.idempotency import IdempotencyTable, Purpose
from webordinary.tables.items import milliseconds
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import OwnershipTable

PLACE = "quiet-queues"
LOOKS_EVERY = timedelta(hours=1)


@dataclass(frozen=True)
class QuietQueues:
    pair_queues: PairQueues
    queues: Queues
    jobs: JobsTable
    ownership: OwnershipTable
    places: IdempotencyTable
    timing: Timing
    clock: Clock = utc_now

    def delete(self, has_time: Callable[[], bool]) -> int:
        """Looks at some pairs, if it is time to. Returns for how many of them the queues were deleted."""
        now = self.clock()
        noted = json.loads(self.places.recall(Purpose.SWEEP, PLACE) or "{}")
        if milliseconds(now) < noted.get("notBefore", 0):
            return 0
        pairs, goes_on = self._some(noted.get("after"))
        deleted = sum(self._delete_if_quiet(pair) for pair in pairs if has_time())
        # Whatever was not looked at for lack of time comes up again in the next round.
        place = {"after": goes_on, "notBefore": milliseconds(now + LOOKS_EVERY)}
        self.places.remember(Purpose.SWEEP, PLACE, json.dumps(place))
        count("QuietQueues", deleted)
        return deleted

    def is_quiet(self, pair: Pair) -> bool:
        last = self.ownership.last_use(pair) or self.queues.created_at("input", pair)  # nobody ever came for some
        long_ago = self.clock() - timedelta(seconds=self.timing.quiet_seconds)
        return (
            last is not None
            and last < long_ago
            and not self.ownership.is_owned(pair)
            and not self.jobs.has_open_jobs(pair)
            and self.queues.is_empty("input", pair)
        )

    def _delete_if_quiet(self, pair: Pair) -> bool:
        if not self.is_quiet(pair):
            return False
        self.pair_queues.delete(pair)
        logger().info("The queues of a quiet pair were deleted.", extra={"pair": pair.key})
        return True

    def _some(self, after: str | None) -> tuple[list[Pair], str | None]:
        try:
            return self.pair_queues.list_page(after)
        except ClientError:
            if after is None:
                raise
            return self.pair_queues.list_page(None)  # SQS keeps such a place for a while only
