"""A job's turns with the agent: their cost, and the session that they share."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from webordinary.aws.telemetry import count, milestone
from webordinary.contract.messages.job import Job
from webordinary.contract.outcomes import Failure
from webordinary.contract.values import limit
from webordinary_worker.agent.agent import Agent
from webordinary_worker.agent.home import AgentHome
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.agent.transcripts import Session, Transcripts
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.safe_copy import Quota, copy_for_user
from webordinary_worker.failures import JobFailedError
from webordinary_worker.git.work_tree import WorkTree
from webordinary_worker.proxies.model_access import ModelUnavailableError
from webordinary_worker.proxies.model_api import ModelTrouble

AroundTurn = Callable[[Path], AbstractContextManager[Callable[[], None]]]


class AgentConversation:
    def __init__(
        self,
        job: Job,
        agent: Agent,
        transcripts: Transcripts,
        home: AgentHome,
        quota: Quota,
        around_turn: AroundTurn = lambda _: nullcontext(lambda: None),
    ) -> None:
        """`around_turn` is entered for each turn with the agent's copy of the tree. It yields a callback that is called
        for every request to the model."""
        self._job = job
        self._around_turn = around_turn
        self._agent = agent
        self._transcripts = transcripts
        self._home = home
        self._quota = quota
        self._input_tokens = 0
        self._output_tokens = 0
        self._dollars = 0.0
        self._reported_dollars = 0.0
        self.refused: dict[str, None] = {}  # files that the agent changed and may not change

    @property
    def bill(self) -> dict[str, float]:
        """The cost of this job's turns, as fields of `Usage`."""
        return {
            "input_tokens": self._input_tokens,
            "output_tokens": self._output_tokens,
            "dollars": round(self._dollars, 6),
        }

    def dollars_so_far(self) -> float:
        """The cost of this job's turns, the current one included. It never becomes smaller.

        Between the end of a turn and its count, the turn is missing in the sum.
        """
        self._reported_dollars = max(self._reported_dollars, self._dollars + self._agent.turn_dollars)
        return self._reported_dollars

    def ask(
        self, tree: WorkTree, prompt: str, cancellation: CancellationToken, *, finished: Callable[..., None]
    ) -> AgentResult:
        """Runs one turn. If it fails, the tree is reset."""
        thread_id = self._job.thread_id
        self._home.make()
        session = self._transcripts.find(thread_id, self._home.tree, self._home)
        resumed = session is not None
        milestone("agent_started", job_id=self._job.job_id, pair=self._job.pair.key, resumed=resumed)
        result = self._turn(tree, prompt, session, cancellation)
        is_own_error = result.is_error and not result.over_budget and result.trouble is None
        if session is not None and is_own_error and result.session_id is None:
            self._count(result)
            self._transcripts.forget(thread_id)  # it cannot be resumed: start a new session
            session = None
            result = self._turn(tree, prompt, None, cancellation)
        finished(failed=result.is_error, interrupted=result.interrupted)
        self._note(result)
        cancellation.check()
        if result.over_budget:
            tree.discard_changes()
            raise JobFailedError(Failure.BUDGET_SPENT)
        if result.is_error:
            tree.discard_changes()
            raise _failure_of(result)
        return result

    def prepare_next(self, tree: WorkTree) -> None:
        """Prepares the agent for the thread's next mail. Of this job it keeps the transcript only."""
        session = self._transcripts.reset_home(self._job.thread_id, self._home.tree, self._home)
        if session is not None:
            copy_for_user(tree.folder, self._home.tree, self._home.owner)
            self._agent.prepare_next(
                tree=self._home.tree, home=self._home, session_id=session.session_id, spent=session.dollars
            )

    def _turn(
        self, tree: WorkTree, prompt: str, session: Session | None, cancellation: CancellationToken
    ) -> AgentResult:
        resume: dict[str, Any] = {"session_id": None, "spent": 0.0}
        if session is not None:
            resume = {"session_id": session.session_id, "spent": session.dollars}
        home = self._home
        resume["small"] = is_small(self._job)
        fresh = not self._agent.is_prepared(tree=home.tree, home=home, **resume)
        copy_for_user(tree.folder, home.tree, home.owner, fresh=fresh)
        resume["job_dollars"] = self._dollars
        resume["most_dollars"] = self._job.max_dollars
        with self._around_turn(home.tree) as on_request:
            result = self._agent.run(
                prompt, tree=home.tree, home=home, cancellation=cancellation, on_request=on_request, **resume
            )
        self.refused |= dict.fromkeys(tree.import_copy(home.tree, home.owner, self._quota))
        return result

    def _count(self, result: AgentResult) -> None:
        self._input_tokens += result.input_tokens
        self._output_tokens += result.output_tokens
        self._dollars += result.dollars

    def _note(self, result: AgentResult) -> None:
        self._count(result)
        if result.session_id is not None:
            self._transcripts.note(self._job.thread_id, Session(result.session_id, result.session_dollars))


def is_small(job: Job) -> bool:
    """Whether the small model, if one is configured, is enough."""
    return not job.attachments and len(job.instruction) <= limit("small_request_characters")


def _failure_of(result: AgentResult) -> JobFailedError:
    if result.trouble is ModelTrouble.UNAVAILABLE:
        return ModelUnavailableError(result.summary)
    if result.trouble is ModelTrouble.BUSY:
        count("ModelBusy")
        return JobFailedError(Failure.MODEL_BUSY)
    return JobFailedError(Failure.AGENT_FAILED, result.summary)
