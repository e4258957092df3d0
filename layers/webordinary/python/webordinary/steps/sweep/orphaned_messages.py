"""Deletes messages of jobs that are over and whose pair nobody owns.

A worker that dies between reporting a job and deleting its message leaves the message behind; so does one that dies
before it has seen the second message of a job that was sent again. The next owner of the pair would delete them, but
nobody waits for these jobs any more, so there may be no next owner for a long time.

Only pairs whose owner died lately are looked at, so an idle system costs one small read. No ownership is changed, and
no message of a job that somebody waits for is taken away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from webordinary.aws.queues import Queues
from webordinary.aws.telemetry import count, logger
from webordinary.contract.errors import InvalidMessageError, UnknownJobError
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.tables.jobs import JobsTable, UnreadableJobError
from webordinary.tables.ownership import OwnershipTable

# Much longer than what a dead worker had received stays invisible, and than a sweep may be late.
LOOKED_AFTER_FOR = timedelta(minutes=15)
VISIBILITY_SECONDS = 60


@dataclass(frozen=True)
class OrphanedMessages:
    ownership: OwnershipTable
    jobs: JobsTable
    queues: Queues

    def delete(self, has_time: Callable[[], bool]) -> int:
        """Deletes what dead owners left. Returns how many messages that were."""
        deleted = 0
        for dead in self.ownership.lapsed(LOOKED_AFTER_FOR):
            try:
                if has_time() and not self.jobs.open_jobs_of(dead.pair):  # else its next owner does it
                    deleted += self._delete(dead.pair, has_time)
            except Exception as error:
                # Its queue may be gone with its project. Other pairs must not wait for the trouble of this one.
                logger().error(
                    "A dead owner's pair was passed over.", extra={"pair": dead.pair.key, "cause": str(error)}
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
            if not self._is_over(orphan.body):
                self.queues.hide("input", orphan, 0, pair)  # it came just now: its dispatch asks for an owner
                break
            self.queues.delete("input", orphan, pair)
            deleted += 1
        return deleted

    def _is_over(self, body: str) -> bool:
        try:
            job = Job.read(body)
            return self.jobs.get(job.pair, job.job_id).state.is_final
        except UnknownJobError as error:
            logger().error("A message that belongs to no job was left by a dead worker.", extra={"cause": str(error)})
            return True
        except (InvalidMessageError, UnreadableJobError) as error:
            logger().error("A message is left for a worker that can read it.", extra={"cause": str(error)})
            count("UnreadableMessages")
            return False
