"""Idempotency records, so that nothing is done twice: the only writer of the idempotency table.

Five kinds of records, with separate key prefixes; they expire (`ttl`) unless replaced:

| methods | purpose |
|---|---|
| `reserve`, `complete`, `cancel_reservation` | reserve an action or get its earlier result (reservations expire) |
| `count` | the number of different members of a key (the same member counts once) |
| `reserve_amount`, `settle_amount` | the sum of amounts under a key (one amount per member) |
| `is_first` | whether a member was the first of its key (true again for the same member) |
| `remember`, `recall`, `forget` | one value for the next run |
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from webordinary.aws.clients import Clock, utc_now
from webordinary.contract.errors import WebordinaryError
from webordinary.contract.names import Names
from webordinary.tables.items import condition_failed, from_item, milliseconds, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

FREE_OR_EXPIRED = "attribute_not_exists(id) OR (attribute_not_exists(#result) AND reservedUntil < :now)"
HELD = "attribute_not_exists(#result) AND reservedUntil >= :now"
FIRST_OR_SAME = "attribute_not_exists(id) OR firstOne = :this_one"
HAS_AMOUNT = "attribute_exists(#member)"


MEMBER_PREFIX = "used-"


class Amounts(NamedTuple):
    """Amounts under a key: of one member, and in total."""

    own: int
    total: int


class Purpose(StrEnum):
    REPLY = "reply"
    NOTE = "note"
    QUESTION = "question"
    NEWS = "news"
    MAILS = "mails"
    DELIVERED = "delivered"
    NOTIFIED = "told"
    SWEEP = "sweep"
    DOLLARS = "dollars"


class ReservedError(WebordinaryError):
    """Another attempt is in progress."""

    def __init__(self, purpose: Purpose) -> None:
        super().__init__(f"Another attempt holds the reservation ({purpose}). Retry after it has expired.")


class IdempotencyTable:
    def __init__(self, client: DynamoDBClient, names: Names, clock: Clock = utc_now) -> None:
        self._client = client
        self._table = names.table("idempotency")
        self._clock = clock

    def reserve(self, purpose: Purpose, subject: str, *, held_for: timedelta, kept_for: timedelta) -> str | None:
        """Reserves an action. Returns the result if it was done before; raises ReservedError while in progress."""
        now = self._clock()
        values = {
            ":now": milliseconds(now),
            ":until": milliseconds(now + held_for),
            ":ttl": self._expires_in(kept_for),
        }
        try:
            self._client.update_item(
                TableName=self._table,
                Key=_key(purpose, subject),
                UpdateExpression="SET reservedUntil = :until, #ttl = :ttl",
                ConditionExpression=FREE_OR_EXPIRED,
                ExpressionAttributeNames={"#ttl": "ttl", "#result": "result"},
                ExpressionAttributeValues=to_values(values),
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except self._client.exceptions.ConditionalCheckFailedException as error:
            done_before = (condition_failed(error) or {}).get("result")
            if done_before is None:
                raise ReservedError(purpose) from error
            return str(done_before)
        return None

    def complete(self, purpose: Purpose, subject: str, result: str) -> None:
        """Stores the result for later attempts."""
        self._client.update_item(
            TableName=self._table,
            Key=_key(purpose, subject),
            UpdateExpression="SET #result = :result",
            ExpressionAttributeNames={"#result": "result"},
            ExpressionAttributeValues=to_values({":result": result}),
        )

    def result_of(self, purpose: Purpose, subject: str) -> str | None:
        """The result of a completed action."""
        answer = self._client.get_item(TableName=self._table, Key=_key(purpose, subject), ConsistentRead=True)
        result: str | None = from_item(answer.get("Item") or {}).get("result")
        return result

    def cancel_reservation(self, purpose: Purpose, subject: str) -> None:
        """Ends a reservation without a result: the next attempt need not wait for its expiry."""
        with suppress(self._client.exceptions.ConditionalCheckFailedException):  # completed, expired or never reserved
            self._client.update_item(
                TableName=self._table,
                Key=_key(purpose, subject),
                UpdateExpression="SET reservedUntil = :long_ago",
                ConditionExpression=HELD,
                ExpressionAttributeNames={"#result": "result"},
                ExpressionAttributeValues=to_values({":long_ago": 0, ":now": milliseconds(self._clock())}),
            )

    def count(self, purpose: Purpose, *subject: str, member: str, kept_for: timedelta) -> int:
        """Adds a member to a key. Returns the number of different members."""
        answer = self._client.update_item(
            TableName=self._table,
            Key=_key(purpose, *subject),
            # A set, not a number: a repetition after a crash does not count twice.
            UpdateExpression="ADD members :member SET #ttl = :ttl",
            ExpressionAttributeNames={"#ttl": "ttl"},
            ExpressionAttributeValues=to_values({":member": {member}, ":ttl": self._expires_in(kept_for)}),
            ReturnValues="ALL_NEW",
        )
        return len(from_item(answer["Attributes"])["members"])

    def reserve_amount(self, purpose: Purpose, *subject: str, member: str, amount: int, kept_for: timedelta) -> Amounts:
        """Stores an amount for this member unless it has one. Returns the resulting amounts."""
        answer = self._client.update_item(
            TableName=self._table,
            Key=_key(purpose, *subject),
            UpdateExpression="SET #member = if_not_exists(#member, :amount), #ttl = :ttl",
            ExpressionAttributeNames={"#member": f"{MEMBER_PREFIX}{member}", "#ttl": "ttl"},
            ExpressionAttributeValues=to_values({":amount": amount, ":ttl": self._expires_in(kept_for)}),
            ReturnValues="ALL_NEW",
        )
        counted = {
            name: value for name, value in from_item(answer["Attributes"]).items() if name.startswith(MEMBER_PREFIX)
        }
        return Amounts(own=counted[f"{MEMBER_PREFIX}{member}"], total=sum(counted.values()))

    def settle_amount(self, purpose: Purpose, *subject: str, member: str, amount: int, kept_for: timedelta) -> bool:
        """Replaces the amount of this member. False if it has none: nothing was reserved for it here."""
        try:
            self._client.update_item(
                TableName=self._table,
                Key=_key(purpose, *subject),
                UpdateExpression="SET #member = :amount, #ttl = :ttl",
                ConditionExpression=HAS_AMOUNT,
                ExpressionAttributeNames={"#member": f"{MEMBER_PREFIX}{member}", "#ttl": "ttl"},
                ExpressionAttributeValues=to_values({":amount": amount, ":ttl": self._expires_in(kept_for)}),
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        return True

    def is_first(self, purpose: Purpose, *subject: str, this_one: str, kept_for: timedelta) -> bool:
        """Whether this is the first member of its key; true again for the same one."""
        try:
            self._client.update_item(
                TableName=self._table,
                Key=_key(purpose, *subject),
                UpdateExpression="SET firstOne = :this_one, #ttl = :ttl",
                ConditionExpression=FIRST_OR_SAME,
                ExpressionAttributeNames={"#ttl": "ttl"},
                ExpressionAttributeValues=to_values({":this_one": this_one, ":ttl": self._expires_in(kept_for)}),
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        return True

    def remember(self, purpose: Purpose, subject: str, value: str) -> None:
        self._client.put_item(TableName=self._table, Item={**_key(purpose, subject), **to_values({"value": value})})

    def recall(self, purpose: Purpose, subject: str) -> str | None:
        answer = self._client.get_item(TableName=self._table, Key=_key(purpose, subject), ConsistentRead=True)
        value: str | None = from_item(answer.get("Item") or {}).get("value")
        return value

    def forget(self, purpose: Purpose, subject: str) -> None:
        self._client.delete_item(TableName=self._table, Key=_key(purpose, subject))

    def _expires_in(self, duration: timedelta) -> int:
        return int((self._clock() + duration).timestamp())


def _key(purpose: Purpose, *subject: str) -> dict[str, Any]:
    # Hashed, so that the table holds no plain addresses.
    return to_values({"id": f"{purpose}#{hashlib.sha256('#'.join(subject).encode()).hexdigest()}"})
