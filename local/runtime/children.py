"""The programs that the stack starts: each in a process group of its own, read line by line, ended for certain."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from local.errors import ChildFailedError
from local.runtime import processes

_PR_SET_CHILD_SUBREAPER = 36

OnLine = Callable[[str], None]


class Child:
    """A running program. Its standard output and error arrive as lines, in the order in which they were written."""

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
        """Waits for the line of JSON with which a server says that it is ready, and where."""
        self._first_line.wait(timeout)
        try:
            answer = json.loads(self._first or "")
        except ValueError:
            answer = None
        if isinstance(answer, dict) and answer.get("ready"):
            return answer
        raise ChildFailedError(self.name, "did not start", self.output_tail())

    def output_tail(self) -> list[str]:
        self._reader.join(1)
        return list(self._last)

    def ask_to_stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def end(self, grace: float) -> None:
        """Waits for it to leave, then kills what is left of its group."""
        try:
            self.process.wait(grace)
        except subprocess.TimeoutExpired:
            self._on_line(f"{self.name} did not leave within {grace:g} seconds and is killed")
        processes.kill_group(self.process)
        self._reader.join(grace)

    def kill(self) -> None:
        """Ends it as a crash would: at once, without a word."""
        processes.kill_group(self.process)

    def pause(self) -> None:
        """Freezes it and everything that it started, as a machine that stalls would."""
        self._signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, signal_number: int) -> None:
        with suppress(psutil.NoSuchProcess):
            first = psutil.Process(self.process.pid)
            first.send_signal(signal_number)  # itself first: frozen, it starts nothing more
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
    """Asks all of them first, so that they leave side by side."""
    stopping = list(children)
    for child in stopping:
        child.ask_to_stop()
    for child in stopping:
        child.end(grace)


def adopt_orphans() -> None:
    """Makes processes whose parent died ours, so that nothing a child started can go unnoticed. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def descendants() -> dict[int, str]:
    """Every process below this one: id and command."""
    found = {}
    for process in psutil.Process().children(recursive=True):
        try:
            if process.status() != psutil.STATUS_ZOMBIE:
                found[process.pid] = " ".join(process.cmdline()[:4]) or process.name()
        except psutil.NoSuchProcess:
            continue
    return found


def kill_remaining(known_before: Iterable[int], timeout: float) -> list[str]:
    """Waits for our descendants to end; kills and names those that have not."""
    before = set(known_before)
    ours = [process for process in psutil.Process().children(recursive=True) if process.pid not in before]
    psutil.wait_procs(ours, timeout=timeout)
    left = {pid: command for pid, command in descendants().items() if pid not in before}
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    psutil.wait_procs(ours, timeout=timeout)
    return [f"{pid} ({command})" for pid, command in left.items()]
