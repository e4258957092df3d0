"""Mails and their executions: the steps as the state machine runs them, with retries and error paths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from tests.model.fixtures import NAMES
from tests.model.scheduler import Actor
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import DispatchOrder, Job, OwnershipQuestion
from webordinary.contract.messages.mail import Envelope
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Failure
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.steps.check_ownership import CheckOwnership
from webordinary.steps.dispatch import Dispatch
from webordinary.tables.projects import ProjectConfigs

if TYPE_CHECKING:
    from tests.model.processes import Tables
    from tests.model.world import World


@dataclass
class Mail:
    """One mail and the execution that answers it."""

    job: Job
    preparation: Actor
    token: str = ""
    tokens: int = 0
    dispatch: Actor | None = None
    reply: Actor | None = None
    answers: list[Outcome] = field(default_factory=list)

    @property
    def is_being_dispatched(self) -> bool:
        """Whether it has yet to be queued, or dispatch has yet to look for an owner of the pair."""
        return not self.preparation.finished or self.dispatch is None or not self.dispatch.finished


class Executions:
    def __init__(self, world: World, tables: Tables, tokens: TaskTokens, clock: Callable[[], datetime]) -> None:
        self.mails: list[Mail] = []
        self._world = world
        self._clock = clock
        projects = ProjectConfigs(cast(Any, world.table), NAMES)
        self._jobs = tables.jobs
        self._worker_requests = tables.worker_requests
        self._check = CheckOwnership(tables.ownership, clock)
        self._dispatch = Dispatch(
            tables.jobs, tables.queues, tables.ownership, tables.worker_requests, tokens, projects, clock
        )

    def receive_mail(self, pair: Pair) -> None:
        limit = self._world.faults.max_unanswered
        if sum(mail.job.pair == pair and not mail.answers for mail in self.mails) >= limit:
            return
        job = self._job(pair, len(self.mails) + 1)
        self.mails.append(Mail(job, self._world.invoke("prepare", partial(self._prepare, job))))

    def advance(self) -> None:
        for mail in self.mails:
            if mail.answers or not mail.preparation.finished:
                continue
            if mail.reply is not None:
                if mail.reply.finished and mail.reply.crashed:
                    mail.reply = self._world.invoke("reply", partial(self._reply, mail))
            elif mail.token and self._world.task_tokens.is_over(mail.token):
                mail.reply = self._world.invoke("reply", partial(self._reply, mail))
            elif mail.dispatch is None or (mail.dispatch.finished and mail.dispatch.crashed):
                self._send(mail)

    def _job(self, pair: Pair, number: int) -> Job:
        envelope = Envelope(
            sender="ada@example.com", recipient="edit@example.org", subject="", message_id=f"<{number}>"
        )
        return Job(
            job_id=f"mail-{number}",
            pair=pair,
            thread_id=self._world.random.choice("abc") * 26,
            instruction="Please change the opening hours.",
            envelope=envelope,
            received_at=self._clock(),
        )

    def _prepare(self, job: Job) -> None:
        """A failure here does not stop the mail: dispatch looks for an owner itself."""
        if not self._check.run(OwnershipQuestion(job=job)).owned:
            self._worker_requests.request(job.pair, job.job_id)

    def _send(self, mail: Mail) -> None:
        tokens = self._world.task_tokens
        if mail.token:
            tokens.abandon(mail.token)
        mail.tokens += 1
        mail.token = f"{mail.job.job_id}-token-{mail.tokens}"
        tokens.begin(mail.token)
        order = DispatchOrder(job=mail.job, task_token=mail.token)
        mail.dispatch = self._world.invoke("dispatch", partial(self._dispatch.run, order))

    def _reply(self, mail: Mail) -> None:
        """Ends an execution as the reply step does: with the outcome in the jobs table, or else with a failure."""
        unknown = Outcome(state="failed", failure=Failure.TIMED_OUT)
        record = self._jobs.get(mail.job.pair, mail.job.job_id)
        if not record.state.is_final:
            record = self._jobs.conclude(mail.job.pair, mail.job.job_id, unknown, settled=True)
        self._world.monitor.note(f"{mail.job.job_id}: answered, {record.state}")
        mail.answers.append(record.outcome or unknown)
