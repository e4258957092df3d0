# ruff: noqa: ARG002, N803 (argument names are those of AWS, and some are unused)
"""Task tokens of Step Functions in memory and in virtual time: a wait ends once, by a result or a missed heartbeat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace


class TaskTimedOut(Exception):  # noqa: N818 (AWS named it)
    pass


class TaskDoesNotExist(Exception):  # noqa: N818
    pass


class InvalidToken(Exception):  # noqa: N818
    pass


@dataclass
class Wait:
    last_heartbeat: int
    over: bool = False


class TokenStandIn:
    exceptions = SimpleNamespace(
        TaskTimedOut=TaskTimedOut, TaskDoesNotExist=TaskDoesNotExist, InvalidToken=InvalidToken
    )

    def __init__(self, now: Callable[[], int], heartbeat_milliseconds: int) -> None:
        self._now = now
        self._heartbeat = heartbeat_milliseconds
        self._waits: dict[str, Wait] = {}
        self.late = 0  # calls for a wait that was over
        self.before_call: Callable[[str], None] = _nothing

    def begin(self, token: str) -> None:
        self._waits[token] = Wait(self._now())

    def abandon(self, token: str) -> None:
        self._waits[token].over = True

    def is_over(self, token: str) -> bool:
        wait = self._waits[token]
        wait.over = wait.over or self._now() > wait.last_heartbeat + self._heartbeat
        return wait.over

    def send_task_heartbeat(self, *, taskToken: str) -> None:
        self.before_call("send_task_heartbeat")
        self._require(taskToken).last_heartbeat = self._now()

    def send_task_success(self, *, taskToken: str, output: str) -> None:
        self.before_call("send_task_success")
        self._require(taskToken).over = True

    def send_task_failure(self, *, taskToken: str, error: str, cause: str) -> None:
        self.before_call("send_task_failure")
        self._require(taskToken).over = True

    def _require(self, token: str) -> Wait:
        if self.is_over(token):
            self.late += 1
            raise TaskTimedOut(token)
        return self._waits[token]


def _nothing(*_: object) -> None:
    """The default hook."""
