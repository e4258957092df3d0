"""Helpers of the emulator's tests."""

import io
import json
import threading
import time
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import psutil
from botocore.exceptions import ClientError

from local.aws import EmulatedAws
from local.emulator.process import client

TRUST = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "sts:AssumeRole"}]}
Result = TypeVar("Result")
LONGEST_POLL_SECONDS = 20  # of SQS


def role(endpoint: str, name: str) -> str:
    """The ARN of a new role that any service may assume."""
    answer = client(endpoint, "iam").create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(TRUST))
    return str(answer["Role"]["Arn"])


def archive(files: dict[str, str]) -> bytes:
    """A zip file with these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as content:
        for name, text in files.items():
            content.writestr(name, text)
    return buffer.getvalue()


def run_concurrently(count: int, action: Callable[[int], Result]) -> list[Result]:
    """Runs an action in several threads that start together, and returns their results."""
    start = threading.Barrier(count)
    results: list[Any] = [None] * count

    def run(number: int) -> None:
        start.wait()
        results[number] = action(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def poll_while(poll: Callable[[], Result], act: Callable[[], object]) -> Result:
    """The result of a long poll that is open while `act` runs."""
    with ThreadPoolExecutor(1) as pool:
        polled = pool.submit(poll)
        time.sleep(0.3)  # the poll must be open before `act`, and there is no event for that
        act()
        return polled.result()


def eventually(question: Callable[[], Result | None], limit: float = 120.0) -> Result:
    """Polls until the question returns a value other than None. Only a hang reaches the limit."""
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        if (answer := question()) is not None:
            return answer
        time.sleep(0.02)
    raise AssertionError(f"no result within {limit} seconds")


def is_gone(process: int) -> bool:
    """Whether a process has ended; a zombie counts as ended."""
    return not psutil.pid_exists(process) or psutil.Process(process).status() == psutil.STATUS_ZOMBIE


def error_code(action: Callable[[], object]) -> str | None:
    try:
        action()
    except ClientError as error:
        return str(error.response["Error"]["Code"])
    return None


def queue(aws: EmulatedAws, name: str, **attributes: str) -> tuple[Any, str]:
    queues = aws.client("sqs")
    fifo = {"FifoQueue": "true"} if name.endswith(".fifo") else {}
    return queues, queues.create_queue(QueueName=name, Attributes={**fifo, **attributes})["QueueUrl"]


def receive(queues: Any, url: str, wait: int = 0, hide: int = 30) -> list[dict[str, Any]]:
    answer = queues.receive_message(QueueUrl=url, WaitTimeSeconds=wait, VisibilityTimeout=hide)
    return list(answer.get("Messages", []))


class WaitingTask:
    """A running execution whose only state has sent its task token to a queue and waits for an answer."""

    def __init__(self, aws: EmulatedAws, name: str, **state: object) -> None:
        self.machines = aws.client("stepfunctions")
        self._queues, self._url = queue(aws, name)
        wait = {
            "Type": "Task",
            "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
            "Parameters": {"QueueUrl": self._url, "MessageBody.$": "$$.Task.Token"},
            "End": True,
            **state,
        }
        definition = {"StartAt": "Wait", "States": {"Wait": wait, "Caught": {"Type": "Succeed"}}}
        machine = self.machines.create_state_machine(
            name=name, definition=json.dumps(definition), roleArn=role(aws.endpoint, name)
        )
        started = self.machines.start_execution(stateMachineArn=machine["stateMachineArn"], name="mail", input="{}")
        self._arn = started["executionArn"]

    def token(self) -> str:
        return str(receive(self._queues, self._url, wait=LONGEST_POLL_SECONDS)[0]["Body"])

    def end(self) -> Any:
        def look() -> Any:
            found = self.machines.describe_execution(executionArn=self._arn)
            return None if found["status"] == "RUNNING" else found

        return eventually(look)
