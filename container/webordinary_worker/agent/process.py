"""One process of the agent, with its own door to the model. It does one turn and ends.

    started ──────▶ set up ──────────────▶ asked ──────▶ answered or interrupted ──▶ ended
    loads its code  becomes its user,      the turn      (nothing of its user runs afterwards)
                    starts Claude Code

It may be started and set up long before it is asked; its door to the model is closed until then. Until it is set up it
is the worker's own, so it may load while another one works: nothing of that one's user can touch it.
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
ERRORS_KEPT = 2000  # bytes


class AgentProcess:
    def __init__(
        self,
        confinement: Confinement,
        folder: Path,
        environment: Mapping[str, str],
        proxy: ModelProxy,
    ) -> None:
        self.setup: AgentSetup | None = None
        self.last_words = ""  # what it said when it failed
        self.proxy = proxy
        self._confinement = confinement
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed with the process
        # -P: a module in the tree or the working folder must not be taken for one of ours.
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
        self._tell(setup.line())

    def turn(
        self, prompt: str, budget: float, cancellation: CancellationToken, asked: Callable[[], None]
    ) -> AgentResult | None:
        """One turn, and the end of the process. None if it ended without a result."""
        if self._process.stdout is None:
            raise RuntimeError("the agent's process was started without pipes")
        timers: list[threading.Timer] = []

        def react(reason: CancelReason) -> None:
            if reason is not CancelReason.INTERRUPTED:
                kill_group(self._process)
                return
            self._tell(INTERRUPT_LINE)
            timer = threading.Timer(GRACE_SECONDS, kill_group, (self._process,))
            timers.append(timer)
            timer.start()

        self.proxy.meter.grant(budget, asked)
        try:
            self._tell(AgentPrompt(prompt=prompt).line())
            with cancellation.on_cancel(react):
                return _last_result(self._process.stdout.readlines())
        finally:
            for timer in timers:
                timer.cancel()
            self.end()

    def end(self) -> None:
        """Nothing of its user runs afterwards, and its token is good for nothing."""
        if self.setup is None:
            kill_group(self._process)  # it is nobody's yet, and has started nothing
        else:
            self._confinement.end(self._process)
        self.proxy.stop()
        if not self._errors.closed:
            self.last_words = tail(self._errors, ERRORS_KEPT)
            self._errors.close()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _tell(self, line: str) -> None:
        if self._process.stdin is None:
            raise RuntimeError("the agent's process was started without pipes")
        with suppress(OSError):  # it ended by itself; its missing result says so
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()


def _last_result(lines: list[bytes]) -> AgentResult | None:
    for line in reversed(lines):
        with suppress(ValidationError):  # other output than ours
            return AgentResult.model_validate_json(line)
    return None
