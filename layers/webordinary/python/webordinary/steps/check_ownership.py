"""Who owns a job's pair. Interrupts what runs there if the project wants newer mails to go first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from webordinary.aws import clients
from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.queues import Queues
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.ownership import Interrupt, OwnershipAnswer, OwnershipQuestion
from webordinary.contract.settings import Settings
from webordinary.tables.jobs import JobRecord, JobsTable, JobState
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.projects import ProjectConfigs


@dataclass(frozen=True)
class CheckOwnership:
    ownership: OwnershipTable
    jobs: JobsTable
    projects: ProjectConfigs
    queues: Queues
    clock: Clock = utc_now

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        dynamodb, names = clients.dynamodb(), settings.names
        return cls(
            ownership=OwnershipTable(dynamodb, names, settings.timing),
            jobs=JobsTable(dynamodb, names),
            projects=ProjectConfigs(dynamodb, names),
            queues=Queues(clients.sqs(), names),
        )

    def run(self, question: OwnershipQuestion) -> OwnershipAnswer:
        job = question.job
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
