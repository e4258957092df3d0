"""SQS in the emulator: order, long polls, visibility and dead letters."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.emulator.process import EmulatorProcess
from tests.integration.emulator.support import LONGEST_POLL_SECONDS, poll_while, run_concurrently

Queue = Callable[..., "TestQueue"]


class TestQueue:
    __test__ = False

    def __init__(self, emulator: EmulatorProcess, name: str, attributes: dict[str, str]) -> None:
        self.client = emulator.client("sqs")
        self.url: str = self.client.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]

    def send(self, body: str, group: str | None = None, deduplication: str | None = None) -> dict[str, Any]:
        fifo = {"MessageGroupId": group, "MessageDeduplicationId": deduplication or body} if group else {}
        return self.client.send_message(QueueUrl=self.url, MessageBody=body, **fifo)  # type: ignore[no-any-return]

    def receive(self, *, wait: int = 0, hide: int = 30, count: int = 1) -> list[dict[str, Any]]:
        answer = self.client.receive_message(
            QueueUrl=self.url, WaitTimeSeconds=wait, VisibilityTimeout=hide, MaxNumberOfMessages=count
        )
        return answer.get("Messages", [])  # type: ignore[no-any-return]

    def bodies(self, **options: int) -> list[str]:
        return [message["Body"] for message in self.receive(**options)]

    def delete(self, message: dict[str, Any]) -> None:
        self.client.delete_message(QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"])

    def hide(self, message: dict[str, Any], seconds: int) -> None:
        self.client.change_message_visibility(
            QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=seconds
        )

    @property
    def arn(self) -> str:
        answer = self.client.get_queue_attributes(QueueUrl=self.url, AttributeNames=["QueueArn"])
        return str(answer["Attributes"]["QueueArn"])


@pytest.fixture
def standard(emulator: EmulatorProcess, unique: Callable[[str], str]) -> Queue:
    return lambda **attributes: TestQueue(emulator, unique("queue"), attributes)


@pytest.fixture
def fifo(emulator: EmulatorProcess, unique: Callable[[str], str]) -> Queue:
    return lambda **attributes: TestQueue(emulator, f"{unique('queue')}.fifo", {"FifoQueue": "true", **attributes})


def test_open_poll_gets_a_new_message(standard: Queue) -> None:
    queue = standard()

    assert poll_while(lambda: queue.bodies(wait=LONGEST_POLL_SECONDS), lambda: queue.send("news")) == ["news"]


def test_group_is_delivered_in_order_one_at_a_time(fifo: Queue) -> None:
    queue = fifo()
    for body in ("first", "second"):
        queue.send(body, group="pair")

    [first] = queue.receive()
    blocked = queue.bodies()
    queue.delete(first)

    assert (first["Body"], blocked, queue.bodies()) == ("first", [], ["second"])


def test_busy_group_does_not_block_another(fifo: Queue) -> None:
    queue = fifo()
    queue.send("first", group="pair-a")
    queue.send("second", group="pair-a")
    queue.send("other", group="pair-b")

    queue.receive()

    assert queue.bodies() == ["other"]


def test_open_poll_gets_a_message_made_visible_again(fifo: Queue) -> None:
    queue = fifo()
    queue.send("job", group="pair")
    [held] = queue.receive()

    assert poll_while(lambda: queue.bodies(wait=LONGEST_POLL_SECONDS), lambda: queue.hide(held, 0)) == ["job"]


def test_open_poll_gets_a_message_after_its_visibility_timeout(standard: Queue) -> None:
    queue = standard()
    queue.send("job")
    hidden_at = time.monotonic()
    queue.receive(hide=1)

    bodies = queue.bodies(wait=LONGEST_POLL_SECONDS)

    # The poll is woken up: it does not find the message only when it ends.
    assert (bodies, 1 <= time.monotonic() - hidden_at < LONGEST_POLL_SECONDS) == (["job"], True)


def test_concurrent_receivers_never_get_the_same_message(standard: Queue) -> None:
    queue = standard()
    for number in range(20):
        queue.send(str(number))
    receivers = 5

    batches = run_concurrently(receivers, lambda _: [body for _ in range(4) for body in queue.bodies()])

    assert sorted(int(body) for batch in batches for body in batch) == list(range(20))


def test_emulator_responds_during_fifty_open_polls(emulator: EmulatorProcess, standard: Queue) -> None:
    queue = standard()
    polls = [threading.Thread(target=queue.bodies, kwargs={"wait": LONGEST_POLL_SECONDS}) for _ in range(50)]
    for poll in polls:
        poll.start()

    emulator.client("sqs").get_queue_attributes(QueueUrl=queue.url, AttributeNames=["QueueArn"])
    still_open = [poll.is_alive() for poll in polls]
    for number in range(50):
        queue.send(f"ends poll {number}")
    for poll in polls:
        poll.join()

    assert still_open == [True] * 50


def test_message_received_too_often_moves_to_the_dead_letter_queue(standard: Queue) -> None:
    dead_letters = standard()
    queue = standard(RedrivePolicy=f'{{"deadLetterTargetArn": "{dead_letters.arn}", "maxReceiveCount": 2}}')
    queue.send("poison")

    attempts = [queue.bodies(hide=0) for _ in range(3)]

    assert (attempts, dead_letters.bodies()) == ([["poison"], ["poison"], []], ["poison"])


def test_expired_fifo_receipt_cannot_delete_the_message(fifo: Queue) -> None:
    queue = fifo()
    queue.send("job", group="pair")
    [late] = queue.receive(hide=1)
    [successor] = queue.receive(wait=LONGEST_POLL_SECONDS)

    with pytest.raises(ClientError, match="receipt handle has expired"):
        queue.delete(late)
    queue.hide(successor, 0)

    assert queue.bodies() == ["job"]


def test_outdated_standard_receipt_deletes_nothing(standard: Queue) -> None:
    queue = standard()
    queue.send("job")
    [outdated] = queue.receive(hide=0)
    [current] = queue.receive()

    queue.delete(outdated)
    queue.hide(current, 0)

    assert queue.bodies() == ["job"]


def test_visible_message_cannot_be_hidden_with_its_old_receipt(standard: Queue) -> None:
    queue = standard()
    queue.send("job")
    [message] = queue.receive(hide=0)

    with pytest.raises(ClientError) as refusal:
        queue.hide(message, 30)

    assert refusal.value.response["Error"]["Code"].endswith("MessageNotInflight")
