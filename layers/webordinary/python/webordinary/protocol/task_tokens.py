"""Task tokens: how the end of a job reaches the execution that waits for it.

The jobs table decides what the end is; this only passes it on, as often as needed. A token that the state machine no
longer knows is no error: the wait is over, by timeout or because the message came twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webordinary.aws.telemetry import count, milestone
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.tables.jobs import JobRecord, JobsTable, JobState

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

ERROR_OF_STATE = {JobState.FAILED: "JobFailed", JobState.PREEMPTED: "JobPreempted"}


@dataclass(frozen=True)
class TaskTokens:
    client: SFNClient
    jobs: JobsTable

    def beat(self, record: JobRecord) -> bool:
        """Keeps the wait alive. False if nobody waits any more."""
        if record.task_token is None:
            return False
        try:
            self.client.send_task_heartbeat(taskToken=record.task_token)
        except self._over():
            return self._nobody_waits()
        return True

    def conclude(self, job: Job, outcome: Outcome) -> JobRecord:
        """Ends a job from outside and tells whoever waits for it. One that has ended keeps its end."""
        record = self.jobs.conclude(job.pair, job.job_id, outcome)
        self.settle(record)
        return record

    def settle(self, record: JobRecord, token: str | None = None) -> bool:
        """Tells the waiting execution how the job ended, then takes the job off the open ones."""
        token = token or record.task_token
        if token is None or record.outcome is None:
            return False
        try:
            if record.state == JobState.DONE:
                self.client.send_task_success(taskToken=token, output=record.outcome.wire_text())
            else:
                cause = record.outcome.wire_text()
                self.client.send_task_failure(taskToken=token, error=ERROR_OF_STATE[record.state], cause=cause)
        except self._over():
            self._nobody_waits()
        self.jobs.settle(record.job.pair, record.job.job_id)
        milestone("job_settled", job_id=record.job.job_id, pair=record.job.pair.key, state=record.state.value)
        return True

    def _over(self) -> tuple[type[Exception], ...]:
        known = self.client.exceptions
        return (known.TaskTimedOut, known.TaskDoesNotExist, known.InvalidToken)

    def _nobody_waits(self) -> bool:
        count("LateTaskTokens")
        return False
