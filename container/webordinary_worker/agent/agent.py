"""Runs the agent in a process of its own and brings back what it said.

The environment of that process is an allow list: nothing of the worker's own reaches it, neither cloud credentials nor
the model's key; it reaches the model through a proxy that counts. An interrupt is given in-band first, so that the
session keeps what was said; a second later the whole process group is killed.

Every turn has a process of its own, because whatever a turn leaves running is ended before its work is read. To be
quick all the same, the next turn's process loads its code while the model thinks about this one, and is set up as soon
as this one's is gone: it has resumed the session and waits. One that died meanwhile is replaced, and nobody notices.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from webordinary.aws import telemetry
from webordinary_worker.agent.process import AgentProcess
from webordinary_worker.agent.prompts import SYSTEM_PROMPT
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.agent.statement import statement_schema
from webordinary_worker.agent.wire import AgentSetup
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import Confinement, search_path
from webordinary_worker.confinement.safe_copy import make_folder
from webordinary_worker.proxies.model_proxy import ModelProxy, Upstream
from webordinary_worker.settings import WorkerSettings

QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
}


@dataclass(frozen=True)
class AgentHome:
    """The folders of the agent, one set per thread. `owner` is the agent's user, where it has one."""

    root: Path
    owner: int | None = None

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def config(self) -> Path:
        return self.root / "claude"

    @property
    def temporary(self) -> Path:
        return self.root / "tmp"

    @property
    def tree(self) -> Path:
        """The agent's copy of the thread's tree."""
        return self.root / "tree"

    @property
    def context(self) -> Path:
        """What the agent may read besides the tree, and nobody but the worker may write: the mail's documents."""
        return self.root / "context"

    def clear(self) -> None:
        """Removes all that the agent has written besides its copy of the tree. Nothing of it may run."""
        for folder in (self.home, self.config, self.temporary):
            shutil.rmtree(folder, ignore_errors=True)

    def make(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        if self.owner is not None:
            os.chown(self.root, -1, self.owner)
        self.root.chmod(0o710)  # for the worker and the agent, for no other confined user
        for folder in (self.home, self.config, self.temporary):
            make_folder(folder, self.owner)
        self.context.mkdir(exist_ok=True, mode=0o755)


class Agent:
    def __init__(self, settings: WorkerSettings, confinement: Confinement) -> None:
        self._settings = settings
        self._confinement = confinement.with_own_marker()
        self._upstream = Upstream.from_environment(settings.model_environment, settings.network_environment)
        self._ahead: AgentProcess | None = None
        self._ahead_in: AgentHome | None = None
        self._loading: tuple[AgentHome, AgentProcess] | None = None
        self._lock = threading.Lock()

    def environment(self, home: AgentHome, model: Mapping[str, str]) -> dict[str, str]:
        """Everything that the agent's process can see. `model` is its door to the model, without the key."""
        return {
            "PATH": search_path(self._settings.node_folder),
            "HOME": str(home.home),
            "CLAUDE_CONFIG_DIR": str(home.config),
            "TMPDIR": str(home.temporary),
            "CLAUDE_CODE_MAX_RETRIES": str(self._settings.agent_retries),
            # The child finds its packages where this process finds them; they need not be installed.
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONNOUSERSITE": "1",
            **QUIET,
            **model,
        }

    def begin(self, home: AgentHome) -> None:
        """Lets the process of a turn load its code while everything else is being made ready for it."""
        if self._ahead is None or self._ahead_in != home or not self._ahead.is_alive:
            self._replace(home)

    def make_ready(self, *, tree: Path, home: AgentHome, session_id: str, spent: float) -> None:
        """Starts the process of the next turn, up to where it waits for its prompt."""
        self._replace(home).set_up(self._setup(tree, home, session_id, spent))

    def is_ready(self, *, tree: Path, home: AgentHome, session_id: str | None, spent: float) -> bool:
        """Whether a process waits in the tree, which must stay the same folder then."""
        setup = self._setup(tree, home, session_id, spent)
        return self._ahead is not None and self._ahead.setup == setup and self._ahead.is_alive

    def run(
        self,
        prompt: str,
        *,
        tree: Path,
        home: AgentHome,
        session_id: str | None,
        spent: float,
        job_dollars: float,
        cancellation: CancellationToken,
        most_dollars: float | None = None,
        asked: Callable[[], None] = lambda: None,
    ) -> AgentResult:
        """One turn of the conversation. `spent` is what the session has cost before, by its own count; `job_dollars` is
        what the job's turns before this one have cost, by ours; `most_dollars` is what is left of the day for it.
        `asked` is called whenever the agent asks the model."""
        setup = self._setup(tree, home, session_id, spent)
        own = self._settings.agent_max_dollars
        budget = (own if most_dollars is None else min(own, most_dollars)) - job_dollars

        def asking() -> None:
            asked()
            self._load(home)

        process, was_ahead = self._take(home, setup)
        result = process.turn(prompt, budget, cancellation, asking)
        if result is None and was_ahead and not process.proxy.meter.was_used and cancellation.reason is None:
            process = self._start(home)
            process.set_up(setup)
            result = process.turn(prompt, budget, cancellation, asking)
        if result is None:
            telemetry.logger().error(
                "The agent's process ended without a result.", extra={"agent_errors": process.last_words}
            )
            result = AgentResult(is_error=True)
        return result.model_copy(update=process.proxy.meter.usage())

    def close(self) -> None:
        self._end_ahead()
        with self._lock:
            loading, self._loading = self._loading, None
        if loading is not None:
            loading[1].end()

    def _end_ahead(self) -> None:
        if self._ahead is not None:
            self._ahead.end()
            self._ahead = None

    def _setup(self, tree: Path, home: AgentHome, session_id: str | None, spent: float) -> AgentSetup:
        return AgentSetup(
            system_prompt=SYSTEM_PROMPT,
            tree=str(tree),
            read_folders=(str(home.context),),
            session_id=session_id,
            model=self._settings.agent_model,
            max_turns=self._settings.agent_max_turns,
            max_dollars=spent + self._settings.agent_max_dollars,
            statement_schema=statement_schema(),
        )

    def _take(self, home: AgentHome, setup: AgentSetup) -> tuple[AgentProcess, bool]:
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead.is_alive and self._ahead_in == home and ahead.setup in (None, setup):
            if ahead.setup is None:
                ahead.set_up(setup)
            return ahead, True
        if ahead is not None:
            ahead.end()
        process = self._start(home)
        process.set_up(setup)
        return process, False

    def _replace(self, home: AgentHome) -> AgentProcess:
        self._end_ahead()
        self._ahead, self._ahead_in = self._start(home), home
        return self._ahead

    def _start(self, home: AgentHome) -> AgentProcess:
        """One that loads already, if there is one, or a new one."""
        home.make()
        with self._lock:
            loading, self._loading = self._loading, None
        if loading is None:
            return self._begun(home)
        loads_in, process = loading
        if loads_in == home and process.is_alive:
            return process
        process.end()
        return self._begun(home)

    def _load(self, home: AgentHome) -> None:
        """The next turn's process, while the model thinks about this one. Whoever asks twice gets one."""
        with self._lock:
            if self._loading is None:
                try:
                    self._loading = home, self._begun(home)
                except OSError as error:  # it costs the next turn's time, not this one
                    telemetry.logger().warning("The next agent does not load.", extra={"cause": str(error)})

    def _begun(self, home: AgentHome) -> AgentProcess:
        proxy = ModelProxy(self._upstream)
        environment = self.environment(home, proxy.environment())
        # Each is ended by itself, also where users do not tell them apart.
        confinement = self._confinement.with_own_marker()
        return AgentProcess(confinement, home.root, environment, proxy)
