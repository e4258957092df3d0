"""Access to the tables and queues of the running stack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from local.stack.stack import Stack
from webordinary.aws.queues import Queues
from webordinary.contract.messages.base import Pair
from webordinary.contract.settings import Timing
from webordinary.contract.values import contract
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import OwnershipTable

MESSAGE_COUNTS = (
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesNotVisible",
    "ApproximateNumberOfMessagesDelayed",
)


@dataclass(frozen=True)
class Tables:
    timing: Timing
    jobs: JobsTable
    ownership: OwnershipTable
    queues: Queues
    sqs: Any

    @classmethod
    def of(cls, stack: Stack) -> Tables:
        timing = Timing.model_validate(stack.outputs["timing"])
        dynamodb, sqs = stack.emulated.client("dynamodb"), stack.emulated.client("sqs")
        return cls(
            timing=timing,
            jobs=JobsTable(dynamodb, stack.names),
            ownership=OwnershipTable(dynamodb, stack.names, timing),
            queues=Queues(sqs, stack.names),
            sqs=sqs,
        )

    def messages_left(self, pairs: list[Pair]) -> dict[str, int]:
        """The number of messages per queue, visible or not, without empty queues."""
        held = {url.rpartition("/")[2]: self._held(url) for url in self._urls(pairs)}
        return {name: messages for name, messages in held.items() if messages}

    def _urls(self, pairs: list[Pair]) -> Iterator[str]:
        for kind, template in contract()["queues"].items():
            if kind == "unclaimed":
                continue  # a stale request stays until the next worker drops it
            if "${project}" in template:
                yield from (self.queues.url(kind, pair) for pair in pairs)
            else:
                yield self.queues.url(kind)

    def _held(self, url: str) -> int:
        answer = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=list(MESSAGE_COUNTS))
        return sum(int(answer["Attributes"][name]) for name in MESSAGE_COUNTS)
