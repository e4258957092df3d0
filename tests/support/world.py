"""An in-memory AWS (moto) for unit tests, with tables and queues from the contract.

The resources that Terraform creates are tested in tests/infrastructure.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import boto3
from moto import mock_aws
from moto.moto_api._internal.models import moto_api_backend

from webordinary.aws.queues import Queues
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import DispatchOrder, Job
from webordinary.contract.messages.mail import Envelope
from webordinary.contract.names import Names
from webordinary.contract.settings import Timing
from webordinary.contract.values import contract
from webordinary.protocol.senders import Senders
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.steps.check_ownership import CheckOwnership
from webordinary.steps.dispatch import Dispatch
from webordinary.steps.relay_callback import RelayCallback
from webordinary.tables.budgets import Budgets
from webordinary.tables.conversation_lists import ConversationLists
from webordinary.tables.conversation_records import NotedMail
from webordinary.tables.idempotency import IdempotencyTable
from webordinary.tables.items import to_values
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.questions import Questions
from webordinary.tables.second_attempts import SecondAttempts
from webordinary.tables.spending import Spending
from webordinary.tables.threads import Threads
from webordinary.tables.workers import WorkersTable

ACCOUNT = "123456789012"
REGION = "eu-west-1"
PAIR = Pair(project="bakery", user="ada")
THREAD = "a" * 26


class ManualClock:
    """A clock that only `advance` moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 5, 8, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@cache
def client(service: str) -> Any:
    """Cached, because creating a client takes longer than most tests."""
    make: Any = boto3.client
    return make(service, region_name=REGION, aws_access_key_id="testing", aws_secret_access_key="testing")


class World:
    """All parts of the domain on one in-memory AWS. Task token calls are recorded, not executed."""

    def __init__(self) -> None:
        self.names = Names("webordinary", ACCOUNT)
        self.timing = Timing.model_validate({})
        self.clock = ManualClock()
        self.dynamodb = client("dynamodb")
        self.sqs = client("sqs")
        self.s3 = client("s3")
        self.ses = client("sesv2")
        self.task_tokens = RecordedTaskTokens()
        make_tables(self.dynamodb, self.names)
        make_queues(self.sqs, self.names)
        self.queues = Queues(self.sqs, self.names)
        self.ownership = OwnershipTable(self.dynamodb, self.names, self.timing, self.clock)
        self.jobs = JobsTable(self.dynamodb, self.names, self.clock)
        self.worker_requests = WorkerRequests(
            self.dynamodb, self.queues, self.names, self.timing, self.clock, lambda: 0.0
        )
        self.projects = ProjectConfigs(self.dynamodb, self.names)
        self.threads = Threads(self.dynamodb, self.names, self.clock)
        self.questions = Questions(self.dynamodb, self.names, self.clock)
        self.tokens = TaskTokens(self.task_tokens, self.jobs)  # type: ignore[arg-type]
        self.idempotency = IdempotencyTable(self.dynamodb, self.names, self.clock)
        self.conversations = ConversationLists(self.dynamodb, self.names, self.clock)
        self.spending = Spending(self.dynamodb, self.names, self.clock)
        self.budgets = Budgets(self.idempotency, self.spending)
        self.relay = RelayCallback(
            self.jobs, self.tokens, Senders(self.ownership), self.budgets, self.queues, clock=self.clock
        )
        self.check_ownership = CheckOwnership(self.ownership, self.clock)
        self.workers = WorkersTable(self.dynamodb, self.names, self.timing, self.clock)
        self.second_attempts = SecondAttempts(self.dynamodb, self.names)
        self._dispatch = Dispatch(
            self.jobs,
            self.queues,
            self.ownership,
            self.worker_requests,
            self.tokens,
            self.projects,
            self.clock,
            self.second_attempts,
            lambda job: self.conversations.note_mail(NotedMail.of_job(job)),
        )

    def dispatch(self, job: Job, task_token: str = "token") -> None:
        self._dispatch.run(DispatchOrder(job=job, task_token=task_token))

    def onboard(self, interrupts: str = "same-thread", **more: str | bool | list[str]) -> None:
        project = {
            "pk": "project#bakery",
            "projectId": "bakery",
            "domain": "bakery.example.com",
            "repository": "https://git.example.com/bakery.git",
            "siteUrl": "https://bakery.sites.example.com/",
            "previewUrl": "https://${thread}--bakery.preview.example.com/",
            "interrupts": interrupts,
            "users": ["ada"],
            **more,
        }
        sender = {"pk": "sender#ada@example.com", "pairs": ["bakery#ada"]}
        for item in (project, sender):
            self.dynamodb.put_item(TableName=self.names.table("project_configs"), Item=to_values(item))

    def job(self, job_id: str = "mail-1", thread_id: str = THREAD, **more: Any) -> Job:
        given = {
            "job_id": job_id,
            "pair": PAIR,
            "thread_id": thread_id,
            "instruction": "Change the opening hours.",
            "envelope": Envelope(
                sender="ada@example.com",
                recipient="bakery@edit.example.com",
                subject="Opening hours",
                message_id=f"<{job_id}@example.com>",
            ),
            "received_at": self.clock(),
        }
        return Job(**{**given, **more})

    def waiting(self, kind: str, pair: Pair | None = None) -> list[str]:
        """Receives and deletes all messages of a queue; returns their bodies."""
        bodies = []
        while received := self.queues.receive(kind, wait_seconds=0, visibility_seconds=300, pair=pair):
            bodies.append(received.body)
            self.queues.delete(kind, received, pair=pair)
        return bodies


