"""Hands a job to its pair: records it, sends it to the pair's queue, then interrupts the owner or requests a worker.

An edit takes over a request of its thread that waits for a second attempt. An undo cancels it.

The order matters. A job that is sent before its pair's owner is read cannot be missed: an owner looks for waiting jobs
after it released its lease, so it finds this one, or the read here finds no owner and a worker is requested. And an
interrupt that is sent last always finds the newer job in the queue.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Self

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws import clients
from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.queue_provisioning import PairQueues, QueueNotReadyError
from webordinary.aws.queues import Queues
from webordinary.aws.telemetry import count, logger, milestone, trace_of_this_call
from webordinary.contract.errors import WebordinaryError
from webordinary.contract.messages.job import DispatchOrder, Job
from webordinary.contract.messages.ownership import Interrupt
from webordinary.contract.outcomes import Command
from webordinary.contract.settings import Settings
from webordinary.protocol.joined_requests import joined
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.tables.conversation_records import NotedMail
from webordinary.tables.conversations import Conversations
from webordinary.tables.jobs import JobsTable, JobState
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.second_attempts import SecondAttempts


class Dispatch(NamedTuple):
    jobs: JobsTable
    queues: Queues
    ownership: OwnershipTable
    worker_requests: WorkerRequests
    tokens: TaskTokens
    projects: ProjectConfigs
    clock: Clock = utc_now
    second_attempts: SecondAttempts | None = None
    note: Callable[[Job], None] = lambda _job: None  # for the console

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        dynamodb, names, timing = clients.dynamodb(), settings.names, settings.timing
        ensure = PairQueues(clients.sqs(), names, timing, settings.kms_key_arn).ensure
        jobs, queues = JobsTable(dynamodb, names), Queues(clients.sqs(), names, ensure)
        conversations = Conversations(dynamodb, names)
        return cls(
            jobs=jobs,
            queues=queues,
            ownership=OwnershipTable(dynamodb, names, timing),
            worker_requests=WorkerRequests.from_settings(settings),
            tokens=TaskTokens(clients.rarely_used(clients.stepfunctions), jobs),
            projects=ProjectConfigs(dynamodb, names),
            second_attempts=SecondAttempts(dynamodb, names),
            note=lambda job: conversations.note_mail(NotedMail.of_job(job)),
        )

    def run(self, order: DispatchOrder) -> None:
        self._hand_over(order)
        if not order.job.silent:
            self.note(order.job)

    def _hand_over(self, order: DispatchOrder) -> None:
        job = self._with_waiting_requests(order.job.model_copy(update={"trace": trace_of_this_call() or ""}))
        record = self.jobs.record(job, order.task_token)
        if record.state.is_final:
            self.tokens.settle(record, token=order.task_token)
            return
        try:
            self.queues.send_in_order("input", job, group=job.pair.key, deduplication_id=job.job_id, pair=job.pair)
        except QueueNotReadyError as error:
            logger().warning(str(error), extra={"job_id": job.job_id})
            count("QueuesNotReady")
            return  # the job is recorded as waiting: the sweep sends it and requests a worker
        milestone("job_dispatched", job_id=job.job_id, pair=job.pair.key, thread_id=job.thread_id)
        if self.ownership.is_owned(job.pair):
            self._interrupt_running(job)
        else:
            self.worker_requests.request(job.pair, job.job_id)

    def _with_waiting_requests(self, job: Job) -> Job:
        """The job, with the requests of its thread that wait for a second attempt. It claims them before it runs."""
        if self.second_attempts is None or job.repeated or job.command not in (Command.EDIT, Command.UNDO):
            return job
        for record in reversed(self.second_attempts.waiting_in(job.pair, job.job_id, job.thread_id)):
            together = joined(record.job, job) if job.command is Command.EDIT else job
            if together is not None and self.second_attempts.claim(record, job.job_id):
                job = together
        return job

    def _interrupt_running(self, newer: Job) -> None:
        """Interrupts the pair's running job if the project's policy says so. A failure only delays the newer job."""
        try:
            running = self._find_running(newer)
            if running is None or not self._should_interrupt(running, newer):
                return
            interrupt = Interrupt(
                pair=newer.pair,
                running_job_id=running.job_id,
                newer_job_id=newer.job_id,
                same_thread=running.thread_id == newer.thread_id,
                sent_at=self.clock(),
            )
            self.queues.send("interrupts", interrupt, pair=newer.pair)
        except (BotoCoreError, ClientError, WebordinaryError) as error:
            logger().warning(
                "Could not interrupt the running job; the newer job waits for its end.",
                extra={"job_id": newer.job_id, "cause": str(error)},
            )

    def _find_running(self, newer: Job) -> Job | None:
        records = self.jobs.open_jobs_of(newer.pair)
        return next((record.job for record in records if record.state == JobState.RUNNING), None)

    def _should_interrupt(self, running: Job, newer: Job) -> bool:
        # Step Functions retries a dispatch: by then a job may run that is newer than this one, or this one itself.
        if running.job_id == newer.job_id or running.received_at > newer.received_at:
            return False
        policy = self.projects.project(newer.pair.project).interrupts
        return policy == "always" or (policy == "same-thread" and running.thread_id == newer.thread_id)
