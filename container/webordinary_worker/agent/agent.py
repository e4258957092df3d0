"""Runs turns of the agent, each in its own process.

The process's environment is an allow list: it contains no cloud credentials and no key for the model. The agent reaches
the model through a proxy that meters usage. An interrupt is sent in-band first, so that the session records it; one
second later the process group is killed.

Each turn needs a new process, because everything a turn leaves running is killed before its work is read. To save time,
the next turn's process loads its code while the model works on the current turn. It is set up as soon as the current
process has ended: it resumes the session and waits. A prepared process that died is replaced.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

from webordinary.aws import telemetry
from webordinary_worker.agent.home import AgentHome
from webordinary_worker.agent.process import AgentProcess
from webordinary_worker.agent.prompts import SYSTEM_PROMPT
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.agent.statement import statement_schema
from webordinary_worker.agent.wire import AgentSetup
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import Confinement, search_path
from webordinary_worker.proxies.model_access import ModelAccess
from webordinary_worker.proxies.model_proxy import ModelProxy
from webordinary_worker.proxies.usage_meter import Meter
from webordinary_worker.settings import WorkerSettings

NO_EXTRA_TRAFFIC = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
}


class Agent:
    def __init__(
        self, settings: WorkerSettings, confinement: Confinement, open_model: Callable[[], ModelAccess]
    ) -> None:
        self._settings = settings
        self._confinement = confinement.with_own_marker()
        self._open_model = open_model
        self._prepared: AgentProcess | None = None
        self._prepared_home: AgentHome | None = None
        self._loading: tuple[AgentHome, AgentProcess] | None = None
        self._lock = threading.Lock()
        self._meter: Meter | None = None  # of the current turn

    @cached_property
    def _model(self) -> ModelAccess:
        """Opened by the first turn: a failure is that job's, not the worker's."""
        return self._open_model()

    def environment(self, home: AgentHome, model: Mapping[str, str]) -> dict[str, str]:
        """The whole environment of the agent's process. `model` points to the model proxy and contains no key."""
        return {
            "PATH": search_path(self._settings.node_folder),
            "HOME": str(home.home),
            "CLAUDE_CONFIG_DIR": str(home.config),
            "TMPDIR": str(home.temporary),
            "CLAUDE_CODE_MAX_RETRIES": str(self._settings.agent_retries),
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONNOUSERSITE": "1",
            **NO_EXTRA_TRAFFIC,
            **model,
        }

    @property
    def turn_dollars(self) -> float:
        """What the current turn has cost so far; 0 between turns."""
        meter = self._meter
        return float(meter.usage()["dollars"]) if meter is not None else 0.0

    def preload(self, home: AgentHome) -> None:
        """Starts a process that loads its code while the tree is prepared."""
        if self._prepared is None or self._prepared_home != home or not self._prepared.is_alive:
            self._replace(home)

    def prepare_next(self, *, tree: Path, home: AgentHome, session_id: str, spent: float) -> None:
        """Starts the next turn's process and sets it up, so that it only waits for its prompt."""
        self._replace(home).set_up(self._setup(tree, home, session_id, spent))

    def is_prepared(
        self, *, tree: Path, home: AgentHome, session_id: str | None, spent: float, small: bool = False
    ) -> bool:
        """Whether a prepared process waits in this tree. If so, the folder must not be replaced."""
        setup = self._setup(tree, home, session_id, spent, small=small)
        return self._prepared is not None and self._prepared.setup == setup and self._prepared.is_alive

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
        small: bool = False,
        most_dollars: float | None = None,
        on_request: Callable[[], None] = lambda: None,
    ) -> AgentResult:
        """Runs one turn. A small request is answered by the small model, if one is configured.

        `spent`: cost of the session so far, as Claude Code counts it. `job_dollars`: cost of the job's earlier turns,
        as the worker counts it. `most_dollars`: what is left of the daily budget. `on_request` is called for every
        request to the model.
        """
        setup = self._setup(tree, home, session_id, spent, small=small)
        own = self._settings.agent_max_dollars
        budget = (own if most_dollars is None else min(own, most_dollars)) - job_dollars

        def handle_request() -> None:
            on_request()
            self._load(home)

        def run_turn() -> AgentResult | None:
            self._meter = process.proxy.meter
            try:
                return process.turn(prompt, budget, cancellation, handle_request)
            finally:
                self._meter = None

        process, was_prepared = self._take(home, setup)
        result = run_turn()
        if result is None and was_prepared and not process.proxy.meter.was_used and cancellation.reason is None:
            process = self._start(home)
            process.set_up(setup)
            result = run_turn()
        if result is None:
            telemetry.logger().error(
                "The agent's process ended without a result.", extra={"agent_errors": process.error_output}
            )
            result = AgentResult(is_error=True)
        return result.model_copy(update={**process.proxy.meter.usage(), "trouble": process.proxy.trouble})

    def close(self) -> None:
        self._end_prepared()
        with self._lock:
            loading, self._loading = self._loading, None
        if loading is not None:
            loading[1].end()

    def _end_prepared(self) -> None:
        if self._prepared is not None:
            self._prepared.end()
            self._prepared = None

    def _setup(
        self, tree: Path, home: AgentHome, session_id: str | None, spent: float, *, small: bool = False
    ) -> AgentSetup:
        return AgentSetup(
            system_prompt=SYSTEM_PROMPT,
            tree=str(tree),
            read_folders=(str(home.context),),
            session_id=session_id,
            model=self._model.small_model if small else self._model.model,
            max_turns=self._settings.agent_max_turns,
            max_dollars=spent + self._settings.agent_max_dollars,
            statement_schema=statement_schema(),
        )

    def _take(self, home: AgentHome, setup: AgentSetup) -> tuple[AgentProcess, bool]:
        prepared, self._prepared = self._prepared, None
        if (
            prepared is not None
            and prepared.is_alive
            and self._prepared_home == home
            and prepared.setup in (None, setup)
        ):
            if prepared.setup is None:
                prepared.set_up(setup)
            return prepared, True
        if prepared is not None:
            prepared.end()
        process = self._start(home)
        process.set_up(setup)
        return process, False

    def _replace(self, home: AgentHome) -> AgentProcess:
        self._end_prepared()
        self._prepared, self._prepared_home = self._start(home), home
        return self._prepared

    def _start(self, home: AgentHome) -> AgentProcess:
        """Returns the process that is loading already, or a new one."""
        home.make()
        with self._lock:
            loading, self._loading = self._loading, None
        if loading is None:
            return self._new_process(home)
        loading_home, process = loading
        if loading_home == home and process.is_alive:
            return process
        process.end()
        return self._new_process(home)

    def _load(self, home: AgentHome) -> None:
        """Starts the next turn's process, once per turn."""
        with self._lock:
            if self._loading is None:
                try:
                    self._loading = home, self._new_process(home)
                except OSError as error:  # costs time in the next turn, not this one
                    telemetry.logger().warning(
                        "Could not preload the next agent; it starts later.", extra={"cause": str(error)}
                    )

    def _new_process(self, home: AgentHome) -> AgentProcess:
        access = self._model
        proxy = ModelProxy(access.api)
        environment = self.environment(home, {**access.environment(), **proxy.environment()})
        # Its own marker: each process is killed separately, even if all run as one user.
        confinement = self._confinement.with_own_marker()
        return AgentProcess(confinement, home.root, environment, proxy)
