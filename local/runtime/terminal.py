"""Console and signal handling of the terminal programs."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TextIO

from rich.console import Console

from local.errors import LocalError

STOPPED_TOO_EARLY = 130  # as a shell reports SIGINT


def new_console(file: TextIO | None = None) -> Console:
    """Prints colours on a terminal only, unless NO_COLOR is set. Markup is off, because mail text is printed."""
    return Console(file=file, highlight=False, markup=False, emoji=False, soft_wrap=True)


def heading(console: Console, text: str) -> None:
    console.print()
    console.print(text, style="bold")


class StoppedError(BaseException):
    """The program received SIGINT (Ctrl-C) or SIGTERM."""


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Turns SIGINT and SIGTERM into StoppedError, once: a second signal must not interrupt the cleanup."""

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


def run(program: Callable[[Console], int], *, stopped: int = STOPPED_TOO_EARLY) -> int:
    """Runs a program: a LocalError becomes its message and exit code 1, a stop becomes the exit code `stopped`."""
    console = new_console()
    try:
        with stopped_by_signals():
            return program(console)
    except StoppedError:
        console.print("Stopped. No process is left running.")
        return stopped
    except LocalError as error:
        console.print()
        print(error, file=sys.stderr)
        return 1
