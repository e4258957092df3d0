"""Shows what happens while the stack starts: one line per finished part, and Terraform's count in a passing one."""

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
    """Told what happens as `startup(part, words)`. The passing line ends with the block."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._began = clock()
        self._planned = 0
        self._created = 0
        self._applied = False
        self._passing = console.status("")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._passing.stop()

    def __call__(self, part: str, words: str) -> None:
        if part != "terraform":
            self._console.print(self._line(part, words))
        elif not self._applied:
            self._count(words)

    def _count(self, line: str) -> None:
        if planned := _PLAN.search(line):
            self._planned = int(planned[1])
        self._created += "Creation complete" in line
        self._applied = "Apply complete" in line
        if self._applied:
            self._passing.stop()
            self._console.print(self._line("terraform", f"{self._created} resources created"))
        else:
            words = f"{self._created} of {self._planned} resources" if self._planned else "planning"
            self._passing.update(self._line("terraform", words)[2:])  # the spinner stands where others are indented
            self._passing.start()

    def _line(self, part: str, words: str) -> Text:
        since = f"{self._clock() - self._began:6.1f} s"
        return Text.assemble("  ", (since, "dim"), "  ", (f"{part:<16}", "cyan"), words)
