"""Base of the pumps: background threads that repeat a task until they are stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable

Report = Callable[[str], None]


class Pump:
    """Repeats each task in its own thread. A failure is reported and the task is repeated."""

    name = "pump"
    retry_seconds = 1.0

    def __init__(self, report: Report) -> None:
        self._report = report
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        for number, task in enumerate(self.tasks()):
            thread = threading.Thread(target=self._run, args=(task,), name=f"{self.name}-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def tasks(self) -> list[Callable[[], None]]:
        raise NotImplementedError

    def ask_to_stop(self) -> None:
        """Starts no new task. An open long poll ends by itself or with the emulator."""
        self._stopping.set()

    def join(self, timeout: float) -> None:
        for thread in self._threads:
            thread.join(timeout)

    def _run(self, task: Callable[[], None]) -> None:
        while not self._stopping.is_set():
            try:
                task()
            except Exception as error:
                if self._stopping.is_set():
                    return
                self._report(f"{self.name}: {type(error).__name__}: {error}")
                self._stopping.wait(self.retry_seconds)
