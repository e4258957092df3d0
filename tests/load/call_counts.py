"""Counts the calls of AWS in the running system: by function and invocation, and by the workers.

Calls that time causes are left out: polls, lease renewals, secrets that a function reads again, and what a worker asks
the broker while it waits. Their number follows from the intervals in the contract.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from urllib.request import urlopen

from local.stack.stack import Stack
from webordinary.contract.names import Names
from webordinary.contract.values import contract

HANG_SECONDS = 600.0
QUIET_SECONDS = 1.0
PACED = re.compile(
    r"sqs (ReceiveMessage|ChangeMessageVisibility) |dynamodb UpdateItem ownership$|lambda POST |"
    r"dynamodb GetItem project_configs$"
)
CACHED = re.compile(r"ssm GetParameter$")  # a function reads a secret again after some minutes
ON_TIME = frozenset({"broker"})  # functions that a waiting worker calls again and again
Calls = Counter[str]
Entry = tuple[str, str]  # caller, call


@dataclass
class Counted:
    """One counter for each invocation, by function, and one for all workers."""

    invocations: dict[str, list[Calls]] = field(default_factory=dict)
    worker: Calls = field(default_factory=Counter)

    def all(self, function: str) -> Calls:
        """The calls of all invocations of a function."""
        return sum(self.invocations.get(function, []), Counter())

    def most(self, function: str) -> Calls:
        """The most calls of each kind that one invocation made."""
        most: Calls = Counter()
        for calls in self.invocations.get(function, []):
            most |= calls
        return most


def counted(entries: Iterable[Entry], names: Names) -> Counted:
    """Invocations count once they have ended."""
    shortened, found = shortener(names), Counted()
    running: dict[str, Calls] = {}
    for caller, call in entries:
        function = function_of(caller, shortened)
        if function is None:
            name = shortened(call)
            if caller.startswith(names.prefix) and not PACED.match(name):
                found.worker[name] += 1
        elif CACHED.match(call):
            continue
        elif call:
            running.setdefault(caller, Counter())[shortened(call)] += 1
        else:
            found.invocations.setdefault(function, []).append(running.pop(caller, Counter()))
    return found


class CallReader:
    def __init__(self, stack: Stack) -> None:
        self._url = f"{stack.emulated.endpoint}/calls/"
        self._names = stack.names

    def position(self) -> int:
        """The end of the log, once only paced calls are made and no function runs."""
        shortened = shortener(self._names)
        deadline = time.monotonic() + HANG_SECONDS
        position, quiet_since, running = 0, time.monotonic(), set[str]()
        while time.monotonic() < deadline:
            position, entries = self._read(position)
            for caller, call in entries:
                function = function_of(caller, shortened)
                if function in ON_TIME or (function is None and PACED.match(shortened(call))):
                    continue
                quiet_since = time.monotonic()
                if function is not None:
                    (running.add if call else running.discard)(caller)
            if not running and time.monotonic() - quiet_since > QUIET_SECONDS:
                return position
            time.sleep(0.1)
        raise TimeoutError(f"The system does not become quiet; these functions run: {sorted(running)}.")

    def since(self, position: int) -> Counted:
        return counted(self._read(position)[1], self._names)

    def _read(self, position: int) -> tuple[int, list[Entry]]:
        with urlopen(f"{self._url}{position}") as response:  # noqa: S310 - always the emulator's address
            found = json.load(response)
        return int(found["position"]), [(caller, call) for caller, call in found["calls"]]


def function_of(caller: str, shortened: Callable[[str], str]) -> str | None:
    """The function of a process, such as `intake` of `function.webordinary-intake.3`."""
    kind, _, rest = caller.partition(".")
    return shortened(rest.rpartition(".")[0]) if kind == "function" else None


def shortener(names: Names) -> Callable[[str], str]:
    """Replaces names of this deployment by their kinds: `webordinary-input-bakery-ada.fifo` by `input`."""
    groups = ("queues", "tables", "buckets", "functions")
    templates = {template: kind for group in groups for kind, template in contract()[group].items()}
    patterns = []
    for template in sorted(templates, key=len, reverse=True):
        text = re.escape(template.replace("${prefix}", names.prefix).replace("${account}", names.account))
        text = text.replace(re.escape("${project}"), "[a-z0-9-]+").replace(re.escape("${user}"), "[a-z0-9]+")
        patterns.append((re.compile(rf"(?<![\w-]){text}(?![\w.-])"), templates[template]))

    def shortened(text: str) -> str:
        for pattern, kind in patterns:
            text = pattern.sub(kind, text)
        return text

    return shortened
