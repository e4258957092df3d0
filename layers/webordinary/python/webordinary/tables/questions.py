"""Questions to publishers: may this state of a thread go live?

    open ──── a yes to its own mail, before it expires ────▶ answered
      └────── any other accepted mail of its threads ──────▶ closed

One item per question in the threads table, changed by conditional writes only. A mail that is parsed twice finds its
own answer. The threads that a question was asked in and is about name it, so that their mails find it.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from webordinary.aws.clients import Clock, utc_now
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Approval
from webordinary.contract.names import Names
from webordinary.tables.items import condition_failed, from_item, from_milliseconds, milliseconds, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# A late yes gets a reply about the expiry.
KEPT_AFTER_EXPIRY = timedelta(days=90)
NEW = "attribute_not_exists(pk)"
OPEN = "#state = :open"
OPEN_OR_ANSWERED_BY_THIS_MAIL = "answeredBy = :mail OR (#state = :open AND #until >= :now)"


class QuestionState(StrEnum):
    OPEN = "open"
    ANSWERED = "answered"
    CLOSED = "closed"


class Question(NamedTuple):
    """A question to the user of a pair, about a commit of another thread."""

    question_id: str
    pair: Pair  # whose user may answer
    thread_id: str  # that it was asked in
    about: Approval
    until: datetime
    state: QuestionState = QuestionState.OPEN
    answered_by: str = ""  # the delivery of the mail with the yes
    subject: str | None = None  # of its mail; None in questions of an older version

    def is_open_for(self, mail: str, now: datetime) -> bool:
        """Whether a yes in this mail counts. It counts again when the mail is parsed again."""
        return self.answered_by == mail or (self.state is QuestionState.OPEN and now <= self.until)


class Questions:
    def __init__(self, client: DynamoDBClient, names: Names, clock: Clock = utc_now) -> None:
        self._client = client
        self._table = names.table("thread_mappings")
        self._clock = clock

    def ask(self, question: Question) -> Question:
        """Records a question, or returns the one that an earlier attempt recorded."""
        item = {
            "pk": _key(question.question_id),
            "projectKey": question.pair.key,
            "threadId": question.thread_id,
            "about": question.about.wire_text(),
            "until": milliseconds(question.until),
            "state": question.state.value,
            **({"subject": question.subject} if question.subject is not None else {}),
            "ttl": int((question.until + KEPT_AFTER_EXPIRY).timestamp()),
        }
        try:
            self._client.put_item(
                TableName=self._table,
                Item=to_values(item),
                ConditionExpression=NEW,
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except self._client.exceptions.ConditionalCheckFailedException as error:
            return _question_in(condition_failed(error) or item)
        return question

    def get(self, question_id: str) -> Question | None:
        answer = self._client.get_item(
            TableName=self._table, Key=to_values({"pk": _key(question_id)}), ConsistentRead=True
        )
        return _question_in(from_item(answer["Item"])) if "Item" in answer else None

    def answer(self, question_id: str, mail: str) -> bool:
        """Counts the yes of a mail. Returns False if the question is no longer open."""
        values = {":answered": QuestionState.ANSWERED.value, ":now": milliseconds(self._clock())}
        return self._change(
            question_id, mail, "SET #state = :answered, answeredBy = :mail", OPEN_OR_ANSWERED_BY_THIS_MAIL, values
        )

    def close(self, question_ids: Iterable[str], mail: str) -> None:
        """Closes those questions that are open: after this mail, they are about the past."""
        for question_id in sorted(question_ids):
            values = {":closed": QuestionState.CLOSED.value}
            self._change(question_id, mail, "SET #state = :closed, closedBy = :mail", OPEN, values)

    def _change(self, question_id: str, mail: str, update: str, condition: str, values: dict[str, Any]) -> bool:
        aliases = {"#state": "state"} | ({"#until": "until"} if "#until" in condition else {})
        with suppress(self._client.exceptions.ConditionalCheckFailedException):
            self._client.update_item(
                TableName=self._table,
                Key=to_values({"pk": _key(question_id)}),
                UpdateExpression=update,
                ConditionExpression=condition,
                ExpressionAttributeNames=aliases,
                ExpressionAttributeValues=to_values({":open": QuestionState.OPEN.value, ":mail": mail, **values}),
            )
            return True
        return False


def _key(question_id: str) -> str:
    return f"question#{question_id}"


def _question_in(item: dict[str, Any]) -> Question:
    return Question(
        question_id=str(item["pk"]).partition("#")[2],
        pair=Pair.from_key(item["projectKey"]),
        thread_id=item["threadId"],
        about=Approval.read(item["about"]),
        until=from_milliseconds(int(item["until"])),
        state=QuestionState(item["state"]),
        answered_by=item.get("answeredBy", ""),
        subject=item.get("subject"),
    )
