"""Routing a job to the pair's owner: who owns it, what runs there, and the dispatch itself."""

from __future__ import annotations

from dataclasses import dataclass

from webordinary.platform.clients import Clock, utc_now
from webordinary.platform.messages import (
    ClaimDecision,
    ClaimOrder,
    DispatchOrder,
    Interrupt,
    Job,
    OwnershipAnswer,
    Pair,
)
from webordinary.platform.observability import count, milestone
from webordinary.platform.queues import Queues
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.tables.claim_requests import ClaimRequests
from webordinary.tables.jobs import JobRecord, JobsTable, JobState
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.projects import ProjectConfigs


@dataclass(frozen=True)
class Router:
    """The rules of routing over the tables and queues that they need."""

    ownership: OwnershipTable
    jobs: JobsTable
    claims: ClaimRequests
    queues: Queues
    projects: ProjectConfigs
    tokens: TaskTokens
    clock: Clock = utc_now

    def answer_ownership(self, job: Job) -> OwnershipAnswer:
        """Who owns the job's pair. Interrupts what runs there if the project wants newer mails to go first."""
        ownership = self.ownership.inspect(job.pair)
        if not ownership.is_live(self.clock(), self.ownership.clock_margin):
            return OwnershipAnswer(owned=False)
        running = self._running(job.pair)
        return OwnershipAnswer(
            owned=True,
            container_id=ownership.container_id,
            fence=ownership.fence,
            running_job_id=running.job.job_id if running else None,
            interrupted=running is not None and self._interrupt(running.job, job),
        )

    def request_claim(self, order: ClaimOrder) -> ClaimDecision:
        decision = self.claims.request(order.pair, order.job_id)
        count(f"Claims.{decision.verdict.value}")
        milestone("claim_requested", job_id=order.job_id, pair=order.pair.key, verdict=decision.verdict.value)
        return decision

    def dispatch(self, order: DispatchOrder) -> None:
        """Records the job, puts it on the pair's queue, and only then looks for an owner.

        In this order no owner can leave unseen: it looks for waiting jobs after its release, and so finds this one, or
        it has released before the look below, which then finds no owner.
        """
        job = order.job
        record = self.jobs.record(job, order.task_token)
        if record.state.is_final:
            self.tokens.settle(record, token=order.task_token)
            return
        self.queues.send_in_order("input", job, group=job.pair.key, deduplication_id=job.job_id, pair=job.pair)
        milestone("job_dispatched", job_id=job.job_id, pair=job.pair.key, thread_id=job.thread_id)
        if not self.ownership.is_owned(job.pair):
            self.request_claim(ClaimOrder(pair=job.pair, job_id=job.job_id))

    def _running(self, pair: Pair) -> JobRecord | None:
        return next((record for record in self.jobs.open_jobs_of(pair) if record.state == JobState.RUNNING), None)

    def _interrupt(self, running: Job, newer: Job) -> bool:
        same_thread = running.thread_id == newer.thread_id
        policy = self.projects.project(newer.pair.project).interrupts
        wanted = policy == "always" or (policy == "same-thread" and same_thread)
        if not wanted or running.job_id == newer.job_id:
            return False
        interrupt = Interrupt(
            pair=newer.pair,
            running_job_id=running.job_id,
            newer_job_id=newer.job_id,
            same_thread=same_thread,
            sent_at=self.clock(),
        )
        self.queues.send("interrupts", interrupt, pair=newer.pair)
        return True
