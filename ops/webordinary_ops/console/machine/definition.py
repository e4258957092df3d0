"""The states and transitions of the ASL file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from webordinary_ops.connection import ROOT

FILE = ROOT / "statemachine/email_processor.asl.json"
TEMPLATE_VALUE = re.compile(r"\$\{[^}]+\}")


@dataclass(frozen=True)
class State:
    name: str
    kind: str  # Task, Choice, Pass, Parallel, Map, Succeed or Fail
    inside: str = ""  # the Parallel or Map state that contains it


@dataclass(frozen=True)
class Transition:
    source: str
    target: str
    fails: bool = False  # taken when the source has failed after its retries


@dataclass(frozen=True)
class Definition:
    states: dict[str, State]
    transitions: tuple[Transition, ...]

    def after(self, name: str) -> list[Transition]:
        return [one for one in self.transitions if one.source == name]


@cache
def read_definition() -> Definition:
    content = json.loads(TEMPLATE_VALUE.sub("0", FILE.read_text(encoding="utf-8")))
    states: dict[str, State] = {}
    transitions: list[Transition] = []
    _collect(content, "", states, transitions)
    return Definition(states, tuple(dict.fromkeys(transitions)))


def _collect(machine: dict[str, Any], inside: str, states: dict[str, State], found: list[Transition]) -> None:
    for name, state in machine["States"].items():
        states[name] = State(name, state["Type"], inside)
        found.extend(_transitions(name, state))
        for part in (*state.get("Branches", ()), *filter(None, (state.get("ItemProcessor"),))):
            found.append(Transition(name, part["StartAt"]))
            _collect(part, name, states, found)


def _transitions(name: str, state: dict[str, Any]) -> Iterator[Transition]:
    for choice in state.get("Choices", ()):
        yield Transition(name, choice["Next"])
    for following in ("Default", "Next"):
        if following in state:
            yield Transition(name, state[following])
    for caught in state.get("Catch", ()):
        yield Transition(name, caught["Next"], fails=True)
