"""Ownership of pairs: leases with fences.

Promises, as long as clocks differ by less than `clock_margin`:
- At most one worker may act for a pair at any time: its owner, until `lease_expires_at` by its own clock.
- An owner that stops renewing can be replaced `lease + clock_margin` after it sent its last renewal.

Independently of clocks:
- A claim returns a fence greater than every fence returned for that pair before.
- A write that arrives late or twice (a retry, a slow network) never shortens a lease that was granted since.
- Only the owner's fence can renew or release.
- A lease that ends later than any lease of ours counts as lapsed: a worker may write its own pair's record, so a
  compromised one can keep the pair only as long as it keeps writing.

A claim is one write and no read, won or lost. The record outlives its owner, so that fences keep growing. Its `ttl`
only removes records years later; no decision depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.telemetry import count, logger
from webordinary.contract.errors import InvalidMessageError, PairLostError, WebordinaryError
from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary.contract.settings import Timing
from webordinary.tables.items import MICRO, condition_failed, from_item, from_milliseconds, milliseconds, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# now ──────────────── leaseExpiresAt ── margin ──▶ takeover allowed
# The margin covers clock differences: the owner stops at leaseExpiresAt by its own clock, another worker starts only
# after the margin by its clock.
FREE = "attribute_not_exists(containerId)"
EXPIRED = "NOT (leaseExpiresAt BETWEEN :now_minus_margin AND :longest)"
# The owner relies on the latest expiry it was granted, so its own delayed requests must not set an earlier one.
NOT_EARLIER = "leaseExpiresAt <= :lease_end"
CLAIMABLE = f"{FREE} OR {EXPIRED} OR (containerId = :me AND {NOT_EARLIER})"
STILL_MINE = "containerId = :me AND fence = :fence"
RENEWABLE = f"{STILL_MINE} AND {NOT_EARLIER}"
# A worker writes it: a larger amount is not its honest figure. No budget of a job comes near it.
MAX_RUNNING_DOLLARS = 1000
# A release removes leaseExpiresAt, so only owners that died or stall are found.
RECENTLY_LAPSED = "leaseExpiresAt BETWEEN :earliest AND :now_minus_margin"

# Much longer than a lease, so that versions with other settings agree.
LONGEST_LEASES = 10

# Deleting a record restarts its fence at 1, below the fences in a site's release records. Records cost next to nothing,
# so they are kept for years.
KEPT_AFTER_LAST_USE = timedelta(days=3650)
TIMES_OF_USE = ("claimedAt", "lastActivity", "releasedAt")


@dataclass(frozen=True)
class RunningCost:
    """What a job has cost so far, by its worker's own count. Only shown to operators: budgets use the outcome."""

    job_id: str
    dollars: float


@dataclass(frozen=True)
class Ownership:
    """The owner of a pair. `container_id` is None if it has none."""

    pair: Pair
    container_id: str | None
    fence: int
    lease_expires_at: datetime | None
    endpoint: str | None = None
    last_activity: datetime | None = field(default=None, compare=False)  # when its worker last did something
    running_cost: RunningCost | None = field(default=None, compare=False)  # as its worker reports it

    def is_live(self, now: datetime, clock_margin: timedelta) -> bool:
        """Whether other workers must not claim the pair: true until the lease and the margin have passed."""
        if self.container_id is None or self.lease_expires_at is None:
            return False
        return milliseconds(now - clock_margin) <= milliseconds(self.lease_expires_at)

    def dollars_so_far(self, job_id: str, fence: int | None) -> float | None:
        """The cost of a running job by its worker's own count. None if this owner has reported no cost of this job."""
        if self.container_id is None or self.fence != fence or self.running_cost is None:
            return None
        return self.running_cost.dollars if self.running_cost.job_id == job_id else None


class PairOwnedError(WebordinaryError):
    """The claim failed: another worker owns the pair."""

    def __init__(self, ownership: Ownership) -> None:
        super().__init__(f"{ownership.pair} is owned by {ownership.container_id} (fence {ownership.fence}).")
        self.ownership = ownership


class OwnershipLostError(PairLostError):
    """A renewal or release came too late: the worker no longer owns the pair."""

    def __init__(self, pair: Pair, fence: int) -> None:
        super().__init__(f"Lost the ownership of {pair} with fence {fence}; this worker must publish nothing more.")


class _RefusedError(Exception):
    """Carries the record that failed the condition to the calling method."""

    def __init__(self, found: Ownership) -> None:
        super().__init__("the condition did not hold")
        self.found = found


