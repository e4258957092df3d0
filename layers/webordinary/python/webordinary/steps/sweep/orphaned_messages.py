"""Deletes messages of finished jobs from the queues of pairs without an owner.

A worker that dies between reporting a job and deleting its message leaves the message in the queue; so does one that
dies before it received the duplicate message of a job. The next owner of the pair would delete them, but a pair without
open jobs may have no owner for a long time.

Only pairs whose owner died recently are checked, so an idle system costs one small read. Ownership is not changed, and
no message of an open job is deleted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from webordinary.aws.queues import Queues
from webordinary.aws.telemetry import count, logger
from webordinary.contract.errors import InvalidMessageError, UnknownJobError
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import JobReference
from webordinary.tables.jobs import JobsTable, UnreadableJobError
from webordinary.tables.ownership import OwnershipTable

# Much longer than the visibility timeout of a dead worker's messages, and than the delay of a sweep.
CHECKED_FOR = timedelta(minutes=15)
VISIBILITY_SECONDS = 60


@dataclass(frozen=True)
class OrphanedMessages:
    ownership: OwnershipTable
    jobs: JobsTable
    queues: Queues

    def delete(self, has_time: Callable[[], bool]) -> int:
        """Deletes the messages that dead owners left. Returns their number."""
        deleted = 0
        for dead in self.ownership.lapsed(CHECKED_FOR):
            try:
                if has_time() and not self.jobs.has_open_jobs(dead.pair):  # otherwise its next owner deletes them
                    deleted += self._delete(dead.pair, has_time)
            except Exception as error:
                # Its queue may have been deleted with its project. The other pairs must not be affected.
                logger().error(
                    "Sweep skipped the pair of a dead owner.", extra={"pair": dead.pair.key, "cause": str(error)}
                )
                count("OrphanedMessages.not_done")
        count("OrphanedMessages", deleted)
        return deleted

    def _delete(self, pair: Pair, has_time: Callable[[], bool]) -> int:
        deleted = 0
        while has_time():
            orphan = self.queues.receive("input", wait_seconds=0, visibility_seconds=VISIBILITY_SECONDS, pair=pair)
            if orphan is None:
                break
            if not self._is_over(orphan.body, pair):
                self.queues.hide("input", orphan, 0, pair)  # a new job: its dispatch requests a worker
                break
            self.queues.delete("input", orphan, pair)
            deleted += 1
        return deleted

    def _is_over(self, body: str, pair: Pair) -> bool:
        try:
            return self.jobs.get(pair, JobReference.read(body).job_id).state.is_final
        except UnknownJobError as error:
            logger().error(
                "Found a message without a job, left by a dead worker; deleted it.", extra={"cause": str(error)}
            )
            return True
        except (InvalidMessageError, UnreadableJobError) as error:
            logger().error("Left an unreadable message in its queue.", extra={"cause": str(error)})
            count("UnreadableMessages")
            return False
