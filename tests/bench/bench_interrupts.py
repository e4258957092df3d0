"""Time until the agent of a newer mail calls the model, while an agent works on an older mail of the thread.

Goal: at most 1.5 s. The interrupted work is committed and pushed in between. Measured twice: with a worker alone, from
the time when interrupt and newer job are queued; and on the local stack, from the time when the mail is authenticated.
There, functions and emulator share the machine with the worker.
"""

from __future__ import annotations

import itertools
import statistics
import tempfile
import time
from pathlib import Path

from local.emulator.process import EmulatorProcess
from local.model.server import serving
from local.model.steps import ScriptedStep, ToolCall
from local.settings import StackSettings
from local.stack.stack import Stack
from tests.e2e.conftest import ADA, MailSender
from tests.integration.worker.harness import BUILD, Deployment, Remote, Worker
from tests.support.model_client import StandInClient
from tools.package import ROOT

ROUNDS = 9
GOAL_SECONDS = 1.5
MINUTES = 600.0
_numbers = itertools.count(1)
Rows = list[tuple[str, float, str]]


def run() -> Rows:
    return [
        _row("from queued job to first model request, of its goal", _with_a_worker_alone()),
        _row("from accepted mail to first model request, of its goal", _with_the_whole_stack()),
    ]


def _row(name: str, taken: list[float]) -> tuple[str, float, str]:
    median = statistics.median(taken)
    explanation = f"{median:.2f} s ({min(taken):.2f} to {max(taken):.2f} in {len(taken)} rounds)"
    return name, median / GOAL_SECONDS, explanation


def _with_a_worker_alone() -> list[float]:
    with (
        tempfile.TemporaryDirectory(prefix="webordinary-bench-") as name,
        EmulatorProcess(state=Path(name) / "emulator", runtime=BUILD / "runtime") as emulator,
        serving() as model,
    ):
        bench = Interrupted(emulator, model.url, Path(name))
        try:
            bench.first_mail()
            return [bench.interrupt() for _ in range(ROUNDS)]
        finally:
            bench.worker.close()


def _with_the_whole_stack() -> list[float]:
    with Stack(StackSettings.for_tests(max_workers=1)) as stack:
        if stack.model_url is None:
            raise RuntimeError("this needs the stand-in for the model, not the real one")
        post, model, taken = MailSender(stack), StandInClient(stack.model_url), []
        answers = post.send(ADA, 'Please change "8 am to 2 pm" to "all day".').wait_for_reply()
        for number in range(ROUNDS):
            older, newer = (f"{which} wish number {number} of the stack." for which in ("Older", "Newer"))
            _script(model, older, newer, number)
            post.send(ADA, older, in_reply_to=answers.message_id)
            model.wait_until_hanging(when=older, seconds=MINUTES)
            sent = post.send(ADA, newer, in_reply_to=answers.message_id)
            model.wait_for_request(when=newer, seconds=MINUTES)
            asked = time.time()
            taken.append(asked - sent.wait_for("mail_parsed").at)
            sent.wait_for_reply()
    return taken


def _script(model: StandInClient, older: str, newer: str, number: int) -> None:
    written = ToolCall(name="Write", input={"file_path": f"public/{number}.txt", "content": "half a thought"})
    model.script(ScriptedStep(tools=(written,)), ScriptedStep(hang=MINUTES), when=older)
    model.script(ScriptedStep(text="Done."), when=newer)


class Interrupted:
    """One conversation of one worker."""

    def __init__(self, emulator: EmulatorProcess, model_url: str, folder: Path) -> None:
        remote = Remote(folder / "remote.git", folder / "site")
        remote.push_main()
        self._model = StandInClient(model_url)
        self._deployment = Deployment(emulator, "interrupts", remote)
        self.worker = Worker(self._deployment, folder, ROOT / ".cache/worker", model_url)

    def first_mail(self) -> None:
        """Creates the session and warms up the worker."""
        job = self._deployment.mail('Please change "8 am to 2 pm" to "all day".')
        self._deployment.dispatch(job)
        self._deployment.outcome_of(job, MINUTES)

    def interrupt(self) -> float:
        """Seconds from the newer mail to its agent's first model request."""
        number = next(_numbers)
        older, newer = (self._deployment.mail(f"{which} wish number {number}.") for which in ("Older", "Newer"))
        _script(self._model, older.instruction, newer.instruction, number)
        self._deployment.dispatch(older)
        self._model.wait_until_hanging(when=older.instruction, seconds=MINUTES)
        begun = time.perf_counter()
        self._deployment.dispatch(newer)
        self._deployment.interrupt(older, newer)
        self._model.wait_for_request(when=newer.instruction, seconds=MINUTES)
        seconds = time.perf_counter() - begun
        self._deployment.outcome_of(newer, MINUTES)
        return seconds
