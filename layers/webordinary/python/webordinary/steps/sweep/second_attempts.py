"""Starts the second attempt of a mail whose job ended because the model's provider was busy.

The attempt is a separate execution, named after the job, so it starts once. It parses the stored mail again: the
sender, the budgets and the thread are checked as for any mail, and its result is a further reply in the thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.telemetry import milestone
from webordinary.contract.messages.mail import RawMail
from webordinary.contract.names import Names
from webordinary.tables.jobs import JobRecord
from webordinary.tables.second_attempts import SUFFIX, SecondAttempts

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient


@dataclass(frozen=True)
class SecondAttemptStarter:
    attempts: SecondAttempts
    stepfunctions: SFNClient
    names: Names
    state_machine_arn: str
    clock: Clock = utc_now

    def due(self) -> Iterator[JobRecord]:
        return self.attempts.due(self.clock())

    def start(self, record: JobRecord, is_paused: Callable[[str], bool]) -> bool:
        """Starts a second attempt. False if the project is paused, or a newer job has the request."""
        if is_paused(record.pair.project):
            return False  # it stays due
        attempt = f"{record.job_id}{SUFFIX}"
        is_ours = self.attempts.claim(record, attempt)
        if is_ours:
            self._start_execution(record, attempt)
        # After a crash at this point the next sweep finds the execution started.
        self.attempts.finish(record)
        return is_ours

    def _start_execution(self, record: JobRecord, attempt: str) -> None:
        mail = RawMail(
            mail_id=attempt,
            bucket=self.names.bucket("raw_mail"),
            key=f"{self.names.object_prefix('raw_mail')}{record.job_id}",
            replay_of=record.job_id,
        )
        client = self.stepfunctions
        try:
            client.start_execution(stateMachineArn=self.state_machine_arn, name=attempt, input=mail.wire_text())
        except client.exceptions.ExecutionAlreadyExists:
            return
        milestone("second_attempt_started", job_id=attempt, pair=record.pair.key)
