"""Runs the agent in a process of its own and brings back what it said.

The environment of that process is an allow list: nothing of the worker's own reaches it, neither cloud credentials nor
the model's key; it reaches the model through a proxy that counts. An interrupt is given in-band first, so that the
session keeps what was said; a second later the whole process group is killed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from webordinary.platform import observability
from webordinary.protocol.worker.run import CancelReason
from webordinary_worker.agent_protocol import INTERRUPT_LINE, AgentResult, AgentTask
from webordinary_worker.cancellation import CancellationToken
from webordinary_worker.folder_copies import make_folder
from webordinary_worker.model_proxy import ModelProxy, Upstream, serving
from webordinary_worker.processes import Confinement, kill_group, path_behind
from webordinary_worker.prompt import SYSTEM_PROMPT
from webordinary_worker.settings import WorkerSettings

GRACE_SECONDS = 1.0
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
        self._confinement = confinement

    def environment(self, home: AgentHome, model: Mapping[str, str]) -> dict[str, str]:
        """Everything that the agent's process can see. `model` is its door to the model, without the key."""
        return {
            "PATH": path_behind(self._settings.node_folder),
            "HOME": str(home.home),
            "CLAUDE_CONFIG_DIR": str(home.config),
            "TMPDIR": str(home.temporary),
            "CLAUDE_CODE_MAX_RETRIES": str(self._settings.agent_retries),
            # The child finds its packages where this process finds them; they need not be installed.
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PYTHONDONTWRITEBYTECODE": "1",
            **QUIET,
            **model,
        }

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
    ) -> AgentResult:
        """One turn of the conversation. `spent` is what the session has cost before, by its own count; `job_dollars` is
        what the job's turns before this one have cost, by ours; `most_dollars` is what is left of the day for it."""
        own = self._settings.agent_max_dollars
        budget = own if most_dollars is None else min(own, most_dollars)
        task = AgentTask(
            prompt=prompt,
            system_prompt=SYSTEM_PROMPT,
            tree=tree,
            read_folders=(home.context,),
            session_id=session_id,
            model=self._settings.agent_model,
            max_turns=self._settings.agent_max_turns,
            max_dollars=spent + budget,
        )
        upstream = Upstream.from_environment(self._settings.model_environment, self._settings.network_environment)
        with serving(upstream, budget - job_dollars) as proxy:
            result = self._run(task, home, proxy, cancellation)
            return result.model_copy(update=proxy.meter.usage())

    def _run(self, task: AgentTask, home: AgentHome, proxy: ModelProxy, cancellation: CancellationToken) -> AgentResult:
        home.make()
        errors = home.root / "agent-errors.log"
        with errors.open("wb") as stderr:
            # -P: a module in the tree or the working folder must not be taken for one of ours.
            process = self._confinement.start(
                [sys.executable, "-P", "-m", "webordinary_worker.agent_child"],
                folder=home.home,
                environment=self.environment(home, proxy.environment()),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                ends_with_its_input=True,
            )
        result = self._converse(process, task, cancellation)
        if result is None:
            said = errors.read_text(errors="replace")[-2000:]
            observability.logger().error("The agent's process ended without a result.", extra={"agent_errors": said})
            result = AgentResult(is_error=True)
        return result

    def _converse(
        self, process: subprocess.Popen[bytes], task: AgentTask, cancellation: CancellationToken
    ) -> AgentResult | None:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the agent's process was started without pipes")
        stdin, stdout = process.stdin, process.stdout
        timers: list[threading.Timer] = []

        def react(reason: CancelReason) -> None:
            if reason is not CancelReason.INTERRUPTED:
                kill_group(process)
                return
            with suppress(OSError):  # it ended by itself just now
                stdin.write(INTERRUPT_LINE.encode())
                stdin.flush()
            timer = threading.Timer(GRACE_SECONDS, kill_group, (process,))
            timers.append(timer)
            timer.start()

        try:
            with suppress(BrokenPipeError):  # it died at once; its missing result says so
                stdin.write(task.line().encode())
                stdin.flush()
            with cancellation.reacting(react):
                return _last_result(stdout.readlines())
        finally:
            for timer in timers:
                timer.cancel()
            self._confinement.end(process)
            with suppress(BrokenPipeError):
                stdin.close()
            stdout.close()


def _last_result(lines: list[bytes]) -> AgentResult | None:
    for line in reversed(lines):
        with suppress(ValidationError):  # other output than ours
            return AgentResult.model_validate_json(line)
    return None
