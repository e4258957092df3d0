"""Conversations as the console reads them: by index, newest first, a page at a time.

The functions that write them load `conversations` only, which keeps their cold starts short.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from webordinary.aws.clients import Clock, utc_now
from webordinary.contract.names import Names
from webordinary.tables.conversation_records import MAIL
from webordinary.tables.conversations import HOURS, OPENED, SUMMARY, Conversations
from webordinary.tables.items import MICRO, from_item, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True)
class ConversationMail:
    """A mail with its reply, as stored. `replied_at` is empty until the reply is sent."""

    job_id: str
    received_at: str
    sender: str
    subject: str
    command: str
    reply: str = ""
    replied_at: str = ""
    result: str = ""
    commit: str = ""
    dollars: float = 0.0


@dataclass(frozen=True)
class ConversationSummary:
    thread_id: str
    pair_key: str
    project: str
    subject: str
    sender: str
    last_mail_at: str
    last_job: str
    mails: int
    waiting: int
    result: str
    dollars: float

    @property
    def is_open(self) -> bool:
        return self.waiting > 0

    @property
    def user(self) -> str:
        return self.pair_key.partition("#")[2]


@dataclass(frozen=True)
class HourCounts:
    mails: int = 0
    replies: int = 0
    reply_seconds: int = 0  # from the mail to its reply
    work_seconds: int = 0  # of these, the work of a worker
    dollars: float = 0.0

    @property
    def waiting_seconds(self) -> float:
        """Of the average reply, the time without a worker."""
        return (self.reply_seconds - self.work_seconds) / self.replies if self.replies else 0.0


@dataclass(frozen=True)
class Opening:
    """An operator opened the words of a mail."""

    at: str
    job_id: str
    who: str


@dataclass(frozen=True)
class ConversationPage:
    """`next` continues the list; None at its end. DynamoDB may return a short page before the end."""

    found: tuple[ConversationSummary, ...]
    next: dict[str, Any] | None


class ConversationLists(Conversations):
    def __init__(self, client: DynamoDBClient, names: Names, clock: Clock = utc_now) -> None:
        super().__init__(client, names, clock)
        self._by_day = names.index("conversations_by_day")
        self._by_project = names.index("conversations_by_project")

    def of_day(self, day: date, limit: int, after: Mapping[str, Any] | None = None) -> ConversationPage:
        """Conversations whose last mail came on a day (UTC), newest first."""
        return self._list(self._by_day, "#key = :key", "day", day.isoformat(), limit, after)

    def of_project(self, project: str, limit: int, after: Mapping[str, Any] | None = None) -> ConversationPage:
        """Conversations of a project, newest first."""
        return self._list(self._by_project, "#key = :key", "project", project, limit, after)

    def summary(self, thread_id: str) -> ConversationSummary | None:
        answer = self._client.get_item(
            TableName=self._table, Key=to_values({"threadId": thread_id, "entry": SUMMARY}), ConsistentRead=True
        )
        return _read_summary(from_item(answer["Item"])) if "Item" in answer else None

    def mails(self, thread_id: str, limit: int, before: str = "") -> list[ConversationMail]:
        """The newest mails of a conversation, newest first; those before `before`, if given."""
        upper = f"{MAIL}{before}" if before else f"{MAIL}~"
        answer = self._client.query(
            TableName=self._table,
            ConsistentRead=True,
            KeyConditionExpression="threadId = :thread AND entry BETWEEN :lower AND :upper",
            ExpressionAttributeValues=to_values({":thread": thread_id, ":lower": MAIL, ":upper": upper}),
            ScanIndexForward=False,
            Limit=limit,
        )
        found = [_read_mail(from_item(item)) for item in answer["Items"]]
        return [mail for mail in found if not before or mail.received_at < before]

    def openings(self, thread_id: str, limit: int) -> list[Opening]:
        """Who opened words of a conversation, newest first."""
        answer = self._client.query(
            TableName=self._table,
            KeyConditionExpression="threadId = :thread AND begins_with(entry, :opened)",
            ExpressionAttributeValues=to_values({":thread": thread_id, ":opened": OPENED}),
            ScanIndexForward=False,
            Limit=limit,
        )
        items = [from_item(item) for item in answer["Items"]]
        return [Opening(str(item["entry"]).split("#")[1], str(item["jobId"]), str(item["who"])) for item in items]

    def hours(self, day: date) -> dict[int, HourCounts]:
        """The counts of each hour of a day (UTC)."""
        answer = self._client.query(
            TableName=self._table,
            KeyConditionExpression="threadId = :day",
            ExpressionAttributeValues=to_values({":day": f"{HOURS}{day.isoformat()}"}),
        )
        items = [from_item(item) for item in answer["Items"]]
        return {
            int(item["entry"]): HourCounts(
                int(item.get("mails", 0)),
                int(item.get("replies", 0)),
                int(item.get("replySeconds", 0)),
                int(item.get("workSeconds", 0)),
                int(item.get("dollars", 0)) / MICRO,
            )
            for item in items
        }

    def _list(
        self, index: str, condition: str, key: str, value: str, limit: int, after: Mapping[str, Any] | None
    ) -> ConversationPage:
        start: Any = {"ExclusiveStartKey": to_values(after)} if after else {}
        answer = self._client.query(
            TableName=self._table,
            IndexName=index,
            KeyConditionExpression=condition,
            ExpressionAttributeNames={"#key": key},
            ExpressionAttributeValues=to_values({":key": value}),
            ScanIndexForward=False,
            Limit=limit,
            **start,
        )
        found = tuple(_read_summary(from_item(item)) for item in answer["Items"])
        last = answer.get("LastEvaluatedKey")
        return ConversationPage(found, from_item(last) if last else None)


def _read_summary(item: dict[str, Any]) -> ConversationSummary:
    return ConversationSummary(
        thread_id=str(item["threadId"]),
        pair_key=str(item.get("projectKey", "")),
        project=str(item.get("project", "")),
        subject=str(item.get("subject", "")),
        sender=str(item.get("sender", "")),
        last_mail_at=str(item.get("lastMailAt", "")),
        last_job=str(item.get("lastJob", "")),
        mails=int(item.get("mails", 0)),
        waiting=int(item.get("waiting", 0)),
        result=str(item.get("result", "")),
        dollars=int(item.get("dollars", 0)) / MICRO,
    )


def _read_mail(item: dict[str, Any]) -> ConversationMail:
    return ConversationMail(
        job_id=str(item.get("jobId", "")),
        received_at=str(item.get("receivedAt", "")),
        sender=str(item.get("sender", "")),
        subject=str(item.get("subject", "")),
        command=str(item.get("command", "")),
        reply=str(item.get("reply", "")),
        replied_at=str(item.get("repliedAt", "")),
        result=str(item.get("result", "")),
        commit=str(item.get("commit", "")),
        dollars=int(item.get("dollars", 0)) / MICRO,
    )
