"""Claim requests, rate-limited: asking for a worker must not flood the pool.

Per pair at most one request is sent per window. A won claim or a release clears the record. Requests that nobody
answers come at growing distances (exponential, with jitter); after too many of them the breaker opens: no request for
the longest distance, then one is let through to try again.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from webordinary.clients import Clock, utc_now
from webordinary.messages import ClaimDecision, ClaimRequest, ClaimVerdict, Pair
from webordinary.names import Names
from webordinary.queues import Queues
from webordinary.records import from_item, milliseconds, moment, to_values
from webordinary.settings import Timing

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# Two senders at once read the same number of attempts; only one of their writes finds it unchanged.
UNCHANGED = "attribute_not_exists(projectKey) OR attempts = :seen"

FORGOTTEN_AFTER = timedelta(days=1)


class ClaimRequests:
    def __init__(
        self,
        client: DynamoDBClient,
        queues: Queues,
        names: Names,
        timing: Timing,
        clock: Clock = utc_now,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._client = client
        self._queues = queues
        self._table = names.table("claim_requests")
        self._timing = timing
        self._clock = clock
        self._jitter = jitter

    def request(self, pair: Pair, job_id: str) -> ClaimDecision:
        """Sends a claim request unless one was sent within the window or the breaker is open."""
        now = self._clock()
        attempts, next_allowed_at = self._seen(pair)
        if next_allowed_at is not None and now < next_allowed_at:
            return ClaimDecision(
                verdict=self._waiting_verdict(attempts), next_allowed_at=next_allowed_at, attempts=attempts
            )
        next_allowed_at = now + self._distance(attempts + 1)
        if not self._note(pair, attempts, now, next_allowed_at):
            return ClaimDecision(
                verdict=ClaimVerdict.RATE_LIMITED, next_allowed_at=next_allowed_at, attempts=attempts + 1
            )
        # A crash between the note above and the message below costs one window: then the sweeper asks again.
        self._queues.send("unclaimed", ClaimRequest(pair=pair, job_id=job_id, requested_at=now))
        return ClaimDecision(verdict=ClaimVerdict.SENT, next_allowed_at=next_allowed_at, attempts=attempts + 1)

    def clear(self, pair: Pair) -> None:
        """A worker has taken the pair, or left it: the next request may go out at once."""
        self._client.delete_item(TableName=self._table, Key=to_values({"projectKey": pair.key}))

    def _waiting_verdict(self, attempts: int) -> ClaimVerdict:
        broken = attempts >= self._timing.claim_breaker_failures
        return ClaimVerdict.BREAKER_OPEN if broken else ClaimVerdict.RATE_LIMITED

    def _distance(self, attempts: int) -> timedelta:
        longest = self._timing.claim_backoff_max_seconds
        if attempts >= self._timing.claim_breaker_failures:
            return timedelta(seconds=longest)
        grown = self._timing.claim_window_seconds * 2 ** (attempts - 1)
        # The jitter only lengthens, so that the window stays a promise.
        return timedelta(seconds=min(longest, grown * (1 + 0.25 * self._jitter() * (attempts > 1))))

    def _seen(self, pair: Pair) -> tuple[int, datetime | None]:
        answer = self._client.get_item(
            TableName=self._table, Key=to_values({"projectKey": pair.key}), ConsistentRead=True
        )
        record = from_item(answer.get("Item") or {})
        next_allowed_at = record.get("nextAllowedAt")
        return record.get("attempts", 0), moment(next_allowed_at) if next_allowed_at is not None else None

    def _note(self, pair: Pair, seen: int, now: datetime, next_allowed_at: datetime) -> bool:
        try:
            self._client.update_item(
                TableName=self._table,
                Key=to_values({"projectKey": pair.key}),
                UpdateExpression=(
                    "SET attempts = :attempts, requestedAt = :now, nextAllowedAt = :next_allowed_at, #ttl = :ttl"
                ),
                ConditionExpression=UNCHANGED,
                ExpressionAttributeNames={"#ttl": "ttl"},
                ExpressionAttributeValues=to_values(
                    {
                        ":attempts": seen + 1,
                        ":seen": seen,
                        ":now": milliseconds(now),
                        ":next_allowed_at": milliseconds(next_allowed_at),
                        ":ttl": int((next_allowed_at + FORGOTTEN_AFTER).timestamp()),
                    }
                ),
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        return True
