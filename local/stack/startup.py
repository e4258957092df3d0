"""Prints the progress of the stack's start: one line per part, and a status line for Terraform."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.text import Text

_PLAN = re.compile(r"Plan: (\d+) to add")


class Startup:
    """Call `startup(part, text)` to report progress. Leaving the block removes the status line."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._started = clock()
        self._planned = 0
        self._created = 0
        self._applied = False
        self._status = console.status("")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._status.stop()

    def __call__(self, part: str, text: str) -> None:
        if part != "terraform":
            self._console.print(self._line(part, text))
        elif not self._applied:
            self._count(text)

    def _count(self, line: str) -> None:
        if planned := _PLAN.search(line):
            self._planned = int(planned[1])
        self._created += "Creation complete" in line
        self._applied = "Apply complete" in line
        if self._applied:
            self._status.stop()
            self._console.print(self._line("terraform", f"{self._created} resources created"))
        else:
            text = f"{self._created} of {self._planned} resources" if self._planned else "planning"
            self._status.update(self._line("terraform", text)[2:])  # the spinner replaces the indentation
            self._status.start()

    def _line(self, part: str, text: str) -> Text:
        since = f"{self._clock() - self._started:6.1f} s"
        return Text.assemble("  ", (since, "dim"), "  ", (f"{part:<16}", "cyan"), text)
