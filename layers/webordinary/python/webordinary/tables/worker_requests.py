"""Worker requests, rate-limited: asking for a worker must not flood the pool.

    sent ──window──▶ sent ──2 windows──▶ sent … ──▶ breaker open ──longest distance──▶ sent (half-open) ─┐
      ▲                                                  ▲                                               │
      └── a won claim or a release clears it             └────────────── nobody came again ──────────────┘

Promises:
- Per pair at most one request is sent per window, by however many senders at once.
- Requests that nobody answers come at growing distances (exponential, with jitter).
- The breaker opens when the last of `claim_breaker_failures` requests has had a whole window without a worker, not
  before. Then nothing is sent for the longest distance; after it one request goes through to try again, by itself.
- A won claim or a release clears all of it: the next request goes out at once.
- For a project that is paused nothing is sent, and nothing counts as a failure.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.queues import Queues
from webordinary.aws.telemetry import count, milestone
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.ownership import RequestDecision, RequestVerdict, WorkerRequest
from webordinary.contract.names import Names
from webordinary.contract.settings import Timing
from webordinary.tables.items import condition_failed, from_item, from_milliseconds, milliseconds, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# Two senders at once read the same number of attempts; only one of their writes finds it unchanged. The number alone
# is not enough: it may be the same again after a clear and a new request, whose window has just begun.
DUE = "attribute_not_exists(projectKey) OR (attempts = :seen AND nextAllowedAt <= :now)"

JITTER = 0.25  # of the distance; it only lengthens, so that the window stays a promise
FORGOTTEN_AFTER = timedelta(days=1)


@dataclass(frozen=True)
class _Noted:
    """The requests that were sent for a pair since its last worker."""

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
    ) -> None:
        self._client = client
        self._queues = queues
        self._table = names.table("worker_requests")
        self._timing = timing
        self._clock = clock
        self._jitter = jitter
        self._on_sent = on_sent
        self._is_paused = is_paused
        self._before_sending = before_sending

    def request(self, pair: Pair, job_id: str) -> RequestDecision:
        """Sends a worker request unless one was sent within the window or the breaker is open."""
        decision = self._decide(pair, job_id)
        count(f"Claims.{decision.verdict.value}")
        milestone("claim_requested", job_id=job_id, pair=pair.key, verdict=decision.verdict.value)
        return decision

    def _decide(self, pair: Pair, job_id: str) -> RequestDecision:
        now = self._clock()
        if self._is_paused(pair.project):
            again = now + timedelta(seconds=self._timing.sweep_seconds)
            return RequestDecision(verdict=RequestVerdict.PAUSED, next_allowed_at=again, attempts=0)
        noted = self._noted(pair)
        if noted is not None and now < noted.next_allowed_at:
            return self._not_now(noted, now)
        self._before_sending(pair)  # whoever takes the pair finds its queues
        attempts = noted.attempts + 1 if noted else 1
        next_allowed_at = now + self._distance(attempts)
        rival = self._note(pair, attempts, now, next_allowed_at)
        if rival is not None:
            return self._not_now(rival, now)
        # A crash between the note above and the message below costs one window: then the sweeper asks again.
        self._queues.send("unclaimed", WorkerRequest(pair=pair, job_id=job_id, requested_at=now))
        self._on_sent()
        return RequestDecision(verdict=RequestVerdict.SENT, next_allowed_at=next_allowed_at, attempts=attempts)

    def clear(self, pair: Pair) -> None:
        """A worker has taken the pair, or left it: the next request may go out at once."""
        self._client.delete_item(TableName=self._table, Key=to_values({"projectKey": pair.key}))

    def waiting(self) -> set[str]:
        """The keys of the pairs that a worker was asked for and that none has taken since, read consistently.

        Whoever still waits asks again as soon as it may; a request that was not repeated then is nobody's any more.
        """
        repeated_by = self._clock() - timedelta(seconds=2 * self._timing.sweep_seconds)
        pages = self._client.get_paginator("scan").paginate(
            TableName=self._table,
            ConsistentRead=True,
            FilterExpression="nextAllowedAt > :repeated_by",
            ExpressionAttributeValues=to_values({":repeated_by": milliseconds(repeated_by)}),
        )
        return {item["projectKey"]["S"] for page in pages for item in page["Items"]}

    def _not_now(self, noted: _Noted, now: datetime) -> RequestDecision:
        window_over = now >= noted.requested_at + timedelta(seconds=self._timing.claim_window_seconds)
        broken = noted.attempts >= self._timing.claim_breaker_failures and window_over
        return RequestDecision(
            verdict=RequestVerdict.BREAKER_OPEN if broken else RequestVerdict.RATE_LIMITED,
            next_allowed_at=noted.next_allowed_at,
            attempts=noted.attempts,
        )

    def _distance(self, attempts: int) -> timedelta:
        """How long after its n-th request a pair must wait for the next."""
        longest = self._timing.claim_backoff_max_seconds
        if attempts >= self._timing.claim_breaker_failures:
            return timedelta(seconds=longest)
        grown = self._timing.claim_window_seconds * 2 ** (attempts - 1)
        jitter = JITTER * self._jitter() if attempts > 1 else 0.0
        return timedelta(seconds=min(longest, grown * (1 + jitter)))

    def _noted(self, pair: Pair) -> _Noted | None:
        answer = self._client.get_item(
            TableName=self._table, Key=to_values({"projectKey": pair.key}), ConsistentRead=True
        )
        return _read(from_item(answer["Item"])) if "Item" in answer else None

    def _note(self, pair: Pair, attempts: int, now: datetime, next_allowed_at: datetime) -> _Noted | None:
        """Notes the request that is about to be sent; or returns that of a rival who came first."""
        values = {
            ":attempts": attempts,
            ":seen": attempts - 1,
            ":now": milliseconds(now),
            ":next_allowed_at": milliseconds(next_allowed_at),
            ":ttl": int((next_allowed_at + FORGOTTEN_AFTER).timestamp()),
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


def _read(record: dict[str, Any]) -> _Noted:
    return _Noted(
        attempts=record["attempts"],
        requested_at=from_milliseconds(record["requestedAt"]),
        next_allowed_at=from_milliseconds(record["nextAllowedAt"]),
    )
