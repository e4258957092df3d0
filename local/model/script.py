"""What tests lay down for the stand-in to do, and what it has been asked: shared by all connections."""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict

from local.model.steps import ScriptedStep

REQUESTS_KEPT = 500


class RecordedRequest(BaseModel):
    """One request and how it was answered. `answered_by` is empty while the answer is still open."""

    model_config = ConfigDict(extra="forbid")

    headers: dict[str, str]
    body: Any
    answered_by: str = ""
    status: int = 0
    hanging: bool = False


def mentions(body: Any, words: str) -> bool:
    """Whether the words occur in a request, leaving out tools' calls and results: pages of the site say many things.

    A search in the JSON text would stumble over escapes, so every string is looked at.
    """
    if isinstance(body, str):
        return words in body
    if isinstance(body, dict):
        if body.get("type") in ("tool_use", "tool_result"):
            return False
        return any(mentions(value, words) for value in body.values())
    return isinstance(body, list) and any(mentions(value, words) for value in body)


class Script:
    """Steps that wait for the requests they are meant for."""

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
        """The first step that is meant for this request; a repeated step stays in its place until it is used up."""
        with self._lock:
            for position, step in enumerate(self._steps):
                if step.when is None or mentions(body, step.when):
                    once_less = [step.model_copy(update={"times": step.times - 1})] if step.times > 1 else []
                    self._steps[position : position + 1] = once_less
                    return step
        return None


class RequestLog:
    """The last requests, for tests to look at and to wait for."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._requests: deque[RecordedRequest] = deque(maxlen=REQUESTS_KEPT)

    def add(self, request: RecordedRequest) -> None:
        with self._changed:
            self._requests.append(request)
            self._changed.notify_all()

    def note(self, request: RecordedRequest, **what: Any) -> None:
        with self._changed:
            for name, value in what.items():
                setattr(request, name, value)
            self._changed.notify_all()

    def clear(self) -> None:
        with self._changed:
            self._requests.clear()

    def wait_for(self, wanted: Callable[[RecordedRequest], bool], seconds: float) -> list[RecordedRequest]:
        """The requests that are wanted, as soon as there is one; none when the time is up, which may be at once."""
        with self._changed:
            self._changed.wait_for(lambda: any(wanted(request) for request in self._requests), timeout=seconds)
            return [request.model_copy() for request in self._requests if wanted(request)]
