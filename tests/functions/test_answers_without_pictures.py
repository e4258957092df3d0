"""A screenshot that fails, is late or is throttled does not affect the rest of the reply.

Runs the deployed state machine from the Picture state, with a faulty function instead of `picture` and the real reply
function.
"""

from __future__ import annotations

import email
import json
from datetime import UTC, datetime
from email.message import Message
from typing import Any

import pytest

from local.aws import EmulatedAws
from tests.integration.emulator.support import archive, eventually, role
from tests.support.applied import AppliedStack
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import Envelope
from webordinary.contract.messages.outcome import ChangedPage, Outcome
from webordinary.contract.names import Names
from webordinary.contract.outcomes import PageChange, Result
from webordinary.tables.jobs import JobsTable

NAMES = Names("webordinary", "123456789012")
PAIR, THREAD = Pair(project="bakery", user="ada"), "p" * 26

# Faulty implementations of the picture function.
FAULTS = {
    "fails": "raise RuntimeError('no picture today')",
    "is-killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "is-late": "time.sleep(3600)",
    "is-throttled": "raise type('TooManyRequestsException', (Exception,), {})('rate exceeded')",
}
HANDLER = "import os, signal, time\ndef handler(event, context):\n    {}\n"


class Machine:
    """The state machine, started after a job with a visible change."""

    def __init__(self, applied: AppliedStack, fault: str) -> None:
        self.aws, self.fault = EmulatedAws(applied.emulator.endpoint), fault
        self._original = str(applied.outputs["state_machine_arn"])
        self._mailbox = applied.emulator.state / "mailbox"
        self._machines = self.aws.client("stepfunctions")
        self._role = role(self.aws.endpoint, f"picture-{fault}")
        self.job_id = f"picture-{fault}"

    def run(self, seconds: int) -> str:
        """Runs an execution. Returns its final status."""
        job, outcome = self._done_job()
        machine = self._machines.create_state_machine(
            name=self.job_id, definition=self._definition(seconds), roleArn=self._role
        )["stateMachineArn"]
        given = json.dumps({"job": job.wire(), "outcome": outcome.wire()})
        execution = self._machines.start_execution(stateMachineArn=machine, name=self.job_id, input=given)
        try:
            return eventually(lambda: self._ended(execution["executionArn"]), limit=600)
        finally:
            self._machines.delete_state_machine(stateMachineArn=machine)

    def answers(self) -> list[Message]:
        mails = [email.message_from_bytes(file.read_bytes()) for file in sorted(self._mailbox.glob("*.eml"))]
        return [mail for mail in mails if mail["In-Reply-To"] == f"<{self.job_id}@example.com>"]

    def _ended(self, execution: str) -> str | None:
        status = str(self._machines.describe_execution(executionArn=execution)["status"])
        return status if status != "RUNNING" else None

    def _definition(self, seconds: int) -> str:
        found: dict[str, Any] = json.loads(
            self._machines.describe_state_machine(stateMachineArn=self._original)["definition"]
        )
        found["StartAt"] = "Picture"
        found["States"]["Picture"]["Parameters"]["FunctionName"] = self._function()
        found["States"]["Picture"]["TimeoutSeconds"] = seconds
        return json.dumps(found)

    def _function(self) -> str:
        created = self.aws.client("lambda").create_function(
            FunctionName=self.job_id,
            Runtime="python3.13",
            Role=self._role,
            Handler="handler.handler",
            Code={"ZipFile": archive({"handler.py": HANDLER.format(FAULTS[self.fault])})},
            Timeout=900,
        )
        return str(created["FunctionArn"])

    def _done_job(self) -> tuple[Job, Outcome]:
        job = Job(
            job_id=self.job_id,
            pair=PAIR,
            thread_id=THREAD,
            instruction="Change the hours.",
            envelope=Envelope(
                sender="ada@example.com",
                recipient="edit@mail.example.com",
                subject="Hours",
                message_id=f"<{self.job_id}@example.com>",
            ),
            received_at=datetime.now(UTC),
            pictures=True,
        )
        outcome = Outcome(
            state="done",
            result=Result.CHANGED,
            summary="The hours are new.",
            preview_url="https://preview.example.com/",
            pages=(ChangedPage(path="index.html", change=PageChange.CHANGED, title="Home"),),
        )
        jobs = JobsTable(self.aws.client("dynamodb"), NAMES)
        jobs.record(job, "a token without a waiting execution")
        jobs.conclude(PAIR, job.job_id, outcome, settled=True)
        return job, outcome


@pytest.mark.parametrize("fault", FAULTS)
def test_reply_is_sent_without_a_screenshot_that(fault: str, applied: AppliedStack) -> None:
    machine = Machine(applied, fault)

    assert machine.run(seconds=2 if fault == "is-late" else 600) == "SUCCEEDED"

    (answer,) = machine.answers()
    parts = {part.get_content_type(): part for part in answer.walk()}
    assert "image/jpeg" not in parts
    assert b"The hours are new." in parts["text/plain"].get_payload(decode=True)
    assert b"<img" not in parts["text/html"].get_payload(decode=True)
