"""The path of one mail through the state machine, from the history of its execution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from webordinary_ops.console.machine.definition import Definition
from webordinary_ops.console.machine.layout import BOXES, LINES, Box

DECISIONS = ("Choice", "Pass", "Parallel", "Map")


@dataclass(frozen=True)
class Visit:
    """A state that was entered. `left` is None while it is active."""

    name: str
    entered: datetime
    left: datetime | None

    def seconds(self, now: datetime) -> float:
        return max(0.0, ((self.left or now) - self.entered).total_seconds())


@dataclass(frozen=True)
class ExecutionPath:
    visits: tuple[Visit, ...]  # in the order of entering; each state once, with its first entry and last exit
    ended: datetime | None
    status: str  # RUNNING, SUCCEEDED, FAILED, TIMED_OUT, ABORTED; UNKNOWN once AWS has deleted the execution

    @property
    def by_name(self) -> dict[str, Visit]:
        return {visit.name: visit for visit in self.visits}

    @property
    def current(self) -> str:
        """The innermost active state; empty if the execution has ended."""
        active = [visit.name for visit in self.visits if visit.left is None]
        return active[-1] if active and self.ended is None else ""

    @property
    def started(self) -> datetime | None:
        return self.visits[0].entered if self.visits else None


@dataclass(frozen=True)
class DrawnState:
    name: str
    box: Box
    kind: str  # taken, current, ahead or aside
    note: str
    rounded: bool


@dataclass(frozen=True)
class DrawnLine:
    path: str
    taken: bool
    fails: bool


def execution_path(events: Sequence[dict[str, Any]]) -> ExecutionPath:
    """`events` as GetExecutionHistory returns them."""
    entered: dict[str, datetime] = {}
    left: dict[str, datetime] = {}
    ended, status = None, "RUNNING" if events else "UNKNOWN"
    for event in events:
        if details := event.get("stateEnteredEventDetails"):
            entered.setdefault(str(details["name"]), event["timestamp"])
            left.pop(str(details["name"]), None)
        elif details := event.get("stateExitedEventDetails"):
            left[str(details["name"])] = event["timestamp"]
        elif event["type"].startswith("Execution") and event["type"] != "ExecutionStarted":
            kind = event["type"].removeprefix("Execution")
            ended, status = event["timestamp"], "TIMED_OUT" if kind == "TimedOut" else kind.upper()
    if ended is not None:  # a Fail state has no exit, and a failed Task has none either
        left = {name: left.get(name, ended) for name in entered}
    return ExecutionPath(tuple(Visit(name, at, left.get(name)) for name, at in entered.items()), ended, status)


def draw_states(definition: Definition, path: ExecutionPath, now: datetime, words: Any) -> list[DrawnState]:
    drawn = []
    visits, current = path.by_name, path.current
    for name, box in BOXES.items():
        state, visit = definition.states.get(name), visits.get(name)
        kind = "aside" if box.aside else "ahead"
        if visit is not None:
            kind = "current" if name == current else "taken"
        timed = visit is not None and state is not None and state.kind not in (*DECISIONS, "Succeed", "Fail")
        note = f"{name}, {words(visit.seconds(now))}" if timed and visit else name
        rounded = state is not None and state.kind in ("Choice", "Succeed", "Fail")
        drawn.append(DrawnState(name, box, kind, note if box.height >= 40 else "", rounded))
    return drawn


def draw_lines(definition: Definition, path: ExecutionPath) -> list[DrawnLine]:
    taken = _taken(definition, path)
    fails = {(one.source, one.target): one.fails for one in reversed(definition.transitions)}
    lines = [DrawnLine(line, key in taken, fails.get(key, False)) for key, line in LINES.items()]
    return sorted(lines, key=lambda line: line.taken)  # taken lines on top


def _taken(definition: Definition, path: ExecutionPath) -> set[tuple[str, str]]:
    """The transitions between visited states: from each state to the successor that it entered first."""
    visits, found = path.by_name, set[tuple[str, str]]()
    for name, visit in visits.items():
        targets = [one.target for one in definition.after(name) if one.target in visits]
        following = [target for target in targets if visits[target].entered >= visit.entered]
        inner = [target for target in following if definition.states[target].inside == name]
        outer = [target for target in following if target not in inner]
        found |= {(name, target) for target in inner}
        if outer:
            order = list(visits)
            found.add((name, min(outer, key=lambda target: (visits[target].entered, order.index(target)))))
    return found
