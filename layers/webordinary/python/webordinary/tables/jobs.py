"""The jobs table: states and outcomes of jobs.

    waiting ──start(fence)──▶ running(fence) ──finish(fence)──▶ done | failed | preempted ──settle──▶ settled
       ▲                          │
       └─────── requeue ──────────┘   (its owner died, or a newer mail has priority)

Promises:
- A job runs at most once per fence, unless its owner requeues it.
- Only the fence that runs a job can finish it; the final state of a job never changes.
- A job is in the open-jobs index until its final state has reached the state machine, so the sweep sees every job
  that an execution waits for.
- A waiting or running job is in its pair's list (`unfinished_jobs`), which is read consistently and is short.

A pair's workers may write `state`, `fence`, `minFence` and `updatedAt` of their pair's records; their role's policy
permits no other attribute. The rest is written by functions.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from webordinary.contract.errors import UnknownJobError, WebordinaryError
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.tables.items import condition_failed, from_item, milliseconds, to_values
from webordinary.tables.job_reads import JobReads, job_key
from webordinary.tables.job_records import JobRecord as JobRecord
from webordinary.tables.job_records import JobState as JobState
from webordinary.tables.job_records import UnreadableJob as UnreadableJob
from webordinary.tables.job_records import UnreadableJobError as UnreadableJobError
from webordinary.tables.job_records import read_record

# `minFence` is the smallest fence that may start a waiting job. Starting raises it above the starter's fence, so a
# worker that lost the pair cannot start the job again after the sweep requeued it.
STARTABLE = "(#state = :waiting AND minFence <= :fence) OR (#state = :running AND fence < :fence)"
RUN_BY = "#state = :running AND fence = :fence"
OPEN = "#state IN (:waiting, :running)"
NEW_OR_OPEN = f"attribute_not_exists(#state) OR {OPEN}"
FINAL = "#state IN (:done, :failed, :preempted)"
SETTLED = "#ttl = :ttl REMOVE #open, taskToken"
# A job that gets a second attempt moves to another part of the index, at the time of the attempt.
DUE = "due"
TO_BE_DUE = f"{FINAL} AND #open = :open AND attribute_exists(triesAgainAt)"

KEPT_AFTER_END = timedelta(days=90)


class JobNotStartableError(WebordinaryError):
    """The job has ended, or runs with this or a newer fence."""

    def __init__(self, pair: Pair, job_id: str, fence: int, record: JobRecord | None) -> None:
        now = f"it is {record.state} (fence {record.fence})" if record else "it is unknown"
        super().__init__(f"Job {job_id} of {pair} cannot be started with fence {fence}: {now}. Nothing was changed.")
        self.record = record


class JobStillOpenError(WebordinaryError):
    """A job that has not ended cannot be settled."""

    def __init__(self, pair: Pair, job_id: str) -> None:
        super().__init__(f"Job {job_id} of {pair} cannot be settled: it has not ended. Nothing was changed.")


class StaleReportError(WebordinaryError):
    """The report's fence does not run the job (any more). Nothing was changed."""

    def __init__(self, pair: Pair, job_id: str, fence: int, record: JobRecord | None) -> None:
        now = f"is {record.state} (fence {record.fence})" if record else "is unknown"
        super().__init__(f"Dropped a report with fence {fence} for job {job_id} of {pair}, which {now}.")
        self.record = record


