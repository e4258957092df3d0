"""Step Functions in the emulator: tasks that wait for a token."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

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
    waiting = task(HeartbeatSeconds=8)
    token = waiting.token()

    until = time.monotonic() + 9  # longer than the heartbeat timeout in total, far shorter each
    while time.monotonic() < until:
        waiting.machines.send_task_heartbeat(taskToken=token)
        time.sleep(0.1)
    waiting.machines.send_task_success(taskToken=token, output="{}")

    assert waiting.end()["status"] == "SUCCEEDED"


def test_result_after_an_expired_heartbeat_is_rejected(task: Task) -> None:
    waiting = task(HeartbeatSeconds=1)
    token = waiting.token()
    waiting.end()

    refusal = error_code(lambda: waiting.machines.send_task_success(taskToken=token, output="{}"))

    assert refusal == "TaskTimedOut"
