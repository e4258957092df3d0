"""Threads: which conversation a mail belongs to.

A thread's id is random, so nobody outside can guess it; the table remembers which Message-IDs belong to it. A mail that
is parsed twice finds the thread that it made the first time.

A Message-ID is the sender's own word, so it means something within a pair only: keys carry the pair, and a thread is
given to those who may edit its pair and to nobody else. Who writes the Message-ID of another project's mail, before or
after its owner, finds a thread of their own.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from webordinary.aws.clients import Clock, utc_now
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Approval
from webordinary.contract.names import Names
from webordinary.contract.thread_tokens import new_thread_id
from webordinary.tables.items import from_item, milliseconds, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ANSWER = "answer-"  # and the job's id: the name under which what we said is noted
KEPT_AFTER_LAST_MAIL = timedelta(days=400)
NOT_YET_KNOWN = "attribute_not_exists(pk)"
HAS_FINGERPRINTS = "attribute_exists(said)"
# An item may have 400 KB; an ordinary mail has 1 KB of fingerprints, the longest 12 KB.
MOST_SAID_BYTES = 200_000


@dataclass(frozen=True)
class MailFingerprints:
    """Fingerprints of one mail of a thread, under the name of that mail."""

    name: str
    by_us: bool
    words: bytes
    at: int  # epoch milliseconds


@dataclass(frozen=True)
class Question:
    """What a publisher is asked in a thread, and until when."""

    about: Approval
    until: datetime


@dataclass(frozen=True)
class Thread:
    thread_id: str
    pair: Pair
    said: tuple[MailFingerprints, ...] = ()
    question: Question | None = None

    def fingerprints_before(self, name: str) -> tuple[MailFingerprints, ...]:
        """What was said besides the mail of this name: one that is read again must not be taken for its own quote."""
        return tuple(said for said in self.said if said.name != name)


class Threads:
    def __init__(
        self,
        client: DynamoDBClient,
        names: Names,
        clock: Clock = utc_now,
        random_bytes: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._client = client
        self._table = names.table("thread_mappings")
        self._clock = clock
        self._random_bytes = random_bytes

    def get(self, thread_id: str, pairs: Sequence[Pair]) -> Thread | None:
        """The thread, if it belongs to one of these pairs."""
        record = self._get(f"thread#{thread_id}")
        pair = next((pair for pair in pairs if record and record["projectKey"] == pair.key), None)
        return Thread(thread_id, pair, _said_in(record), _question_in(record)) if record and pair else None

    def belongs_to(self, thread_id: str, pair: Pair) -> bool:
        """Whether it is a thread of this pair. Of what was said in it nothing is read."""
        answer = self._client.query(
            TableName=self._table,
            ConsistentRead=True,
            Select="SPECIFIC_ATTRIBUTES",
            ProjectionExpression="projectKey",
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues=to_values({":pk": f"thread#{thread_id}"}),
        )
        return any(from_item(item).get("projectKey") == pair.key for item in answer["Items"])

    def of_messages(self, message_ids: Sequence[str], pairs: Sequence[Pair]) -> Thread | None:
        """The thread of the first of these Message-IDs that one of the pairs knows."""
        for message_id in message_ids:
            for pair in pairs:
                record = self._get(_message_key(pair, message_id))
                thread = self.get(record["threadId"], [pair]) if record else None
                if thread:
                    return thread
        return None

    def open(self, pair: Pair, message_id: str) -> Thread:
        """The thread that this mail starts: a new one, or the one that it started when it was read before."""
        thread = Thread(new_thread_id(self._random_bytes), pair)
        # The thread first: a message must never point to a thread that does not exist.
        self._put({"pk": f"thread#{thread.thread_id}", "projectKey": pair.key, "said": {}})
        if self.remember(thread, message_id):
            return thread
        return self.of_messages([message_id], [pair]) or thread

    def ask(self, pair: Pair, question: Question) -> Thread:
        """A new thread in which somebody is asked whether another one may be published."""
        thread = Thread(new_thread_id(self._random_bytes), pair, question=question)
        asked = {"about": question.about.wire_text(), "until": milliseconds(question.until)}
        self._put({"pk": f"thread#{thread.thread_id}", "projectKey": pair.key, "said": {}, "question": asked})
        return thread

    def remember(self, thread: Thread, message_id: str) -> bool:
        """A mail of the thread, ours or theirs: answers to it find the thread again. False if the pair knew it."""
        return self._put({"pk": _message_key(thread.pair, message_id), "threadId": thread.thread_id})

    def store_fingerprints(self, thread: Thread, name: str, words: bytes, *, by_us: bool) -> None:
        """Keeps the fingerprints of one mail with its thread, for as long as the thread is kept.

        One write for each mail, so two at once both count and the same one twice counts once. Where they become too
        many for one item, the oldest are forgotten.
        """
        if not words:
            return
        now = self._clock()
        forgotten = _oldest_beyond(thread.said, MOST_SAID_BYTES - len(words))
        names = {f"#old{number}": said.name for number, said in enumerate(forgotten)}
        removal = f" REMOVE {', '.join(f'said.{alias}' for alias in names)}" if names else ""
        values = {
            ":words": {"by_us": by_us, "words": words, "at": milliseconds(now)},
            ":ttl": int((now + KEPT_AFTER_LAST_MAIL).timestamp()),
        }
        try:
            self._client.update_item(
                TableName=self._table,
                Key=to_values({"pk": f"thread#{thread.thread_id}"}),
                UpdateExpression=f"SET said.#name = :words, #ttl = :ttl{removal}",
                ConditionExpression=HAS_FINGERPRINTS,
                ExpressionAttributeNames={"#name": name, "#ttl": "ttl", **names},
                ExpressionAttributeValues=to_values(values),
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return  # the thread is gone by now, or older than fingerprints are

    def forget(self, pair: Pair) -> tuple[str, ...]:
        """Deletes all that is known of a pair's conversations. Returns the ids of its threads."""
        pages = self._client.get_paginator("scan").paginate(
            TableName=self._table,
            FilterExpression="projectKey = :pair OR begins_with(pk, :messages)",
            ProjectionExpression="pk",
            ExpressionAttributeValues=to_values({":pair": pair.key, ":messages": f"message#{pair.key}#"}),
        )
        keys = [item["pk"]["S"] for page in pages for item in page["Items"]]
        for key in keys:
            self._client.delete_item(TableName=self._table, Key=to_values({"pk": key}))
        return tuple(sorted(key.removeprefix("thread#") for key in keys if key.startswith("thread#")))

    def _get(self, key: str) -> dict[str, Any] | None:
        answer = self._client.get_item(TableName=self._table, Key=to_values({"pk": key}), ConsistentRead=True)
        return from_item(answer["Item"]) if "Item" in answer else None

    def _put(self, record: dict[str, Any]) -> bool:
        ttl = int((self._clock() + KEPT_AFTER_LAST_MAIL).timestamp())
        try:
            self._client.put_item(
                TableName=self._table,
                Item=to_values({**record, "ttl": ttl}),
                ConditionExpression=NOT_YET_KNOWN,
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        return True


def _question_in(record: dict[str, Any]) -> Question | None:
    asked = record.get("question")
    if not asked:
        return None
    return Question(Approval.read(asked["about"]), datetime.fromtimestamp(int(asked["until"]) / 1000, UTC))


def _said_in(record: dict[str, Any]) -> tuple[MailFingerprints, ...]:
    noted = record.get("said") or {}
    said = [
        MailFingerprints(name, bool(one["by_us"]), bytes(one["words"]), int(one["at"])) for name, one in noted.items()
    ]
    return tuple(sorted(said, key=lambda one: one.at))


def _oldest_beyond(said: tuple[MailFingerprints, ...], most: int) -> list[MailFingerprints]:
    """Those that have to go, the oldest first, so that the rest is at most so large."""
    too_much = sum(len(one.words) for one in said) - most
    forgotten: list[MailFingerprints] = []
    for one in said:
        if too_much <= 0:
            break
        forgotten.append(one)
        too_much -= len(one.words)
    return forgotten


def _message_key(pair: Pair, message_id: str) -> str:
    # Hashed: a Message-ID may be as long as its sender likes, a key may not.
    return (
        f"message#{pair.key}#" + hashlib.sha256(message_id.strip().strip("<>").encode("utf-8", "replace")).hexdigest()
    )
