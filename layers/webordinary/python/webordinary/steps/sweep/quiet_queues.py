"""Deletes the queues of pairs that have been quiet for long. The next mail creates them again.

A queue is deleted only if it is empty and its pair has no open job and has had no owner for `quiet_seconds`. For a pair
that never had an owner, the queue's creation counts.
If a mail is dispatched during the deletion, its job was recorded before its message was sent: it waits in the jobs
table, and the sweep sends it as soon as the queue can be created. Nothing is lost, and one mail is minutes late.

Each hourly run checks one page of pairs and continues where the last one ended.
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

CHECKPOINT = "quiet-queues"
INTERVAL = timedelta(hours=1)


@dataclass(frozen=True)
class QuietQueues:
    pair_queues: PairQueues
    queues: Queues
    jobs: JobsTable
    ownership: OwnershipTable
    checkpoints: IdempotencyTable
    timing: Timing
    clock: Clock = utc_now

    def delete(self, has_time: Callable[[], bool]) -> int:
        """Checks one page of pairs, at most once per interval. Returns how many pairs lost their queues."""
        now = self.clock()
        checkpoint = json.loads(self.checkpoints.recall(Purpose.SWEEP, CHECKPOINT) or "{}")
        if milliseconds(now) < checkpoint.get("notBefore", 0):
            return 0
        pairs, next_token = self._list_page(checkpoint.get("after"))
        deleted = sum(self._delete_if_quiet(pair) for pair in pairs if has_time())
        # Pairs that were skipped for lack of time are checked in the next round.
        checkpoint = {"after": next_token, "notBefore": milliseconds(now + INTERVAL)}
        self.checkpoints.remember(Purpose.SWEEP, CHECKPOINT, json.dumps(checkpoint))
        count("QuietQueues", deleted)
        return deleted

    def is_quiet(self, pair: Pair) -> bool:
        last = self.ownership.last_use(pair) or self.queues.created_at("input", pair)  # it never had an owner
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
        logger().info("Deleted the queues of a quiet pair.", extra={"pair": pair.key})
        return True

    def _list_page(self, next_token: str | None) -> tuple[list[Pair], str | None]:
        try:
            return self.pair_queues.list_page(next_token)
        except ClientError:
            if next_token is None:
                raise
            return self.pair_queues.list_page(None)  # the token has expired
