"""Lists and redrives the dead-letter queues of a deployment."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from webordinary.contract.messages.base import Message
from webordinary.contract.values import contract
from webordinary_ops.deployment import Deployment

SUFFIX = "_dead_letters"
BATCH_SIZE = 10
VISIBILITY_SECONDS = 60


class DeadLetter(Message):
    """One dead letter, without the text of its mail."""

    queue: str
    sent_at: str
    received: int
    job: str


def kinds() -> list[str]:
    """Contract keys of the queues that have a dead-letter queue."""
    queues: dict[str, str] = contract()["queues"]
    return [
        kind.removesuffix(SUFFIX) for kind, name in queues.items() if kind.endswith(SUFFIX) and "${user}" not in name
    ]


@dataclass(frozen=True)
class DeadLetterQueues:
    deployment: Deployment

    def counts(self) -> dict[str, int]:
        return {kind: self._count(kind) for kind in kinds()}

    def peek(self, kind: str) -> list[DeadLetter]:
        """Returns up to one batch of messages without removing them."""
        return [
            DeadLetter(
                queue=kind,
                sent_at=letter["Attributes"]["SentTimestamp"],
                received=int(letter["Attributes"]["ApproximateReceiveCount"]),
                job=_job_in(letter["Body"]),
            )
            for letter in self._receive(kind, visibility=0)
        ]

    def redrive(self, kind: str) -> int:
        """Sends every message back to its queue, then deletes it. A crash in between causes a harmless duplicate."""
        moved = 0
        for letter in self._all(kind):
            self._send(kind, letter)
            self._sqs.delete_message(QueueUrl=self._url(f"{kind}{SUFFIX}"), ReceiptHandle=letter["ReceiptHandle"])
            moved += 1
        return moved

    def _all(self, kind: str) -> Iterator[dict[str, Any]]:
        while letters := self._receive(kind, visibility=VISIBILITY_SECONDS):
            yield from letters

    def _send(self, kind: str, letter: dict[str, Any]) -> None:
        url = self._url(kind)
        if url.endswith(".fifo"):
            group = letter["Attributes"]["MessageGroupId"]
            deduplication_id = f"redrive-{letter['MessageId']}"
            self._sqs.send_message(
                QueueUrl=url, MessageBody=letter["Body"], MessageGroupId=group, MessageDeduplicationId=deduplication_id
            )
        else:
            self._sqs.send_message(QueueUrl=url, MessageBody=letter["Body"])

    def _receive(self, kind: str, *, visibility: int) -> list[dict[str, Any]]:
        answer = self._sqs.receive_message(
            QueueUrl=self._url(f"{kind}{SUFFIX}"),
            MaxNumberOfMessages=BATCH_SIZE,
            VisibilityTimeout=visibility,
            WaitTimeSeconds=1,
            MessageSystemAttributeNames=["All"],
        )
        letters: list[dict[str, Any]] = answer.get("Messages", [])
        return letters

    def _count(self, kind: str) -> int:
        name = "ApproximateNumberOfMessages"
        url = self._url(f"{kind}{SUFFIX}")
        return int(self._sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name])["Attributes"][name])

    def _url(self, kind: str) -> str:
        return self.deployment.queues.url(kind)

    @property
    def _sqs(self) -> Any:
        return self.deployment.client("sqs")


def _job_in(body: str) -> str:
    """The job id or S3 keys in a message body, or "?"."""
    try:
        content = json.loads(body)
        if "Records" in content:
            return ", ".join(str(record["s3"]["object"]["key"]) for record in content["Records"])
        return str(content.get("jobId", "?"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return "?"
