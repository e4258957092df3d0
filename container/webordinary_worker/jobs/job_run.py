"""One job on its way, as the protocol asks for it; `protocol.worker.run` says what each method is for."""

from __future__ import annotations

import time
from collections.abc import Callable

from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Failure
from webordinary.protocol.worker.run import CancelReason
from webordinary_worker.failures import JobFailedError, PublishConflictError
from webordinary_worker.jobs.commands import COMMANDS
from webordinary_worker.jobs.commit_messages import interrupted_message
from webordinary_worker.jobs.job_context import JobContext, Tools


class JobRun:
    """Carries out one job. Its tools are looked for when it runs, not before."""

    def __init__(
        self,
        job: Job,
        tools: Callable[[], Tools],
        check_lease: Callable[[], None],
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._job = job
        self._context = JobContext(job, tools, check_lease, monotonic)

    def cancel(self, reason: CancelReason) -> None:
        self._context.cancellation.cancel(reason)

    def run(self, *, after_interrupted: bool) -> Outcome:
        command = COMMANDS.get(self._job.command)
        if command is None:
            return self.outcome_failed(Failure.UNSUPPORTED)
        self._context.after_interrupted = after_interrupted
        try:
            outcome = command(self._context)
        except PublishConflictError as error:
            outcome = self._context.outcome("failed", failure=error.failure, clashes=error.clashes)
        except JobFailedError as error:
            outcome = self.outcome_failed(error.failure, error.detail)
        finally:
            self._context.clean_up()
        if outcome.commit is None:
            self._context.discard_work()
        self._context.keep_session()
        self._context.make_agent_ready()
        self._context.keep_for_next_worker()
        return outcome

    def keep_partial_work(self) -> str | None:
        """Commits and pushes what an interrupted job has done so far. Returns the commit, if there was anything."""
        tree = self._context.tree
        self._context.make_agent_ready()  # first: it starts while what was done so far is kept
        if tree is None or not tree.changed_files():
            return None
        tree.commit(interrupted_message(self._job))
        pushed = tree.push(self._context.check_lease)
        self._context.keep_session()
        return pushed.commit

    def discard_partial_work(self) -> None:
        self._context.discard_work()

    def outcome_preempted(self, commit: str | None) -> Outcome:
        return self._context.outcome("preempted", commit=commit)

    def outcome_failed(self, failure: Failure, detail: str = "") -> Outcome:
        return self._context.outcome("failed", failure=failure, detail=detail)
