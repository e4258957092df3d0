"""Threads: maps mails to mail conversations.

Thread ids end in random characters, so they cannot be guessed; the table stores the Message-IDs of each thread. A mail
that is parsed twice finds the thread that it created the first time.

A sender chooses the Message-ID, so it is valid within a pair only: keys contain the pair, and a thread is only returned
to users of its pair. A sender who copies the Message-ID of another project's mail gets a separate thread.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from webordinary.aws.clients import Clock, utc_now
from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary.contract.thread_tokens import new_thread_id
from webordinary.tables.items import from_item, milliseconds, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from webordinary.contract.messages.job import Job

ANSWER = "answer-"  # followed by the job id: the name of our reply's fingerprints
KEPT_AFTER_LAST_MAIL = timedelta(days=400)
NEW = "attribute_not_exists(pk)"
EXISTS = "attribute_exists(pk)"
NO_LATER_MAIL = (
    "attribute_exists(pk) AND (attribute_not_exists(lastMail) OR lastMail = :mail OR lastMailAt < :received)"
)
HAS_FINGERPRINTS = "attribute_exists(said)"
# The limit of an item is 400 KB; an ordinary mail has 1 KB of fingerprints, the longest 12 KB.
MAX_FINGERPRINT_BYTES = 200_000


class MailFingerprints(NamedTuple):
    """Fingerprints of one mail of a thread."""

    name: str
    by_us: bool
    words: bytes
    at: int  # epoch milliseconds


class KeptMail(NamedTuple):
    """A stored mail whose site is not known yet, and the id in the address that completes it."""

    thread_id: str
    key: str


class Thread(NamedTuple):
    thread_id: str
    pair: Pair
    fingerprints: tuple[MailFingerprints, ...] = ()
    questions: frozenset[str] = frozenset()  # that were asked in it or about it, since its last mail
    has_old_question: bool = False  # of a version whose questions were not records

    def fingerprints_before(self, name: str) -> tuple[MailFingerprints, ...]:
        """The fingerprints of other mails: a mail that is parsed again must not match itself as a quote."""
        return tuple(one for one in self.fingerprints if one.name != name)

    def has_mails_before(self, name: str) -> bool:
        """Whether a person wrote an earlier mail than this one."""
        return any(not one.by_us for one in self.fingerprints_before(name))


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
        if record is None or pair is None:
            return None
        questions = frozenset(record.get("questions") or ())
        return Thread(thread_id, pair, _fingerprints_in(record), questions, "question" in record)

    def belongs_to(self, thread_id: str, pair: Pair) -> bool:
        """Whether the thread belongs to this pair. Reads none of its content."""
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
        """The thread of the first of these Message-IDs that is known within one of the pairs."""
        for message_id in message_ids:
            for pair in pairs:
                record = self._get(_message_key(pair, message_id))
                thread = self.get(record["threadId"], [pair]) if record else None
                if thread:
                    return thread
        return None

    def open(self, pair: Pair, message_id: str) -> Thread:
        """Creates a thread for a mail, or returns the one created when the mail was parsed before."""
        thread = Thread(new_thread_id(self._random_bytes, pair.key), pair)
        # The thread first: a message must never refer to a missing thread.
        self._put({"pk": f"thread#{thread.thread_id}", "projectKey": pair.key, "said": {}})
        if self.remember(thread, message_id):
            return thread
        return self.of_messages([message_id], [pair]) or thread

    def open_for_question(self, pair: Pair) -> Thread:
        """Creates a thread that begins with a question to a publisher."""
        thread = Thread(new_thread_id(self._random_bytes, pair.key), pair)
        self._put({"pk": f"thread#{thread.thread_id}", "projectKey": pair.key, "said": {}})
        return thread

    def keep_mail(self, key: str, sender: str, message_id: str) -> str:
        """Keeps a stored mail until its sender names the site. Returns the id for the reply address.

        The same mail gets the same id. The id is a thread of no pair, so only `kept_mail` finds it.
        """
        thread_id, pointer = new_thread_id(self._random_bytes, ""), _kept_key(sender, message_id)
        self._put({"pk": f"thread#{thread_id}", "projectKey": "", "keptMail": key})
        if self._put({"pk": pointer, "threadId": thread_id}):
            return thread_id
        return str((self._get(pointer) or {}).get("threadId", thread_id))

    def kept_mail(self, thread_id: str | None, sender: str, message_ids: Sequence[str]) -> KeptMail | None:
        """The kept mail of this id, or of the first of these Message-IDs that this sender's kept mail has."""
        pointers = (self._get(_kept_key(sender, message_id)) for message_id in message_ids)
        found = thread_id or next((str(pointer["threadId"]) for pointer in pointers if pointer), None)
        record = self._get(f"thread#{found}") if found else None
        return KeptMail(str(found), str(record["keptMail"])) if record and "keptMail" in record else None

    def add_question(self, thread_id: str, question_id: str, job: Job) -> bool:
        """Names a question in a thread, so that the thread's next mail closes it.

        Returns False if there was a mail after the one of the job that asks: it cannot have closed the question.
        """
        values = {":ids": {question_id}, ":mail": job.job_id, ":received": milliseconds(job.received_at)}
        return self._update(thread_id, "ADD questions :ids", NO_LATER_MAIL, values)

    def note_mail(self, thread: Thread, mail: str) -> None:
        """Stores that a mail was accepted, and removes the questions that the thread named when it was read."""
        values: dict[str, Any] = {":mail": mail, ":now": milliseconds(self._clock())}
        removal = ""
        if thread.questions:
            values[":ids"], removal = thread.questions, " DELETE questions :ids"
        self._update(thread.thread_id, f"SET lastMail = :mail, lastMailAt = :now{removal}", EXISTS, values)

    def question_of_message(self, message_id: str, pairs: Sequence[Pair]) -> str | None:
        """The question that a mail of ours asked, if it is known within one of the pairs."""
        records = (self._get(_message_key(pair, message_id)) for pair in pairs)
        return next((str(record["questionId"]) for record in records if record and "questionId" in record), None)

    def remember(self, thread: Thread, message_id: str, question_id: str = "") -> bool:
        """Stores the Message-ID of a mail, ours or theirs, so that replies find the thread. False if it was known."""
        asked = {"questionId": question_id} if question_id else {}
        return self._put({"pk": _message_key(thread.pair, message_id), "threadId": thread.thread_id, **asked})

    def store_fingerprints(self, thread: Thread, name: str, words: bytes, *, by_us: bool) -> None:
        """Stores the fingerprints of one mail in its thread, and removes the oldest if they exceed the limit.

        One attribute per mail, so concurrent mails are both stored, and a repeated one is stored once.
        """
        if not words:
            return
        now = self._clock()
        removed = _oldest_beyond(thread.fingerprints, MAX_FINGERPRINT_BYTES - len(words))
        names = {f"#old{number}": one.name for number, one in enumerate(removed)}
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
            return  # the thread has expired, or predates fingerprints

    def _update(self, thread_id: str, update: str, condition: str, values: dict[str, Any]) -> bool:
        with suppress(self._client.exceptions.ConditionalCheckFailedException):
            self._client.update_item(
                TableName=self._table,
                Key=to_values({"pk": f"thread#{thread_id}"}),
                UpdateExpression=update,
                ConditionExpression=condition,
                ExpressionAttributeValues=to_values(values),
            )
            return True
        return False

    def forget(self, pair: Pair) -> tuple[str, ...]:
        """Deletes all records of a pair's threads. Returns their ids."""
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
                ConditionExpression=NEW,
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        return True


def _fingerprints_in(record: dict[str, Any]) -> tuple[MailFingerprints, ...]:
    stored = record.get("said") or {}
    found = [
        MailFingerprints(name, bool(one["by_us"]), bytes(one["words"]), int(one["at"])) for name, one in stored.items()
    ]
    return tuple(sorted(found, key=lambda one: one.at))


def _oldest_beyond(fingerprints: tuple[MailFingerprints, ...], most: int) -> list[MailFingerprints]:
    """The oldest fingerprints to remove, so that the rest has at most this size."""
    excess = sum(len(one.words) for one in fingerprints) - most
    removed: list[MailFingerprints] = []
    for one in fingerprints:
        if excess <= 0:
            break
        removed.append(one)
        excess -= len(one.words)
    return removed


def _message_key(pair: Pair, message_id: str) -> str:
    # Hashed: a Message-ID has no length limit, a key has.
    return f"message#{pair.key}#" + _digest(_bare(message_id))


def _kept_key(sender: str, message_id: str) -> str:
    return "kept#" + _digest(f"{sender} {_bare(message_id)}")


def _bare(message_id: str) -> str:
    return message_id.strip().strip("<>")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
