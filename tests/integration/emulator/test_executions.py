"""Step Functions in the emulator: tasks that wait for a token."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.aws import EmulatedAws
from local.emulator.process import EmulatorProcess
from tests.integration.emulator.support import WaitingTask, error_code

Task = Callable[..., WaitingTask]


@pytest.fixture
def task(emulator: EmulatorProcess, unique: Callable[[str], str]) -> Task:
    def make(**state: Any) -> WaitingTask:
        return WaitingTask(EmulatedAws(emulator.endpoint), unique("task"), **state)

    return make


def test_execution_ends_with_the_output_of_its_token(task: Task) -> None:
    waiting = task()

    waiting.machines.send_task_success(taskToken=waiting.token(), output='{"commit": "abc"}')

    assert json.loads(waiting.end()["output"]) == {"commit": "abc"}


def test_failure_keeps_error_and_cause(task: Task) -> None:
    waiting = task()

    waiting.machines.send_task_failure(taskToken=waiting.token(), error="BuildFailed", cause="a page is broken")

    ended = waiting.end()
    assert (ended["status"], ended["error"], ended["cause"]) == ("FAILED", "BuildFailed", "a page is broken")


def test_caught_failure_passes_error_and_cause_on(task: Task) -> None:
    waiting = task(Catch=[{"ErrorEquals": ["PREEMPTED"], "Next": "Caught"}])

    waiting.machines.send_task_failure(taskToken=waiting.token(), error="PREEMPTED", cause="a newer mail came")

    assert json.loads(waiting.end()["output"]) == {"Error": "PREEMPTED", "Cause": "a newer mail came"}


def test_heartbeats_keep_a_task_waiting(task: Task) -> None:
    for seconds in (4, 32, 256):  # on a busy machine the heartbeats may be far apart
        waiting = task(HeartbeatSeconds=seconds)
        token = waiting.token()
        if longest_pause(waiting, token, until=time.monotonic() + seconds + 1) < seconds / 2:
            break

    waiting.machines.send_task_success(taskToken=token, output="{}")
    assert waiting.end()["status"] == "SUCCEEDED"


def longest_pause(waiting: WaitingTask, token: str, until: float) -> float:
    """Sends heartbeats; returns the longest time between two of them."""
    longest, last = 0.0, time.monotonic()
    while last < until:
        with suppress(ClientError):  # it has timed out
            waiting.machines.send_task_heartbeat(taskToken=token)
        time.sleep(0.1)
        now = time.monotonic()
        longest, last = max(longest, now - last), now
    return longest


def test_result_after_an_expired_heartbeat_is_rejected(task: Task) -> None:
    waiting = task(HeartbeatSeconds=1)
    token = waiting.token()
    waiting.end()

    refusal = error_code(lambda: waiting.machines.send_task_success(taskToken=token, output="{}"))

    assert refusal == "TaskTimedOut"
