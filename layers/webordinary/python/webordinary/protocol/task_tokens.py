"""Task tokens: send the end of a job to the execution that waits for it.

The jobs table holds the outcome; this module sends it, as often as needed. A token that Step Functions no longer knows
is not an error: the wait has timed out, or the outcome was sent before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webordinary.aws.telemetry import count, milestone
from webordinary.contract.messages.job import Job, JobReference
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
        """Sends a task heartbeat. False if no execution waits."""
        if record.task_token is None:
            return False
        try:
            self.client.send_task_heartbeat(taskToken=record.task_token)
        except self._late_token_errors():
            return self._count_late_token()
        return True

    def conclude(self, job: Job | JobReference, outcome: Outcome) -> JobRecord:
        """Ends a job that no worker will end, and notifies its execution. A final job keeps its outcome."""
        record = self.jobs.conclude(job.pair, job.job_id, outcome)
        self.settle(record)
        return record

    def settle(self, record: JobRecord, token: str | None = None) -> bool:
        """Sends the outcome to the waiting execution, then removes the job from the open jobs."""
        token = token or record.task_token
        if token is None or record.outcome is None:
            return False
        try:
            summary = record.outcome.for_execution().wire_text()
            if record.state == JobState.DONE:
                self.client.send_task_success(taskToken=token, output=summary)
            else:
                self.client.send_task_failure(taskToken=token, error=ERROR_OF_STATE[record.state], cause=summary)
        except self._late_token_errors():
            self._count_late_token()
        self.jobs.settle(record.job.pair, record.job.job_id, tries_again=record.tries_again_at is not None)
        milestone("job_settled", job_id=record.job.job_id, pair=record.job.pair.key, state=record.state.value)
        return True

    def _late_token_errors(self) -> tuple[type[Exception], ...]:
        known = self.client.exceptions
        return (known.TaskTimedOut, known.TaskDoesNotExist, known.InvalidToken)

    def _count_late_token(self) -> bool:
        count("LateTaskTokens")
        return False
