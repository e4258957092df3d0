"""The table stand-in behaves like moto under the same calls of the shipped tables."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, NamedTuple, cast

import pytest

from tests.model.expressions import UnknownExpressionError
from tests.model.fixtures import INDEX_KEYS, KEYS, NAMES, TIMING
from tests.model.queue_stand_in import QueueStandIn
from tests.model.table_stand_in import TableStandIn
from tests.support.world import tables_on_moto
from webordinary.aws.queues import Queues
from webordinary.contract.errors import WebordinaryError
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import Envelope
from webordinary.contract.messages.outcome import Outcome
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.tables.idempotency import IdempotencyTable, Purpose
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import Ownership, OwnershipTable, RunningCost
from webordinary.tables.spending import Spending

PAIR = Pair(project="bakery", user="ada")
START = datetime(2030, 1, 1, tzinfo=UTC)
OPERATIONS = 400


class Rejection(NamedTuple):
    error: str
    text: str


class Side:
    """The shipped tables on one of the two clients."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.now = START
        queues = Queues(cast(Any, QueueStandIn(lambda: 0, Random(0))), NAMES)  # noqa: S311
        self.ownership = OwnershipTable(client, NAMES, TIMING, lambda: self.now)
        self.jobs = JobsTable(client, NAMES, lambda: self.now)
        self.idempotency = IdempotencyTable(client, NAMES, lambda: self.now)
        self.spending = Spending(client, NAMES, lambda: self.now)
        self.worker_requests = WorkerRequests(client, queues, NAMES, TIMING, lambda: self.now, lambda: 0.5)

    def run(self, operation: str, number: int, fence: int) -> object:
        held = Ownership(PAIR, f"worker-{number}", fence, None)
        job, odd = f"mail-{number}-of-{self.now.hour}", bool(number % 2)  # each hour has other jobs
        run_fence = 1 + fence % 2  # few values, so that start and finish match
        calls: dict[str, Callable[[], object]] = {
            "claim": lambda: self.ownership.claim(PAIR, f"worker-{number}", "http://127.0.0.1:1" if odd else None),
            "renew": lambda: self.ownership.renew(held, active=odd, cost=RunningCost(job, 0.5) if odd else None),
            "release": lambda: self.ownership.release_lease(held),
            "record": lambda: self.jobs.record(_job(job, self.now), f"token-{fence}"),
            "start": lambda: self.jobs.start(PAIR, job, run_fence),
            "finish": lambda: self.jobs.finish(PAIR, job, run_fence, Outcome(state="done")),
            "requeue": lambda: self.jobs.requeue(PAIR, job, run_fence, by_owner=odd),
            "conclude": lambda: self.jobs.conclude(PAIR, job, Outcome(state="failed")),
            "settle": lambda: self.jobs.settle(PAIR, job),
            "open jobs": lambda: list(self.jobs.open_jobs()),
            "later jobs": lambda: list(self.jobs.open_jobs(after=(self.now - timedelta(minutes=9)).isoformat())),
            "remember": lambda: self.idempotency.remember(Purpose.SWEEP, "checkpoint", f"checkpoint {fence}"),
            "recall": lambda: self.idempotency.recall(Purpose.SWEEP, "checkpoint"),
            "forget": lambda: self.idempotency.forget(Purpose.SWEEP, "checkpoint"),
            "reserve costs": lambda: self.spending.reserve(PAIR, job, self.now, 1_000_000),
            "settle costs": lambda: self.spending.settle(PAIR, job, self.now, 250_000, 7.0),
            "lapsed": lambda: list(self.ownership.lapsed(timedelta(minutes=15))),
            "open jobs of the pair": lambda: self.jobs.open_jobs_of(PAIR),
            "request": lambda: self.worker_requests.request(PAIR, job),
            "clear": lambda: self.worker_requests.clear(PAIR),
        }
        try:
            return calls[operation]()
        except WebordinaryError as error:
            return Rejection(error.__class__.__name__, str(error))


COMMON = ["claim", "renew", "release", "record", "start", "finish", "requeue", "request", "reserve costs"]
RARE = ["lapsed", "conclude", "settle", "open jobs", "open jobs of the pair", "clear", "later jobs", "settle costs"]
CHECKPOINT = ["remember", "recall", "forget"]


def test_stand_in_matches_moto_for_every_protocol_call() -> None:
    random = Random(2)  # noqa: S311
    succeeded: set[str] = set()
    highest = 1
    with tables_on_moto(NAMES) as client:
        sides = Side(client), Side(TableStandIn(KEYS, INDEX_KEYS))
        for _ in range(OPERATIONS):
            operation = random.choice(COMMON * 3 + RARE + CHECKPOINT)
            number, fence = random.randint(0, 2), max(1, highest - random.randint(0, 1))
            sides[0].now = sides[1].now = sides[0].now + timedelta(seconds=random.choice([0, 1, 20, 70]))

            answers = [side.run(operation, number, fence) for side in sides]

            assert answers[0] == answers[1], operation
            if not isinstance(answers[0], Rejection):
                succeeded.add(operation)
            if isinstance(answers[0], Ownership):
                highest = answers[0].fence
    assert succeeded == {*COMMON, *RARE, *CHECKPOINT}, "too tame: some calls never succeeded"


def test_stand_in_matches_moto_at_boundary_values() -> None:
    # Equal values: the same timestamp, the last millisecond of lease and margin, min_fence equal to the fence.
    script = [
        ("claim", 1, 1, 0.0),
        ("claim", 1, 1, 0.0),
        ("renew", 1, 2, 0.0),
        ("claim", 2, 1, TIMING.lease_seconds + TIMING.clock_margin_seconds),
        ("claim", 2, 1, 0.001),
        ("record", 1, 1, 0.0),
        ("start", 1, 1, 0.0),
        ("requeue", 1, 1, 0.0),
        ("start", 1, 1, 0.0),
        ("start", 1, 1, 0.0),
        ("request", 1, 1, 0.0),
        ("request", 1, 1, TIMING.claim_window_seconds),
    ]
    with tables_on_moto(NAMES) as client:
        sides = Side(client), Side(TableStandIn(KEYS, INDEX_KEYS))
        for operation, number, fence, seconds in script:
            sides[0].now = sides[1].now = sides[0].now + timedelta(seconds=seconds)

            answers = [side.run(operation, number, fence) for side in sides]

            assert answers[0] == answers[1], operation


def test_stand_in_rejects_an_unknown_expression() -> None:
    client = TableStandIn(KEYS, INDEX_KEYS)

    with pytest.raises(UnknownExpressionError):
        client.update_item(
            TableName=NAMES.table("jobs"),
            Key={"projectKey": {"S": "bakery#ada"}, "jobId": {"S": "mail-1"}},
            UpdateExpression="SET state = list_append(state, :more)",
            ConditionExpression="contains(state, :more)",
            ExpressionAttributeValues={":more": {"S": "x"}},
            ExpressionAttributeNames={},
        )


def _job(job_id: str, received_at: datetime) -> Job:
    envelope = Envelope(sender="ada@example.com", recipient="edit@example.org", subject="", message_id=f"<{job_id}>")
    return Job(
        job_id=job_id, pair=PAIR, thread_id="a" * 26, instruction="Please.", envelope=envelope, received_at=received_at
    )
