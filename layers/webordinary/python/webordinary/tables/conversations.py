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
- Records expire with the jobs that they show.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.telemetry import count, logger
from webordinary.contract.names import Names
from webordinary.contract.sizes import cut
from webordinary.tables.conversation_records import NotedMail, ReplyFacts, as_time
from webordinary.tables.items import MICRO, to_values

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
