"""What was done already, so that nothing is done twice: the only writer of the idempotency table.

Five kinds of memory, each under keys of its own purpose, each forgotten by itself (`ttl`) unless it is replaced:

| kind | what it answers |
|---|---|
| `reserve`, `complete`, `cancel_reservation` | may I do this now, or has somebody done it? (it lapses if its holder dies) |
| `count` | how many different things happened under this key? (the same thing twice counts once) |
| `reserve_amount`, `settle_amount` | how much was used under this key? (each thing's amount counts once) |
| `is_first` | is this the one that came first? (true again for the same one) |
| `remember`, `recall`, `forget` | one value that the next run goes on from |
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from webordinary.aws.clients import Clock, utc_now
from webordinary.contract.errors import WebordinaryError
from webordinary.contract.names import Names
from webordinary.tables.items import condition_failed, from_item, milliseconds, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

FREE_OR_LAPSED = "attribute_not_exists(id) OR (attribute_not_exists(#result) AND reservedUntil < :now)"
HELD = "attribute_not_exists(#result) AND reservedUntil >= :now"
FIRST_OR_THE_SAME = "attribute_not_exists(id) OR firstOne = :this_one"


OF_MEMBER = "used-"


@dataclass(frozen=True)
class Amounts:
    """What counts under a key: for one member, and for all."""

    own: int
    total: int


class Purpose(StrEnum):
    REPLY = "reply"
    NOTE = "note"
    QUESTION = "question"
    NEWS = "news"
    MAILS = "mails"
    DELIVERED = "delivered"
    TOLD = "told"
    SWEEP = "sweep"
    DOLLARS = "dollars"


class ReservedError(WebordinaryError):
    """Another attempt is doing this right now."""

    def __init__(self, purpose: Purpose) -> None:
        super().__init__(f"Another attempt holds the reservation ({purpose}). Try again after it has lapsed.")


class IdempotencyTable:
    def __init__(self, client: DynamoDBClient, names: Names, clock: Clock = utc_now) -> None:
        self._client = client
        self._table = names.table("idempotency")
        self._clock = clock

    def reserve(self, purpose: Purpose, subject: str, *, held_for: timedelta, kept_for: timedelta) -> str | None:
        """Takes the right to act. What came of it if it was done before; raises ReservedError while somebody acts."""
        now = self._clock()
        values = {
            ":now": milliseconds(now),
            ":until": milliseconds(now + held_for),
            ":ttl": self._in(kept_for),
        }
        try:
            self._client.update_item(
                TableName=self._table,
                Key=_key(purpose, subject),
                UpdateExpression="SET reservedUntil = :until, #ttl = :ttl",
                ConditionExpression=FREE_OR_LAPSED,
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
        """It is done: later attempts are told the result."""
        self._client.update_item(
            TableName=self._table,
            Key=_key(purpose, subject),
            UpdateExpression="SET #result = :result",
            ExpressionAttributeNames={"#result": "result"},
            ExpressionAttributeValues=to_values({":result": result}),
        )

    def result_of(self, purpose: Purpose, subject: str) -> str | None:
        """What came of it, if it is done."""
        answer = self._client.get_item(TableName=self._table, Key=_key(purpose, subject), ConsistentRead=True)
        result: str | None = from_item(answer.get("Item") or {}).get("result")
        return result

    def cancel_reservation(self, purpose: Purpose, subject: str) -> None:
        """It was not done after all: the next attempt need not wait until the reservation lapses."""
        with suppress(self._client.exceptions.ConditionalCheckFailedException):  # done, or lapsed, or never reserved
            self._client.update_item(
                TableName=self._table,
                Key=_key(purpose, subject),
                UpdateExpression="SET reservedUntil = :long_ago",
                ConditionExpression=HELD,
                ExpressionAttributeNames={"#result": "result"},
                ExpressionAttributeValues=to_values({":long_ago": 0, ":now": milliseconds(self._clock())}),
            )

    def count(self, purpose: Purpose, *subject: str, member: str, kept_for: timedelta) -> int:
        """How many different members have come under this key, this one included."""
        answer = self._client.update_item(
            TableName=self._table,
            Key=_key(purpose, *subject),
            # A set, not a number: what is done again after a crash does not count twice.
            UpdateExpression="ADD members :member SET #ttl = :ttl",
            ExpressionAttributeNames={"#ttl": "ttl"},
            ExpressionAttributeValues=to_values({":member": {member}, ":ttl": self._in(kept_for)}),
            ReturnValues="ALL_NEW",
        )
        return len(from_item(answer["Attributes"])["members"])

    def reserve_amount(self, purpose: Purpose, *subject: str, member: str, amount: int, kept_for: timedelta) -> Amounts:
        """Counts an amount for this member unless one counts already. What counts then, for it and for all."""
        return self._amount("SET #member = if_not_exists(#member, :amount)", purpose, subject, member, amount, kept_for)

    def settle_amount(self, purpose: Purpose, *subject: str, member: str, amount: int, kept_for: timedelta) -> Amounts:
        """Replaces the amount of this member."""
        return self._amount("SET #member = :amount", purpose, subject, member, amount, kept_for)

    def _amount(
        self,
        expression: str,
        purpose: Purpose,
        subject: tuple[str, ...],
        member: str,
        amount: int,
        kept_for: timedelta,
    ) -> Amounts:
        answer = self._client.update_item(
            TableName=self._table,
            Key=_key(purpose, *subject),
            UpdateExpression=f"{expression}, #ttl = :ttl",
            ExpressionAttributeNames={"#member": f"{OF_MEMBER}{member}", "#ttl": "ttl"},
            ExpressionAttributeValues=to_values({":amount": amount, ":ttl": self._in(kept_for)}),
            ReturnValues="ALL_NEW",
        )
        counted = {name: value for name, value in from_item(answer["Attributes"]).items() if name.startswith(OF_MEMBER)}
        return Amounts(own=counted[f"{OF_MEMBER}{member}"], total=sum(counted.values()))

    def is_first(self, purpose: Purpose, *subject: str, this_one: str, kept_for: timedelta) -> bool:
        """Whether this is the first one under its key; true again for the same one, false for later ones."""
        try:
            self._client.update_item(
                TableName=self._table,
                Key=_key(purpose, *subject),
                UpdateExpression="SET firstOne = :this_one, #ttl = :ttl",
                ConditionExpression=FIRST_OR_THE_SAME,
                ExpressionAttributeNames={"#ttl": "ttl"},
                ExpressionAttributeValues=to_values({":this_one": this_one, ":ttl": self._in(kept_for)}),
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

    def _in(self, distance: timedelta) -> int:
        return int((self._clock() + distance).timestamp())


def _key(purpose: Purpose, *subject: str) -> dict[str, Any]:
    # Hashed, so that the table holds no address in clear.
    return to_values({"id": f"{purpose}#{hashlib.sha256('#'.join(subject).encode()).hexdigest()}"})