# Limits of Step Functions.
LARGEST_OUTPUT = 256 * 1024
LONGEST_CAUSE = 32_768


class RecordedExecutions:
    """Started executions, by name; a second start of a name is refused."""

    class ExecutionAlreadyExists(Exception):  # noqa: N818  its name on AWS
        pass

    def __init__(self) -> None:
        self.started: dict[str, str] = {}
        self.fail = False
        self.exceptions = self

    def start_execution(self, *, stateMachineArn: str, name: str, input: str) -> None:  # noqa: A002, N803
        if self.fail:
            raise ConnectionError(stateMachineArn)
        if name in self.started:
            raise self.ExecutionAlreadyExists
        self.started[name] = input


class RecordedTaskTokens:
    """Records Step Functions' task token calls. A token can be ended once; later calls raise TaskTimedOut."""

    class exceptions:  # noqa: N801  as boto3 names it
        class TaskTimedOut(Exception):  # noqa: N818
            pass

        class TaskDoesNotExist(Exception):  # noqa: N818
            pass

        class InvalidToken(Exception):  # noqa: N818
            pass

    def __init__(self) -> None:
        self.beats: list[str] = []
        self.ends: list[tuple[str, str]] = []

    def send_task_heartbeat(self, *, taskToken: str) -> None:  # noqa: N803
        self._refuse_ended(taskToken)
        self.beats.append(taskToken)

    def send_task_success(self, *, taskToken: str, output: str) -> None:  # noqa: N803
        assert len(output.encode()) <= LARGEST_OUTPUT
        self._refuse_ended(taskToken)
        self.ends.append((taskToken, "success"))

    def send_task_failure(self, *, taskToken: str, error: str, cause: str) -> None:  # noqa: N803
        assert len(cause) <= LONGEST_CAUSE
        self._refuse_ended(taskToken)
        self.ends.append((taskToken, error))

    def _refuse_ended(self, token: str) -> None:
        if token in dict(self.ends):
            raise self.exceptions.TaskTimedOut(token)


@contextmanager
def tables_on_moto(names: Names) -> Iterator[Any]:
    """A DynamoDB client with empty tables."""
    with mock_aws():
        moto_api_backend.reset()  # state of earlier tests
        make_tables(client("dynamodb"), names)
        yield client("dynamodb")


def make_tables(client: Any, names: Names) -> None:
    for kind, keys in contract()["keys"].items():
        indexes = [
            {"IndexName": names.index(index), "KeySchema": _schema(fields), "Projection": {"ProjectionType": "ALL"}}
            for index, fields in keys["indexes"].items()
        ]
        fields = {field for schema in (keys["table"], *keys["indexes"].values()) for field in schema}
        client.create_table(
            TableName=names.table(kind),
            KeySchema=_schema(keys["table"]),
            AttributeDefinitions=[{"AttributeName": field, "AttributeType": "S"} for field in sorted(fields)],
            BillingMode="PAY_PER_REQUEST",
            **({"GlobalSecondaryIndexes": indexes} if indexes else {}),
        )


def make_queues(client: Any, names: Names) -> None:
    for kind in contract()["queues"]:
        name = names.queue(kind, PAIR)
        client.create_queue(QueueName=name, Attributes={"FifoQueue": "true"} if name.endswith(".fifo") else {})


def _schema(keys: list[str]) -> list[dict[str, str]]:
    return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(keys, ("HASH", "RANGE"), strict=False)]
