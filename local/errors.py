"""Errors of the local stack. Each says what was wrong and what to do, for the person at the terminal."""

from __future__ import annotations

from collections.abc import Sequence


class LocalError(Exception):
    """The system on this machine cannot go on, for a reason that a person can understand."""


class PortInUseError(LocalError):
    def __init__(self, what: str, port: int, remedy: str) -> None:
        super().__init__(
            f"{what} cannot listen on 127.0.0.1:{port} because another program does. Stop that program, or {remedy}."
        )


class PrerequisiteError(LocalError):
    """Something that must be on this machine is not there, or too old."""


class ChildFailedError(LocalError):
    def __init__(self, name: str, why: str, tail: Sequence[str]) -> None:
        said = "\n".join(f"    {line}" for line in tail) or "    (it said nothing)"
        super().__init__(f"The {name} {why}. Its last words:\n{said}")


class TimedOutError(LocalError):
    """Something that was waited for did not happen in time."""


class ProcessStillRunningError(LocalError):
    def __init__(self, processes: Sequence[str]) -> None:
        super().__init__(
            "These processes were still running after everything was told to stop: " + ", ".join(processes)
        )
