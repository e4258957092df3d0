"""Child processes of the stack: each has its own process group, and its output is read line by line."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from local.errors import ChildFailedError
from local.runtime import processes

_PR_SET_CHILD_SUBREAPER = 36

# For the start and the end of a program of the stack. Only a program that hangs reaches it, also on a busy machine.
HANG_SECONDS = 300
# For the last lines of a program that has ended.
DRAIN_SECONDS = 15

OnLine = Callable[[str], None]


class Child:
    """A running program. `on_line` receives its standard output and error in the order written."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: Path,
        on_line: OnLine,
    ) -> None:
        self.name = name
        self._on_line = on_line
        self._first: str | None = None
        self._first_line = threading.Event()
        self._last: deque[str] = deque(maxlen=10)
        reading, writing = os.pipe()
        self.process = processes.start(command, environment=environment, folder=folder, output=writing)
        os.close(writing)
        self._reader = threading.Thread(target=self._read, args=(reading,), name=f"{name}-output", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self.process.pid

    def wait_until_ready(self, timeout: float) -> dict[str, Any]:
        """Waits for the first line of output, JSON in which a server announces its address."""
        self._first_line.wait(timeout)
        try:
            announced = json.loads(self._first or "")
        except ValueError:
            announced = None
        if isinstance(announced, dict) and announced.get("ready"):
            return announced
        raise ChildFailedError(self.name, "did not start", self.output_tail())

    def output_tail(self) -> list[str]:
        self._reader.join(1)
        return list(self._last)

    def ask_to_stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def end(self, grace: float) -> None:
        """Waits for the process to exit, then kills the rest of its group."""
        try:
            self.process.wait(grace)
        except subprocess.TimeoutExpired:
            self._on_line(f"{self.name} did not exit within {grace:g} seconds; killing it.")
        processes.kill_group(self.process)
        self._reader.join(DRAIN_SECONDS)

    def kill(self) -> None:
        """Kills the process group at once, like a crash."""
        processes.kill_group(self.process)

    def pause(self) -> None:
        """Freezes the process and its descendants, like a stalled machine."""
        self._signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, signal_number: int) -> None:
        with suppress(psutil.NoSuchProcess):
            first = psutil.Process(self.process.pid)
            first.send_signal(signal_number)  # the parent first: frozen, it starts no more children
            for process in first.children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    process.send_signal(signal_number)

    def _read(self, reading: int) -> None:
        with os.fdopen(reading, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                text = line.rstrip("\n")
                self._first = text if self._first is None else self._first
                self._last.append(text)
                self._first_line.set()
                self._on_line(text)
        self._first_line.set()


def stop_all(children: Iterable[Child], grace: float) -> None:
    """Signals all children first, so that they stop in parallel."""
    stopping = list(children)
    for child in stopping:
        child.ask_to_stop()
    for child in stopping:
        child.end(grace)


def adopt_orphans() -> None:
    """Makes this process the parent of orphaned descendants, so that none is missed. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def descendants() -> list[psutil.Process]:
    """Every running descendant."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def kill_remaining(known_before: Iterable[psutil.Process], timeout: float) -> list[str]:
    """Waits for new descendants to end; kills the remaining ones and returns what each was doing."""
    before, deadline = set(known_before), time.monotonic() + timeout
    # A process that ends may have started another, so they are listed again.
    while remaining := [process for process in descendants() if process not in before]:
        if time.monotonic() >= deadline:
            break
        psutil.wait_procs(remaining, timeout=deadline - time.monotonic())
    described = [text for text in map(_describe, remaining) if text]
    for process in remaining:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(remaining, timeout=timeout)
    return described


def _describe(process: psutil.Process) -> str | None:
    """What a process runs, where and since when; None if it has ended."""
    try:
        with process.oneshot():
            if process.status() == psutil.STATUS_ZOMBIE:
                return None
            times = process.cpu_times()
            return (
                f"{process.pid} ({process.status()} for {time.time() - process.create_time():.0f} s, of which "
                f"{times.user + times.system:.1f} s computing, in {process.cwd()}, child of {process.ppid()}): "
                f"{' '.join(process.cmdline())[:300] or process.name()}"
            )
    except psutil.NoSuchProcess:
        return None
    except psutil.AccessDenied:
        return f"{process.pid} (of another user)"
