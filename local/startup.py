"""Shows what happens while the stack starts: one passing line with Terraform's count, one line per finished part."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from local.terminal import Terminal

_PLAN = re.compile(r"Plan: (\d+) to add")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Startup:
    def __init__(self, terminal: Terminal, clock: Callable[[], float] = time.monotonic) -> None:
        self._terminal = terminal
        self._clock = clock
        self._began = clock()
        self._planned = 0
        self._created = 0

    def __call__(self, part: str, words: str) -> None:
        if part == "terraform":
            self._terraform(_COLOURS.sub("", words))
        else:
            self._line(part, words)

    def _terraform(self, line: str) -> None:
        planned = _PLAN.search(line)
        if planned:
            self._planned = int(planned[1])
        elif "Creation complete" in line:
            self._created += 1
        if "Apply complete" in line:
            self._line("terraform", f"{self._created} resources created")
        elif self._planned:
            self._terminal.say_in_passing(
                f"  {self._since()}  terraform       {self._created} of {self._planned} resources"
            )
        else:
            self._terminal.say_in_passing(f"  {self._since()}  terraform       planning")

    def _line(self, part: str, words: str) -> None:
        self._terminal.say(f"  {self._since()}  {self._terminal.paint(f'{part:<16}', 'cyan')}{words}")

    def _since(self) -> str:
        return self._terminal.paint(f"{self._clock() - self._began:6.1f} s", "dim")
