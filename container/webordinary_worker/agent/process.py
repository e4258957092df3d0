"""One process of the agent, with its own model proxy. It runs one turn and ends.

    started ──────▶ set up ──────────────▶ prompted ──────▶ finished or interrupted ──▶ ended
    loads its code  switches its user,     the turn         (no process of its user is left)
                    starts Claude Code

It may be started and set up long before its prompt; the proxy rejects requests until then. Until it is set up it runs
as the worker's user, so that the agent of another turn cannot touch it while it loads.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from webordinary.protocol.worker.run import CancelReason
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.agent.wire import INTERRUPT_LINE, AgentPrompt, AgentSetup
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import Confinement, kill_group, tail
from webordinary_worker.proxies.model_proxy import ModelProxy

GRACE_SECONDS = 1.0
MAX_ERROR_OUTPUT = 2000  # bytes


class AgentProcess:
    def __init__(
        self,
        confinement: Confinement,
        folder: Path,
        environment: Mapping[str, str],
        proxy: ModelProxy,
    ) -> None:
        self.setup: AgentSetup | None = None
        self.error_output = ""
        self.proxy = proxy
        self._confinement = confinement
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed with the process
        # -P: never import a module from the tree or the working folder.
        self._process = confinement.start_self_confining(
            [sys.executable, "-P", "-m", "webordinary_worker.agent.child"],
            folder=folder,
            environment=environment,
            errors=self._errors,
        )

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def set_up(self, setup: AgentSetup) -> None:
        self.setup = setup
        self._write(setup.line())

    def turn(
        self, prompt: str, budget: float, cancellation: CancellationToken, on_request: Callable[[], None]
    ) -> AgentResult | None:
        """Runs one turn and ends the process. None if it ended without a result."""
        if self._process.stdout is None:
            raise RuntimeError("the agent's process was started without pipes")
        timers: list[threading.Timer] = []

        def react(reason: CancelReason) -> None:
            if reason is not CancelReason.INTERRUPTED:
                kill_group(self._process)
                return
            self._write(INTERRUPT_LINE)
            timer = threading.Timer(GRACE_SECONDS, kill_group, (self._process,))
            timers.append(timer)
            timer.start()

        self.proxy.meter.grant(budget, on_request)
        try:
            self._write(AgentPrompt(prompt=prompt).line())
            with cancellation.on_cancel(react):
                return _last_result(self._process.stdout.readlines())
        finally:
            for timer in timers:
                timer.cancel()
            self.end()

    def end(self) -> None:
        """Kills all processes of its user and revokes its token."""
        if self.setup is None:
            kill_group(self._process)  # it still runs as the worker's user and has no children
        else:
            self._confinement.end(self._process)
        self.proxy.stop()
        if not self._errors.closed:
            self.error_output = tail(self._errors, MAX_ERROR_OUTPUT)
            self._errors.close()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _write(self, line: str) -> None:
        if self._process.stdin is None:
            raise RuntimeError("the agent's process was started without pipes")
        with suppress(OSError):  # the process has ended; its result is missing then
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()


def _last_result(lines: list[bytes]) -> AgentResult | None:
    for line in reversed(lines):
        with suppress(ValidationError):  # not our output
            return AgentResult.model_validate_json(line)
    return None
