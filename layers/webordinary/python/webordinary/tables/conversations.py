"""Conversations, for the operator's console: the only writer of the conversations table.

    <thread id>    summary                     the newest state of a conversation; in both indexes
    <thread id>    mail#<received>#<job id>    one mail, and our reply to it
    <thread id>    opened#<time>#<job id>      an operator opened the words of this mail, and who
    hours#<day>    <hour>                      counts of an hour: mails, replies, seconds to the reply, of work; dollars

Functions and the console write it, workers never. No step decides by it: a failed write is logged, and the mail is
processed as usual.

Promises:
- A mail counts once, and so does its reply, however often a step is retried.
- The text of a reply is stored before the reply is sent, so that a crash in between loses no text.
- Lists are read by index, newest first, a page at a time.
- Records expire with the jobs that they show.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.telemetry import count, logger
from webordinary.contract.names import Names
from webordinary.contract.sizes import cut
from webordinary.tables.conversation_records import (
    MAIL,
    ConversationMail,
    ConversationPage,
    ConversationSummary,
    HourCounts,
    NotedMail,
    Opening,
    ReplyFacts,
    as_time,
    read_mail,
    read_summary,
)
from webordinary.tables.items import from_item, to_values
from webordinary.tables.spending import MICRO

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

SUMMARY = "summary"
HOURS = "hours#"
OPENED = "opened#"
NEW = "attribute_not_exists(threadId)"
NOT_REPLIED = "attribute_exists(threadId) AND attribute_not_exists(repliedAt)"
NEWEST = "lastJob = :job"
KEPT = timedelta(days=90)
MAX_REPLY_BYTES = 30_000
MAX_SUBJECT_BYTES = 500


class Conversations:
    def __init__(self, client: DynamoDBClient, names: Names, clock: Clock = utc_now) -> None:
        self._client = client
        self._table = names.table("conversations")
        self._by_day = names.index("conversations_by_day")
        self._by_project = names.index("conversations_by_project")
        self._clock = clock

    def note_mail(self, mail: NotedMail) -> None:
        """Adds a mail to its conversation, once."""
        received = mail.received_at.astimezone(UTC)
        known = {"sender": mail.sender, "ttl": self._ttl()}
        subject = cut(mail.subject, MAX_SUBJECT_BYTES)
        entry = {"jobId": mail.job_id, "receivedAt": as_time(received), "subject": subject, "command": mail.command}
        summary = {
            "lastJob": mail.job_id,
            "lastMailAt": as_time(received),
            "day": received.date().isoformat(),
            "project": mail.pair.project,
            "projectKey": mail.pair.key,
        }
        with _BestEffort(mail.job_id):
            added = self._transact(
                self._change(mail.thread_id, mail.entry, {**entry, **known}, condition=NEW),
                self._change(
                    mail.thread_id,
                    SUMMARY,
                    {**summary, **known},
                    first={"subject": subject},
                    add={"mails": 1, "waiting": 1},
                ),
            )
            if added:
                self._count(received, mails=1)

    def store_reply(self, mail: NotedMail, text: str) -> None:
        """Stores the text of a reply that is about to be sent."""
        self.note_mail(mail)
        with _BestEffort(mail.job_id):
            stored = {"reply": cut(text, MAX_REPLY_BYTES), "ttl": self._ttl()}
            self._client.update_item(**self._change(mail.thread_id, mail.entry, stored)["Update"])

    def note_reply(self, mail: NotedMail, facts: ReplyFacts) -> None:
        """Notes, once, that the reply was sent. The conversation shows the result of its newest mail."""
        now, dollars = self._clock(), round(facts.dollars * MICRO)
        newest = self._change(
            mail.thread_id, SUMMARY, {"result": facts.result}, condition=NEWEST, values={":job": mail.job_id}
        )
        sent = {"repliedAt": as_time(now), "result": facts.result, "commit": facts.commit, "dollars": dollars}
        with _BestEffort(mail.job_id):
            self._transact(newest)
            noted = self._transact(
                self._change(mail.thread_id, mail.entry, sent, condition=NOT_REPLIED),
                self._change(mail.thread_id, SUMMARY, {}, add={"waiting": -1, "dollars": dollars}),
            )
            if noted:
                seconds = max(0, round((now - mail.received_at).total_seconds()))
                work = min(seconds, max(0, round(facts.work_seconds)))
                self._count(now, replies=1, replySeconds=seconds, workSeconds=work, dollars=dollars)

    def note_opening(self, thread_id: str, job_id: str, who: str) -> None:
        """Notes that an operator opened the words of a mail."""
        noted = {"jobId": job_id, "who": who, "ttl": self._ttl()}
        entry = f"{OPENED}{as_time(self._clock())}#{job_id}"
        self._client.update_item(**self._change(thread_id, entry, noted)["Update"])

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
        return read_summary(from_item(answer["Item"])) if "Item" in answer else None

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
        found = [read_mail(from_item(item)) for item in answer["Items"]]
        return [mail for mail in found if not before or mail.received_at < before]

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

    def forget(self, thread_id: str) -> None:
        """Deletes a conversation."""
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="threadId = :thread",
            ProjectionExpression="threadId, entry",
            ExpressionAttributeValues=to_values({":thread": thread_id}),
        )
        for page in pages:
            for item in page["Items"]:
                self._client.delete_item(TableName=self._table, Key=item)

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
        found = tuple(read_summary(from_item(item)) for item in answer["Items"])
        last = answer.get("LastEvaluatedKey")
        return ConversationPage(found, from_item(last) if last else None)

    def _count(self, at: datetime, **amounts: int) -> None:
        at = at.astimezone(UTC)
        change = self._change(f"{HOURS}{at.date()}", f"{at.hour:02}", {"ttl": self._ttl()}, add=amounts)
        self._client.update_item(**change["Update"])

    def _change(
        self,
        thread_id: str,
        entry: str,
        new: Mapping[str, Any],
        *,
        first: Mapping[str, Any] | None = None,  # only if the attribute is missing
        add: Mapping[str, int] | None = None,
        condition: str = "",
        values: Mapping[str, Any] | None = None,  # of the condition
    ) -> dict[str, Any]:
        first, add = first or {}, add or {}
        sets = [
            *(f"#{name} = :{name}" for name in new),
            *(f"#{name} = if_not_exists(#{name}, :{name})" for name in first),
        ]
        parts = [f"SET {', '.join(sets)}"] if sets else []
        parts += [f"ADD {', '.join(f'#{name} :{name}' for name in add)}"] if add else []
        written = {**new, **first, **add}
        update: dict[str, Any] = {
            "TableName": self._table,
            "Key": to_values({"threadId": thread_id, "entry": entry}),
            "UpdateExpression": " ".join(parts),
            "ExpressionAttributeNames": {f"#{name}": name for name in written},
            "ExpressionAttributeValues": to_values(
                {**{f":{name}": value for name, value in written.items()}, **(values or {})}
            ),
        }
        return {"Update": {**update, **({"ConditionExpression": condition} if condition else {})}}

    def _transact(self, *writes: dict[str, Any]) -> bool:
        """False if a condition did not hold: the write happened before."""
        transact: Any = self._client.transact_write_items  # its type stubs require literal shapes
        try:
            transact(TransactItems=list(writes))
        except self._client.exceptions.TransactionCanceledException as error:
            reasons = [reason.get("Code") for reason in error.response.get("CancellationReasons", [])]
            if "ConditionalCheckFailed" not in reasons:
                raise
            return False
        return True

    def _ttl(self) -> int:
        return int((self._clock() + KEPT).timestamp())


class _BestEffort:
    """Reports a failed write and continues: a mail is answered even if the console cannot show it."""

    def __init__(self, job_id: str) -> None:
        self._job_id = job_id

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, ClientError | BotoCoreError):
            return False
        count("Conversations.not_noted")
        logger().warning(
            "Could not note a mail for the console; it is answered as usual.",
            extra={"job_id": self._job_id, "cause": str(error)},
        )
        return True
