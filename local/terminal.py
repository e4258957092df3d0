"""What the programs of the local stack share at the terminal: colours where they are wanted, and an orderly end."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import TextIO

from local.errors import LocalError

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
CLEAR_LINE = "\r\x1b[2K"


class Terminal:
    """Prints to a stream. Colours and rewritten lines only on a terminal, and never where NO_COLOR is set."""

    def __init__(self, stream: TextIO = sys.stdout, environment: Mapping[str, str] = os.environ) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._passing = False
        self.is_terminal = stream.isatty() and environment.get("TERM") != "dumb"
        self.colours = self.is_terminal and not environment.get("NO_COLOR")

    def paint(self, text: str, *styles: str) -> str:
        if not self.colours:
            return text
        return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"

    def say(self, text: str = "") -> None:
        with self._lock:
            self._stream.write(f"{CLEAR_LINE if self._passing else ''}{text}\n")
            self._stream.flush()
            self._passing = False

    def say_in_passing(self, text: str) -> None:
        """A line that the next one replaces. Shown on a terminal only: a log file does not want it."""
        if not self.is_terminal:
            return
        with self._lock:
            self._stream.write(f"{CLEAR_LINE}{text}")
            self._stream.flush()
            self._passing = True

    def heading(self, text: str) -> None:
        self.say()
        self.say(self.paint(text, "bold"))


class StoppedError(BaseException):
    """Somebody asked the program to end (Ctrl-C or SIGTERM)."""


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Turns SIGINT and SIGTERM into StoppedError, once: a second one must not disturb the clearing up."""

    def stop(number: int, _frame: FrameType | None) -> None:
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_IGN)
        raise StoppedError(signal.Signals(number).name)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run(program: Callable[[Terminal], int]) -> int:
    """Runs a program of this package: known errors become a sentence and exit code 1, a stop becomes 130."""
    terminal = Terminal()
    try:
        with stopped_by_signals():
            return program(terminal)
    except StoppedError:
        terminal.say("Stopped. Nothing was left running.")
        return 130
    except LocalError as error:
        terminal.say()
        print(error, file=sys.stderr)
        return 1