class JobsTable(JobReads):
    def record(self, job: Job, task_token: str) -> JobRecord:
        """Records a job as waiting. If it exists, only the token is replaced; a final job stays unchanged."""
        self.list_unfinished(job.pair, job.job_id)
        try:
            return self._update(
                job.pair,
                job.job_id,
                "SET #state = if_not_exists(#state, :waiting), minFence = if_not_exists(minFence, :zero), "
                "taskToken = :token, #open = :open, job = :job, threadId = :thread, receivedAt = :received, "
                "updatedAt = :now",
                NEW_OR_OPEN,
                {
                    ":zero": 0,
                    ":token": task_token,
                    ":open": "open",
                    ":job": job.wire_text(),
                    ":thread": job.thread_id,
                    ":received": job.received_at.isoformat(),
                },
            )
        except _ConditionFailedError as failed:
            return failed.record_of(job.pair, job.job_id)

    def list_unfinished(self, pair: Pair, job_id: str) -> None:
        """Adds a job to its pair's list, if it is missing."""
        self._unfinished.add(pair, job_id)

    def start(self, pair: Pair, job_id: str, fence: int) -> JobRecord:
        try:
            return self._update(
                pair,
                job_id,
                "SET #state = :running, fence = :fence, minFence = :next_fence, updatedAt = :now",
                STARTABLE,
                {":fence": fence, ":next_fence": fence + 1},
            )
        except _ConditionFailedError as failed:
            raise JobNotStartableError(pair, job_id, fence, failed.record_if_known()) from failed

    def finish(
        self, pair: Pair, job_id: str, fence: int, outcome: Outcome, tries_again_at: datetime | None = None
    ) -> JobRecord:
        expression = "SET #state = :final, outcome = :outcome, updatedAt = :now"
        values: dict[str, Any] = {
            ":fence": fence,
            ":final": outcome.state,
            ":outcome": outcome.bounded().wire_text(),
        }
        if tries_again_at is not None:
            expression, values[":again"] = f"{expression}, triesAgainAt = :again", tries_again_at.isoformat()
        try:
            return self._update(pair, job_id, expression, RUN_BY, values)
        except _ConditionFailedError as failed:
            raise StaleReportError(pair, job_id, fence, failed.record_if_known()) from failed

    def requeue(self, pair: Pair, job_id: str, fence: int, *, by_owner: bool = False) -> None:
        """Sets a running job back to waiting. Its owner may start it again only if requeued `by_owner`."""
        min_fence = fence if by_owner else fence + 1
        try:
            self._update(
                pair,
                job_id,
                "SET #state = :waiting, minFence = :min_fence, updatedAt = :now",
                RUN_BY,
                {":fence": fence, ":min_fence": min_fence},
            )
        except _ConditionFailedError as failed:
            raise StaleReportError(pair, job_id, fence, failed.record_if_known()) from failed

    def conclude(self, pair: Pair, job_id: str, outcome: Outcome, *, settled: bool = False) -> JobRecord:
        """Ends an open job from outside (timeout, dead letter). A job that has ended keeps its outcome.

        With `settled`, the same write settles the job: no execution waits for it.
        """
        expression = "SET #state = :final, outcome = :outcome, updatedAt = :now"
        values: dict[str, Any] = {":final": outcome.state, ":outcome": outcome.bounded().wire_text()}
        if settled:
            expression, values = f"{expression}, {SETTLED}", {**values, ":ttl": self._ttl()}
        try:
            record = self._update(pair, job_id, expression, OPEN, values)
        except _ConditionFailedError as failed:
            return failed.record_of(pair, job_id)
        if settled:
            self._unfinished.remove(pair, job_id)
        return record

    def close_unreadable(self, pair: Pair, job_id: str, outcome: Outcome) -> None:
        """Ends and settles a job whose record cannot be read, whatever its state."""
        with suppress(UnreadableJobError):  # raised after the write, when its result is parsed
            self.conclude(pair, job_id, outcome, settled=True)
        with suppress(UnreadableJobError):
            self.settle(pair, job_id)

    def settle(self, pair: Pair, job_id: str, *, tries_again: bool = False) -> None:
        """Removes a job from the open jobs: its execution knows the final state.

        With `tries_again` it waits for its second attempt, unless it was settled before.
        """
        if tries_again:
            expression = "SET updatedAt = :now, #ttl = :ttl, #open = :due, receivedAt = triesAgainAt REMOVE taskToken"
            with suppress(_ConditionFailedError):
                self._update(pair, job_id, expression, TO_BE_DUE, {":ttl": self._ttl(), ":open": "open", ":due": DUE})
            self._unfinished.remove(pair, job_id)
            return
        try:
            self._update(pair, job_id, f"SET updatedAt = :now, {SETTLED}", FINAL, {":ttl": self._ttl()})
        except _ConditionFailedError as failed:
            failed.record_of(pair, job_id)
            raise JobStillOpenError(pair, job_id) from failed
        self._unfinished.remove(pair, job_id)

    def forget(self, pair: Pair, job_id: str) -> bool:
        """Deletes the record of a settled job. False if the job is not settled."""
        try:
            self._client.delete_item(
                TableName=self._table,
                Key=job_key(pair, job_id),
                ConditionExpression="attribute_not_exists(#open) OR #open = :due",
                ExpressionAttributeNames={"#open": "open"},
                ExpressionAttributeValues=to_values({":due": DUE}),
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        return True

    def _ttl(self) -> int:
        return int((self._clock() + KEPT_AFTER_END).timestamp())

    def _update(self, pair: Pair, job_id: str, expression: str, condition: str, values: dict[str, Any]) -> JobRecord:
        used = set(re.findall(r"[#:]\w+", f"{expression} {condition}"))
        states = {f":{state}": state.value for state in JobState}
        values = {**states, ":now": milliseconds(self._clock()), **values}
        names = {"#state": "state", "#open": "open", "#ttl": "ttl"}
        try:
            answer = self._client.update_item(
                TableName=self._table,
                Key=job_key(pair, job_id),
                UpdateExpression=expression,
                ConditionExpression=condition,
                # DynamoDB refuses names and values that the expressions do not use.
                ExpressionAttributeNames={name: value for name, value in names.items() if name in used},
                ExpressionAttributeValues=to_values({name: v for name, v in values.items() if name in used}),
                ReturnValues="ALL_NEW",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except self._client.exceptions.ConditionalCheckFailedException as error:
            raise _ConditionFailedError(condition_failed(error) or {}) from error
        return read_record(from_item(answer["Attributes"]))


class _ConditionFailedError(Exception):
    """Carries the item that failed the condition to the calling method."""

    def __init__(self, item: dict[str, Any]) -> None:
        super().__init__("the condition did not hold")
        self.item = item

    def record_if_known(self) -> JobRecord | None:
        return read_record(self.item) if self.item else None

    def record_of(self, pair: Pair, job_id: str) -> JobRecord:
        if not self.item:
            raise UnknownJobError(pair.key, job_id) from self
        return read_record(self.item)
