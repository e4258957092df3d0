"""What happens in the running system, as events: the milestones that functions and workers log."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from local.errors import TimedOutError

# What log lines carry besides the milestone's own fields.
_LOGGING_KEYS = frozenset(
    {"level", "location", "message", "milestone", "timestamp", "service", "function_request_id", "xray_trace_id"}
)


@dataclass(frozen=True)
class Event:
    """One milestone: who said it, what it is, and the fields it came with."""

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
    """Matches a milestone by name and, if given, by the job or pair it belongs to."""

    def matches(event: Event) -> bool:
        return event.milestone == name and job_id in (None, event.job_id) and pair in (None, event.pair)

    return matches


class Events:
    """The bus. Whoever waits is woken by the event itself; what already happened counts as well."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._history: list[Event] = []
        self._subscribers: list[Subscriber] = []

    def read_line(self, source: str, line: str | dict[str, Any]) -> None:
        """Publishes the milestone in a log line, if there is one."""
        content = line if isinstance(line, dict) else _decoded(line)
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
        """How much has happened so far: pass it as `since` to wait only for what is still to come."""
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
            raise TimedOutError(f"Waited {timeout:g} seconds for {what}, and it did not happen.")
        return found


def _decoded(line: str) -> dict[str, Any] | None:
    if not line.lstrip().startswith("{"):
        return None
    try:
        content = json.loads(line)
    except ValueError:
        return None  # an ordinary line that happens to begin with a brace
    return content if isinstance(content, dict) else None
