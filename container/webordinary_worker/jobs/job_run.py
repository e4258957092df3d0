"""One run of a job, as `protocol.worker.run.Run` specifies it."""

from __future__ import annotations

import time
from collections.abc import Callable

from webordinary.aws.telemetry import logger
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Failure
from webordinary.protocol.worker.run import CancelReason
from webordinary_worker.failures import ConflictError, JobFailedError, PublishConflictError
from webordinary_worker.git.command import GitError
from webordinary_worker.jobs.background_work import prepare_next_agent, stop_background_work, store_warm_start
from webordinary_worker.jobs.commands import COMMANDS
from webordinary_worker.jobs.commit_messages import interrupted_message
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.pair_tools import PairTools


class JobRun:
    """The pair's tools are made when the job runs, not before."""

    def __init__(
        self,
        job: Job,
        tools: Callable[[], PairTools],
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
            stop_background_work(self._context)
        if outcome.commit is None:
            self.discard_partial_work()
        self._store_transcript()
        prepare_next_agent(self._context)
        store_warm_start(self._context)
        return outcome

    def keep_partial_work(self) -> str | None:
        tree = self._context.tree
        prepare_next_agent(self._context)  # first: it starts while the partial work is pushed
        if tree is None or not tree.changed_files():
            return None
        tree.commit(interrupted_message(self._job))
        pushed = tree.push(self._context.check_lease)
        self._store_transcript()
        return pushed.commit

    def discard_partial_work(self) -> None:
        """Removes everything the job did, including partial work that an earlier interruption had pushed."""
        tree = self._context.tree
        if tree is None:
            return
        tree.discard_changes()
        if not tree.has_resumed:
            return
        try:
            tree.push(self._context.check_lease)
        except (GitError, ConflictError) as error:
            logger().warning("Could not remove the pushed partial work of a job.", extra={"cause": str(error)})

    def outcome_preempted(self, commit: str | None) -> Outcome:
        return self._context.outcome("preempted", commit=commit)

    def outcome_failed(self, failure: Failure, detail: str = "") -> Outcome:
        return self._context.outcome("failed", failure=failure, detail=detail)

    def _store_transcript(self) -> None:
        # Only after the push: the next worker must not resume a session whose changes its tree does not have.
        context = self._context
        if context.tree is not None:
            context.tools.transcripts.store(self._job.thread_id, context.home.tree, context.home)
