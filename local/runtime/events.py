"""The event bus of the local stack: milestones that functions and workers log."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from local.errors import TimedOutError

# Keys of every log line that are not fields of the milestone.
_LOGGING_KEYS = frozenset(
    {"level", "location", "message", "milestone", "timestamp", "service", "function_request_id", "xray_trace_id"}
)


@dataclass(frozen=True)
class Event:
    """One logged milestone: its source, name, fields and time."""

    source: str
    milestone: str
    fields: dict[str, Any] = field(default_factory=dict)
    at: float = 0.0

    @property
    def job_id(self) -> str:
        return str(self.fields.get("job_id") or self.fields.get("mail_id") or "")

    @property
    def pair(self) -> str:
        return str(self.fields.get("pair") or "")


Predicate = Callable[[Event], bool]
Subscriber = Callable[[Event], None]


def milestone(name: str, *, job_id: str | None = None, pair: str | None = None) -> Predicate:
    """Matches a milestone by name and, if given, by job or pair."""

    def matches(event: Event) -> bool:
        return event.milestone == name and job_id in (None, event.job_id) and pair in (None, event.pair)

    return matches


class Events:
    """Keeps the history of events and wakes waiting threads. `wait_for` also matches past events."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._history: list[Event] = []
        self._subscribers: list[Subscriber] = []

    def read_line(self, source: str, line: str | dict[str, Any]) -> None:
        """Publishes the milestone of a log line, if it has one."""
        content = line if isinstance(line, dict) else _json_object(line)
        if content and isinstance(content.get("milestone"), str):
            fields = {key: value for key, value in content.items() if key not in _LOGGING_KEYS}
            self.publish(Event(source, content["milestone"], fields, self._clock()))

    def publish(self, event: Event) -> None:
        with self._changed:
            self._history.append(event)
            subscribers = list(self._subscribers)
            self._changed.notify_all()
        for subscriber in subscribers:
            subscriber(event)

    @contextmanager
    def subscribed(self, subscriber: Subscriber) -> Iterator[None]:
        with self._changed:
            self._subscribers.append(subscriber)
        try:
            yield
        finally:
            with self._changed:
                self._subscribers.remove(subscriber)

    def now(self) -> float:
        return self._clock()

    def position(self) -> int:
        """The current end of the history. Pass it as `since` to match only later events."""
        with self._changed:
            return len(self._history)

    def all(self, predicate: Predicate = lambda _event: True, since: int = 0) -> list[Event]:
        with self._changed:
            return [event for event in self._history[since:] if predicate(event)]

    def wait_for(self, predicate: Predicate, timeout: float, *, since: int = 0, what: str = "an event") -> Event:
        def first() -> Event | None:
            return next((event for event in self._history[since:] if predicate(event)), None)

        with self._changed:
            found: Event | None = self._changed.wait_for(first, timeout)
        if found is None:
            raise TimedOutError(f"Timed out after {timeout:g} seconds waiting for {what}.")
        return found


def _json_object(line: str) -> dict[str, Any] | None:
    if not line.lstrip().startswith("{"):
        return None
    try:
        content = json.loads(line)
    except ValueError:
        return None  # plain text that begins with a brace
    return content if isinstance(content, dict) else None
