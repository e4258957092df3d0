"""One run of a job, as `protocol.worker.run.Run` specifies it."""

from __future__ import annotations

import time
from collections.abc import Callable

from webordinary.contract.errors import PairLostError
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Command, EarlierFate, Failure
from webordinary.protocol.worker.run import CancelReason
from webordinary_worker.failures import JobFailedError, PublishConflictError, best_effort
from webordinary_worker.jobs import earlier_work
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
        self._handed_over = False

    def cancel(self, reason: CancelReason) -> None:
        self._context.cancellation.cancel(reason)

    def run(self) -> Outcome:
        command = COMMANDS.get(self._job.command)
        if command is None:
            return self.outcome_failed(Failure.UNSUPPORTED)
        try:
            outcome = self._settle(self._carry_out(command))
        finally:
            best_effort(lambda: stop_background_work(self._context), None, "stop background work")
        for step in (self._store_transcript, self._prepare_next_agent, lambda: store_warm_start(self._context)):
            best_effort(step, None, "prepare for the next job")
        return outcome

    def dollars_so_far(self) -> float:
        conversation = self._context.conversation
        return conversation.dollars_so_far() if conversation is not None else 0.0

    def keep_partial_work(self) -> str | None:
        """Commits and pushes an edit's partial work, even if there is none: the commit hands the request over."""
        if self._job.command is not Command.EDIT:
            self._discard_unpushed()
            return None
        context = self._context
        best_effort(self._prepare_next_agent, None, "start the next agent")  # it starts during the push
        if context.tree is None:
            context.tree = context.tools.workspace.open(self._job.thread_id)
            context.tree.catch_up()
        tree = context.tree
        earlier: tuple[str, ...] = ()
        if context.partial is None:
            tree.uncommit()
        elif context.partial_in_tree:
            tree.uncommit()
            earlier = context.partial.jobs
        else:
            tree.reset_to_remote()  # the resumed work is still on the remote branch
        is_empty = not tree.changed_files()
        tree.commit(interrupted_message(self._job, earlier))
        commit = tree.push(context.check_lease)
        self._handed_over = True
        best_effort(self._store_transcript, None, "store the transcript")
        return None if is_empty else commit

    def discard_partial_work(self) -> None:
        """Removes everything the job did, including partial work that an earlier interruption had pushed."""
        context = self._context
        if context.tree is None:
            return
        context.tree.discard_changes()
        if context.partial is not None:
            earlier_work.remove(context, context.tree)

    def outcome_preempted(self, commit: str | None) -> Outcome:
        return self._context.outcome("preempted", commit=commit, handed_over=self._handed_over)

    def outcome_failed(self, failure: Failure, detail: str = "") -> Outcome:
        return self._context.outcome("failed", failure=failure, detail=detail)

    def _carry_out(self, command: Callable[[JobContext], Outcome]) -> Outcome:
        try:
            return command(self._context)
        except PublishConflictError as error:
            return self._context.outcome("failed", failure=error.failure, clashes=error.clashes)
        except JobFailedError as error:
            return self.outcome_failed(error.failure, error.detail)

    def _settle(self, outcome: Outcome) -> Outcome:
        if outcome.live_url is None:
            return earlier_work.settle(self._context, outcome)
        try:
            return earlier_work.settle(self._context, outcome)
        except PairLostError:
            raise
        except Exception:  # the live site has changed: nothing may fail this job, and no newer mail may stop it
            earlier_work.note(self._context, EarlierFate.KEPT)
            return outcome.model_copy(update={"earlier": tuple(self._context.earlier)})

    def _discard_unpushed(self) -> None:
        if self._context.tree is not None:
            self._context.tree.reset_to_remote()

    def _prepare_next_agent(self) -> None:
        prepare_next_agent(self._context)

    def _store_transcript(self) -> None:
        # Only after the push: the next worker must not resume a session whose changes its tree does not have.
        context = self._context
        if context.tree is not None:
            context.tools.transcripts.store(self._job.thread_id, context.home.tree, context.home)
