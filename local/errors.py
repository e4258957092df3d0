"""Errors of the local stack. Each message says what is wrong and what to do."""

from __future__ import annotations

from collections.abc import Sequence


class LocalError(Exception):
    """An expected failure of the local stack, printed without a traceback."""


class PortInUseError(LocalError):
    def __init__(self, what: str, port: int, remedy: str) -> None:
        super().__init__(
            f"{what} cannot listen on 127.0.0.1:{port}: the port is in use. Stop the other program, or {remedy}."
        )


class PrerequisiteError(LocalError):
    """A required program is missing or too old."""


class ChildFailedError(LocalError):
    def __init__(self, name: str, why: str, tail: Sequence[str]) -> None:
        output = "\n".join(f"    {line}" for line in tail) or "    (no output)"
        super().__init__(f"The {name} {why}. Last lines of its output:\n{output}")


class TimedOutError(LocalError):
    """An awaited event did not happen in time."""


class ProcessStillRunningError(LocalError):
    def __init__(self, processes: Sequence[str]) -> None:
        found = "\n".join(f"    {process}" for process in processes)
        super().__init__(f"The local stack did not stop. These processes still ran and were killed:\n{found}")
