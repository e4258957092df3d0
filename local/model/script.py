"""The scripted steps and the recorded requests, shared by all connections."""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict

from local.model.steps import ScriptedStep

MAX_REQUESTS = 500


class RecordedRequest(BaseModel):
    """One request and its response. `answered_by` is empty until the response starts."""

    model_config = ConfigDict(extra="forbid")

    headers: dict[str, str]
    body: Any
    answered_by: str = ""
    status: int = 0
    hanging: bool = False


def mentions(body: Any, text: str) -> bool:
    """Whether a request contains the text outside of tool calls and results, which quote pages of the site.

    Checks every string, because the JSON text contains escapes.
    """
    if isinstance(body, str):
        return text in body
    if isinstance(body, dict):
        if body.get("type") in ("tool_use", "tool_result"):
            return False
        return any(mentions(value, text) for value in body.values())
    return isinstance(body, list) and any(mentions(value, text) for value in body)


class Script:
    """Scripted steps that have not been used."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._steps: list[ScriptedStep] = []

    def extend(self, steps: Iterable[ScriptedStep]) -> None:
        with self._lock:
            self._steps.extend(steps)

    def clear(self) -> None:
        with self._lock:
            self._steps.clear()

    def take(self, body: Any) -> ScriptedStep | None:
        """Removes and returns the first step that matches the request; a repeated step stays until its last use."""
        with self._lock:
            for position, step in enumerate(self._steps):
                if step.when is None or mentions(body, step.when):
                    remaining = [step.model_copy(update={"times": step.times - 1})] if step.times > 1 else []
                    self._steps[position : position + 1] = remaining
                    return step
        return None


class RequestLog:
    """The last requests, for tests to read and wait for."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._requests: deque[RecordedRequest] = deque(maxlen=MAX_REQUESTS)

    def add(self, request: RecordedRequest) -> None:
        with self._changed:
            self._requests.append(request)
            self._changed.notify_all()

    def update(self, request: RecordedRequest, **fields: Any) -> None:
        with self._changed:
            for name, value in fields.items():
                setattr(request, name, value)
            self._changed.notify_all()

    def clear(self) -> None:
        with self._changed:
            self._requests.clear()

    def wait_for(self, matches: Callable[[RecordedRequest], bool], seconds: float) -> list[RecordedRequest]:
        """The matching requests, as soon as there is one; empty after the timeout."""
        with self._changed:
            self._changed.wait_for(lambda: any(matches(request) for request in self._requests), timeout=seconds)
            return [request.model_copy() for request in self._requests if matches(request)]
