"""Rate-limited requests for a worker: the only writer of the worker-requests table.

`policies.next_request` decides, and a conditional write makes the decision count once.

    sent ──window──▶ sent ──2 windows──▶ sent … ──▶ breaker open ──maximum backoff──▶ sent (half-open) ─┐
      ▲                                                  ▲                                              │
      └── a won claim or a release clears the state      └──────────────── no worker again ─────────────┘

Promises:
- Per pair at most one request is sent per window, however many senders compete.
- Unanswered requests are repeated with exponential backoff and jitter.
- The breaker opens when the last of `claim_breaker_failures` requests has gone a whole window without a worker, not
  before. Then nothing is sent for the maximum backoff; after it a single request is sent as a trial.
- A won claim or a release clears the state: the next request is sent immediately.
- For a paused project nothing is sent, and nothing counts as a failure.
- While the fleet reports that it is full, the breaker stays closed: the pair waits for a slot.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from webordinary.aws import clients
from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.fleet_trigger import FleetTrigger
from webordinary.aws.queue_provisioning import PairQueues
from webordinary.aws.queues import Queues
from webordinary.aws.telemetry import count, milestone
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.ownership import RequestDecision, RequestVerdict, WorkerRequest
from webordinary.contract.names import Names
from webordinary.contract.settings import Settings, Timing
from webordinary.protocol.policies import RequestState, next_request, refused
from webordinary.tables.items import condition_failed, from_item, from_milliseconds, milliseconds, to_values
from webordinary.tables.pauses import Pauses
from webordinary.tables.workers import WorkersTable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# Of two concurrent senders that read the same number of attempts, only one write finds it unchanged. The number alone
# is not enough: after a clear and a new request it may be the same again, and that window has just begun.
DUE = "attribute_not_exists(projectKey) OR (attempts = :seen AND nextAllowedAt <= :now)"

KEPT_AFTER_WINDOW = timedelta(days=1)


class PendingRequest(NamedTuple):
    """A pair that waits for a worker, and the requests sent for it."""

    pair_key: str
    attempts: int
    requested_at: datetime
    next_allowed_at: datetime


class WorkerRequests:
    def __init__(
        self,
        client: DynamoDBClient,
        queues: Queues,
        names: Names,
        timing: Timing,
        clock: Clock = utc_now,
        jitter: Callable[[], float] = random.random,
        on_sent: Callable[[], None] = lambda: None,
        before_sending: Callable[[Pair], None] = lambda _: None,
        is_paused: Callable[[str], bool] = lambda _: False,
        is_fleet_full: Callable[[], bool] = lambda: False,
    ) -> None:
        self._client = client
        self._queues = queues
        self._table = names.table("worker_requests")
        self._timing = timing
        self._clock = clock
        self._jitter = jitter
        self._on_sent = on_sent
        self._is_paused = is_paused
        self._is_fleet_full = is_fleet_full
        self._before_sending = before_sending

    @classmethod
    def from_settings(cls, settings: Settings, *, creates_queues: bool = True, invokes_fleet: bool = True) -> Self:
        """`creates_queues` and `invokes_fleet` need permissions that the broker and the fleet function do not have."""
        dynamodb, sqs, names, timing = clients.dynamodb(), clients.sqs(), settings.names, settings.timing
        options: dict[str, Any] = {
            "is_paused": Pauses(dynamodb, names).is_paused,
            "is_fleet_full": WorkersTable(dynamodb, names, timing).is_full,
        }
        if creates_queues:
            options["before_sending"] = PairQueues(sqs, names, timing, settings.kms_key_arn).ensure
        if invokes_fleet:
            options["on_sent"] = FleetTrigger(clients.rarely_used(clients.functions), names).invoke
        return cls(dynamodb, Queues(sqs, names), names, timing, **options)

    @contextmanager
    def in_bulk(self, is_paused: Callable[[str], bool] | None = None) -> Iterator[WorkerRequests]:
        """For many requests of one run: the fleet's shortage is read once, and the fleet is called once, at the end.

        `is_paused` may remember what it read.
        """
        bulk, sent = copy(self), list[bool]()
        bulk._on_sent = lambda: sent.append(True)  # noqa: SLF001 (its own copy; several threads may append)
        bulk._is_fleet_full = cache(self._is_fleet_full)  # noqa: SLF001
        bulk._is_paused = is_paused or self._is_paused  # noqa: SLF001
        try:
            yield bulk
        finally:
            if sent:
                self._on_sent()

    def request(self, pair: Pair, job_id: str, prepare: Callable[[], None] = lambda: None) -> RequestDecision:
        """Sends a worker request unless the pair is within its window, or its breaker is open.

        `prepare` is called only before a request is sent.
        """
        decision = self._decide(pair, job_id, prepare)
        count(f"Claims.{decision.verdict.value}")
        milestone("worker_requested", job_id=job_id, pair=pair.key, verdict=decision.verdict.value)
        return decision

    def _decide(self, pair: Pair, job_id: str, prepare: Callable[[], None]) -> RequestDecision:
        now = self._clock()
        if self._is_paused(pair.project):
            again = now + timedelta(seconds=self._timing.sweep_seconds)
            return RequestDecision(verdict=RequestVerdict.PAUSED, next_allowed_at=again, attempts=0)
        state = self._state_of(pair)
        # Read for repeated requests only: the first one is always sent.
        is_full = state is not None and self._is_fleet_full()
        decision = next_request(self._timing, state, now, jitter=self._jitter(), fleet_is_full=is_full)
        if decision.verdict is not RequestVerdict.SENT:
            return decision
        prepare()
        self._before_sending(pair)  # the worker that claims the pair expects its queues
        competing = self._store(pair, state, now, decision)
        if competing is not None:
            return refused(self._timing, competing, now, fleet_is_full=is_full)
        # A crash between the write above and the message below costs one window: then the sweep requests again.
        self._queues.send("unclaimed", WorkerRequest(pair=pair, job_id=job_id, requested_at=now))
        self._on_sent()
        return decision

    def clear(self, pair: Pair) -> None:
        """Forgets the requests of a pair: the next one is sent immediately."""
        self._client.delete_item(TableName=self._table, Key=to_values({"projectKey": pair.key}))

    def waiting(self) -> dict[str, datetime]:
        """The keys of the pairs that wait for a worker, with the times of their requests, read consistently.

        A pair that still waits repeats its request as soon as it may; requests not repeated by then are obsolete.
        """
        repeated_by = self._clock() - timedelta(seconds=2 * self._timing.sweep_seconds)
        pages = self._client.get_paginator("scan").paginate(
            TableName=self._table,
            ConsistentRead=True,
            FilterExpression="nextAllowedAt > :repeated_by",
            ExpressionAttributeValues=to_values({":repeated_by": milliseconds(repeated_by)}),
        )
        records = [from_item(item) for page in pages for item in page["Items"]]
        return {record["projectKey"]: _read(record).requested_at for record in records}

    def pending(self, limit: int) -> list[PendingRequest]:
        """The pairs that wait for a worker, longest first, for operators."""
        answer = self._client.scan(TableName=self._table, Limit=limit)
        found = [
            (str(item["projectKey"]), _read(item))
            for item in map(from_item, answer["Items"])
            if "nextAllowedAt" in item
        ]
        waiting = self._clock() - timedelta(seconds=2 * self._timing.sweep_seconds)
        requests = [
            PendingRequest(key, state.attempts, state.requested_at, state.next_allowed_at)
            for key, state in found
            if state.next_allowed_at > waiting
        ]
        return sorted(requests, key=lambda request: request.requested_at)

    def _state_of(self, pair: Pair) -> RequestState | None:
        answer = self._client.get_item(
            TableName=self._table, Key=to_values({"projectKey": pair.key}), ConsistentRead=True
        )
        return _read(from_item(answer["Item"])) if "Item" in answer else None

    def _store(
        self, pair: Pair, seen: RequestState | None, now: datetime, decision: RequestDecision
    ) -> RequestState | None:
        """Stores the request that is about to be sent; returns the state of a sender that was faster, if any."""
        values = {
            ":attempts": decision.attempts,
            ":seen": seen.attempts if seen else 0,
            ":now": milliseconds(now),
            ":next_allowed_at": milliseconds(decision.next_allowed_at),
            ":ttl": int((decision.next_allowed_at + KEPT_AFTER_WINDOW).timestamp()),
        }
        try:
            self._client.update_item(
                TableName=self._table,
                Key=to_values({"projectKey": pair.key}),
                UpdateExpression=(
                    "SET attempts = :attempts, requestedAt = :now, nextAllowedAt = :next_allowed_at, #ttl = :ttl"
                ),
                ConditionExpression=DUE,
                ExpressionAttributeNames={"#ttl": "ttl"},
                ExpressionAttributeValues=to_values(values),
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except self._client.exceptions.ConditionalCheckFailedException as error:
            return _read(condition_failed(error) or {})
        return None


def _read(record: dict[str, Any]) -> RequestState:
    return RequestState(
        attempts=record["attempts"],
        requested_at=from_milliseconds(record["requestedAt"]),
        next_allowed_at=from_milliseconds(record["nextAllowedAt"]),
    )