class OwnershipTable:
    """The ownership protocol. Every decision is one conditional write."""

    def __init__(self, client: DynamoDBClient, names: Names, timing: Timing, clock: Clock = utc_now) -> None:
        self._client = client
        self._table = names.table("ownership")
        self._owned = names.index("by_container")
        self._lease = timedelta(seconds=timing.lease_seconds)
        self.clock_margin = timedelta(seconds=timing.clock_margin_seconds)
        self._clock = clock

    def claim(self, pair: Pair, container_id: str, endpoint: str | None = None) -> Ownership:
        """Makes the worker the owner of the pair, or raises PairOwnedError."""
        now = self._clock()
        values = {
            ":me": container_id,
            ":endpoint": endpoint,
            ":active": "active",
            ":now": milliseconds(now),
            ":now_minus_margin": milliseconds(now - self.clock_margin),
            ":longest": milliseconds(now + LONGEST_LEASES * self._lease),
            ":one": 1,
            **self._expiry(now),
        }
        try:
            answer = self._client.update_item(
                TableName=self._table,
                Key=self._key(pair),
                UpdateExpression=(
                    # The last two owners are kept: their reports may arrive after their release.
                    "SET previousOwner = if_not_exists(lastOwner, :me), lastOwner = :me, "
                    "containerId = :me, endpoint = :endpoint, #status = :active, "
                    "claimedAt = :now, lastActivity = :now, leaseExpiresAt = :lease_end, #ttl = :ttl "
                    "REMOVE runningCost ADD fence :one"
                ),
                ConditionExpression=CLAIMABLE,
                ExpressionAttributeNames={"#status": "status", "#ttl": "ttl"},
                ExpressionAttributeValues=to_values(values),
                ReturnValues="ALL_NEW",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except self._client.exceptions.ConditionalCheckFailedException as error:
            raise PairOwnedError(self._read(pair, condition_failed(error) or {})) from error
        return self._read(pair, from_item(answer["Attributes"]))

    def renew(self, ownership: Ownership, *, active: bool = False, cost: RunningCost | None = None) -> Ownership:
        """Extends the lease, or raises OwnershipLostError. The same call stores `cost`, that of the running job."""
        now = self._clock()
        expression = "SET leaseExpiresAt = :lease_end, #ttl = :ttl"
        values: dict[str, Any] = {":me": ownership.container_id, ":fence": ownership.fence, **self._expiry(now)}
        if active:
            expression += ", lastActivity = :now"
            values[":now"] = milliseconds(now)
        if cost is not None:
            expression += ", runningCost = :cost"
            values[":cost"] = {"jobId": cost.job_id, "micro": round(cost.dollars * MICRO)}
        try:
            return self._write(ownership, expression, RENEWABLE, {"#ttl": "ttl"}, values)
        except _RefusedError as refused:
            if refused.found.container_id == ownership.container_id and refused.found.fence == ownership.fence:
                return refused.found  # a later renewal arrived before this one
            raise OwnershipLostError(ownership.pair, ownership.fence) from refused

    def release_lease(self, ownership: Ownership) -> None:
        """Gives up the pair. Check for waiting jobs afterwards, never before: a mail may arrive in between."""
        values = {
            ":me": ownership.container_id,
            ":fence": ownership.fence,
            ":released": "released",
            ":now": milliseconds(self._clock()),
        }
        expression = "SET #status = :released, releasedAt = :now REMOVE containerId, leaseExpiresAt, endpoint"
        try:
            self._write(ownership, expression, STILL_MINE, {"#status": "status"}, values)
        except _RefusedError as refused:
            if refused.found.container_id is None and refused.found.fence == ownership.fence:
                return  # released already: a retry after a lost response
            raise OwnershipLostError(ownership.pair, ownership.fence) from refused

    def inspect(self, pair: Pair) -> Ownership:
        """The ownership of a pair, read consistently. A pair that was never claimed has fence 0."""
        answer = self._client.get_item(TableName=self._table, Key=self._key(pair), ConsistentRead=True)
        return self._read(pair, from_item(answer.get("Item") or {}))

    def of_pairs(self, pairs: Sequence[Pair]) -> dict[str, Ownership]:
        """The ownerships of up to 100 pairs, by key, for operators."""
        if not pairs:
            return {}
        wanted: Any = {self._table: {"Keys": [self._key(pair) for pair in dict.fromkeys(pairs)]}}
        items = self._client.batch_get_item(RequestItems=wanted)["Responses"].get(self._table, [])
        records = [from_item(item) for item in items]
        return {record["projectKey"]: self._read(Pair.from_key(record["projectKey"]), record) for record in records}

    def last_use(self, pair: Pair) -> datetime | None:
        """When the pair was last claimed, active or released; None if never."""
        answer = self._client.get_item(TableName=self._table, Key=self._key(pair), ConsistentRead=True)
        record = from_item(answer.get("Item") or {})
        now = milliseconds(self._clock() + self.clock_margin)
        used = [min(used, now) for name in TIMES_OF_USE if (used := _number(record, name)) is not None]
        return from_milliseconds(max(used)) if used else None

    def recent_owners(self, pair: Pair) -> dict[int, str]:
        """The workers that got the newest and the previous fence, by fence; even after their release.

        Only a claim writes their names: the policy of a pair's workers excludes these attributes.
        """
        answer = self._client.get_item(TableName=self._table, Key=self._key(pair), ConsistentRead=True)
        record = from_item(answer.get("Item") or {})
        fence = _number(record, "fence") or 0
        owners = {fence: record.get("lastOwner"), fence - 1: record.get("previousOwner")}
        return {number: owner for number, owner in owners.items() if number > 0 and isinstance(owner, str)}

    def is_owned(self, pair: Pair) -> bool:
        return self.inspect(pair).is_live(self._clock(), self.clock_margin)

    def all(self) -> Iterator[Ownership]:
        """All pairs with an owner, live or lapsed, for operators."""
        pages = self._client.get_paginator("scan").paginate(
            TableName=self._table, ConsistentRead=True, FilterExpression="attribute_exists(containerId)"
        )
        for page in pages:
            for item in page["Items"]:
                record = from_item(item)
                yield self._read(Pair.from_key(record["projectKey"]), record)

    def lapsed(self, within: timedelta) -> Iterator[Ownership]:
        """Unclaimed ownerships whose lease and margin ended within this time.

        Reads the index, which has only pairs with an owner, and lags.
        """
        latest = self._clock() - self.clock_margin
        values = {":earliest": milliseconds(latest - within), ":now_minus_margin": milliseconds(latest)}
        pages = self._client.get_paginator("scan").paginate(
            TableName=self._table,
            IndexName=self._owned,
            FilterExpression=RECENTLY_LAPSED,
            ExpressionAttributeValues=to_values(values),
        )
        for page in pages:
            for item in page["Items"]:
                record = from_item(item)
                try:
                    yield self._read(Pair.from_key(record["projectKey"]), record)
                except InvalidMessageError as error:  # created before its id was reserved
                    logger().error(str(error))
                    count("UnreadableOwnerships")

    def _write(
        self, ownership: Ownership, expression: str, condition: str, names: dict[str, str], values: dict[str, Any]
    ) -> Ownership:
        try:
            answer = self._client.update_item(
                TableName=self._table,
                Key=self._key(ownership.pair),
                UpdateExpression=expression,
                ConditionExpression=condition,
                ExpressionAttributeNames=names,
                ExpressionAttributeValues=to_values(values),
                ReturnValues="ALL_NEW",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except self._client.exceptions.ConditionalCheckFailedException as error:
            raise _RefusedError(self._read(ownership.pair, condition_failed(error) or {})) from error
        return self._read(ownership.pair, from_item(answer["Attributes"]))

    def _expiry(self, now: datetime) -> dict[str, int]:
        return {
            ":lease_end": milliseconds(now + self._lease),
            ":ttl": int((now + KEPT_AFTER_LAST_USE).timestamp()),
        }

    def _key(self, pair: Pair) -> dict[str, Any]:
        return to_values({"projectKey": pair.key})

    def _read(self, pair: Pair, record: dict[str, Any]) -> Ownership:
        owner = record.get("containerId")
        return Ownership(
            pair=pair,
            container_id=owner if isinstance(owner, str) else None,
            fence=_number(record, "fence") or 0,
            lease_expires_at=self._lease_end(record),
            endpoint=record.get("endpoint"),
            last_activity=self._last_activity(record),
            running_cost=_running_cost(record),
        )

    def _last_activity(self, record: dict[str, Any]) -> datetime | None:
        """None for a time in the future: a worker writes it."""
        active = _number(record, "lastActivity")
        if active is None or not 0 <= active <= milliseconds(self._clock() + self.clock_margin):
            return None
        return from_milliseconds(active)

    def _lease_end(self, record: dict[str, Any]) -> datetime | None:
        """None for a lease that no version of ours grants."""
        expires = _number(record, "leaseExpiresAt")
        if expires is None or not 0 <= expires <= milliseconds(self._clock() + LONGEST_LEASES * self._lease):
            return None
        return from_milliseconds(expires)


def _running_cost(record: dict[str, Any]) -> RunningCost | None:
    """None for a value that no worker of ours writes."""
    stored = record.get("runningCost")
    if not isinstance(stored, dict):
        return None
    job_id, micro = stored.get("jobId"), _number(stored, "micro")
    if not isinstance(job_id, str) or micro is None or not 0 <= micro <= MAX_RUNNING_DOLLARS * MICRO:
        return None
    return RunningCost(job_id, micro / MICRO)


def _number(record: dict[str, Any], name: str) -> int | None:
    value = record.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
