"""Counts and remembers, so that no sender floods the system and nobody is told the same refusal twice."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from webordinary.platform.clients import Clock, utc_now
from webordinary.platform.dynamodb_items import from_item, to_values
from webordinary.platform.names import Names

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

HOUR = timedelta(hours=1)
TOLD_AGAIN_AFTER = timedelta(days=30)

FIRST_OR_SAME_MAIL = "attribute_not_exists(id) OR mailId = :mail"


@dataclass(frozen=True)
class Guard:
    client: DynamoDBClient
    names: Names
    clock: Clock = utc_now

    def count_this_hour(self, kind: str, subject: str, mail_id: str) -> int:
        """How many different mails have come for this subject in the current hour, this one included."""
        hour = self.clock().strftime("%Y-%m-%dT%H")
        answer = self.client.update_item(
            TableName=self.names.table("idempotency"),
            Key=_key(kind, subject, hour),
            # A set, not a number: a mail that is parsed again after a crash does not count twice.
            UpdateExpression="ADD mails :mail SET #ttl = :ttl",
            ExpressionAttributeNames={"#ttl": "ttl"},
            ExpressionAttributeValues=to_values({":mail": {mail_id}, ":ttl": self._in(2 * HOUR)}),
            ReturnValues="ALL_NEW",
        )
        return len(from_item(answer["Attributes"])["mails"])

    def is_first_to_hear(self, kind: str, subject: str, mail_id: str) -> bool:
        """Whether this mail is the one whose sender is told; true again for the same mail, false for later ones."""
        try:
            self.client.update_item(
                TableName=self.names.table("idempotency"),
                Key=_key("told", kind, subject),
                UpdateExpression="SET mailId = :mail, #ttl = :ttl",
                ConditionExpression=FIRST_OR_SAME_MAIL,
                ExpressionAttributeNames={"#ttl": "ttl"},
                ExpressionAttributeValues=to_values({":mail": mail_id, ":ttl": self._in(TOLD_AGAIN_AFTER)}),
            )
        except self.client.exceptions.ConditionalCheckFailedException:
            return False
        return True

    def _in(self, distance: timedelta) -> int:
        return int((self.clock() + distance).timestamp())


def _key(*parts: str) -> dict[str, Any]:
    # Hashed, so that the table holds no address in clear.
    return to_values({"id": "guard#" + hashlib.sha256("#".join(parts).encode()).hexdigest()})
