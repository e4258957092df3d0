"""A pump: threads that move things between services until they are told to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable

Report = Callable[[str], None]


class Pump:
    """Base of the pumps. A movement that raises is reported and the pump goes on, as AWS's own services would."""

    name = "pump"
    pause_after_failure = 1.0

    def __init__(self, report: Report) -> None:
        self._report = report
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        for number, movement in enumerate(self.movements()):
            thread = threading.Thread(target=self._run, args=(movement,), name=f"{self.name}-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def movements(self) -> list[Callable[[], None]]:
        """What to repeat, each in a thread of its own."""
        raise NotImplementedError

    def ask_to_stop(self) -> None:
        """Nothing new begins. An open long poll ends when the emulator does, or by itself."""
        self._stopping.set()

    def join(self, timeout: float) -> None:
        for thread in self._threads:
            thread.join(timeout)

    def _run(self, movement: Callable[[], None]) -> None:
        while not self._stopping.is_set():
            try:
                movement()
            except Exception as error:
                if self._stopping.is_set():
                    return
                self._report(f"{self.name}: {type(error).__name__}: {error}")
                self._stopping.wait(self.pause_after_failure)
