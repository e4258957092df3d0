"""Commands that need no worker: help, status and stop.

`stop` interrupts the worker and gives it a few seconds to save its work; jobs that are still open then are ended from
outside, even if their worker is dead. A retry after a crash finds fewer open jobs and reports those.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Self

from webordinary.aws import clients
from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.queues import Queues
from webordinary.aws.telemetry import milestone
from webordinary.contract.errors import UnknownJobError, WebordinaryError
from webordinary.contract.messages.job import ControlOrder, Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import Interrupt
from webordinary.contract.outcomes import ChangeState, Command, EarlierFate, Result
from webordinary.contract.settings import Settings
from webordinary.contract.values import limit
from webordinary.protocol.change_life import Change, Event, Made, Undone, fold, publications
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.sites.live_releases import LiveRecord, LiveReleases
from webordinary.tables.jobs import JobRecord, JobsTable, JobState, UnreadableJobError
from webordinary.tables.second_attempts import SecondAttempts
from webordinary.tables.threads import ANSWER, Threads

MAX_JOBS = 40  # newest jobs of a thread
STOP_SECONDS = 3.0
POLL_SECONDS = 0.25
CHANGES = (Result.CHANGED, Result.PARTLY_CHANGED)


class ThreadState(NamedTuple):
    answers: list[Outcome]  # of the answered jobs, oldest first
    changes: list[Change]  # made or live, oldest first
    live: LiveRecord

    @property
    def preview_url(self) -> str | None:
        """The thread's preview, if it shows more or less than the live site."""
        if all(change.state is ChangeState.LIVE for change in self.changes):
            return None
        return next((outcome.preview_url for outcome in reversed(self.answers) if outcome.preview_url), None)


@dataclass(frozen=True)
class Control:
    jobs: JobsTable
    threads: Threads
    tokens: TaskTokens
    queues: Queues
    releases: LiveReleases
    clock: Clock = utc_now
    wait: Callable[[float], None] = time.sleep
    second_attempts: SecondAttempts | None = None

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        dynamodb, names = clients.dynamodb(), settings.names
        jobs = JobsTable(dynamodb, names)
        return cls(
            jobs=jobs,
            threads=Threads(dynamodb, names),
            tokens=TaskTokens(clients.rarely_used(clients.stepfunctions), jobs),
            queues=Queues(clients.rarely_used(clients.sqs), names),
            releases=LiveReleases(clients.s3, names),
            second_attempts=SecondAttempts(dynamodb, names),
        )

    def run(self, order: ControlOrder) -> Outcome:
        job = order.job
        commands = {Command.HELP: self._help, Command.STATUS: self._status, Command.STOP: self._stop}
        if job.command not in commands:
            raise WebordinaryError(f"The command {job.command} needs a worker; nothing was done.")
        outcome = self._with_earlier_work(job, commands[job.command](job)).bounded()
        milestone("command_answered", job_id=job.job_id, pair=job.pair.key, command=job.command.value)
        return outcome

    def _with_earlier_work(self, job: Job, outcome: Outcome) -> Outcome:
        """If an agent found the command in the mail, its job knows the language and what it did with earlier work."""
        try:
            found = self.jobs.get(job.pair, job.job_id).outcome
        except (UnknownJobError, UnreadableJobError):
            return outcome
        if found is None:
            return outcome
        preview = found.preview_url or outcome.preview_url
        facts = {"language": found.language, "earlier": found.earlier, "preview_url": preview}
        return outcome.model_copy(update={**facts, "usage": found.usage})

    def _help(self, _job: Job) -> Outcome:
        return Outcome(state="done", result=Result.HELP)

    def _status(self, job: Job) -> Outcome:
        open_jobs, thread = self.jobs.open_jobs_of(job.pair), self._read_thread(job)
        made = tuple(change.name[: limit("phrase_characters")] for change in thread.changes)
        return Outcome(
            state="done",
            result=Result.STATUS,
            changes=len([change for change in thread.changes if not change.is_undone]),
            made=made,
            made_states=tuple(change.state for change in thread.changes),
            preview_url=thread.preview_url,
            something_live=thread.live.number > 0,
            running=tuple(name_of(record.job) for record in open_jobs if record.state == JobState.RUNNING),
            waiting=tuple(
                name_of(record.job)
                for record in [*self._second_attempts(job), *open_jobs]
                if record.state != JobState.RUNNING
            ),
        )

    def _read_thread(self, job: Job) -> ThreadState:
        live = self.releases.record(job.pair.project)
        answers = [record.outcome for record in self._answered(job) if record.outcome is not None]
        made = (event for outcome in answers for event in _events_of(outcome))
        published = publications(live, partial(self.releases.find, job.pair.project), job.thread_id)
        changes = [change for change in fold([*made, *published]) if change.state is not ChangeState.UNDONE]
        return ThreadState(answers, changes, live)

    def _answered(self, job: Job) -> Iterator[JobRecord]:
        """The answered jobs of the thread, oldest first."""
        thread = self.threads.get(job.thread_id, [job.pair])
        names = [one.name for one in thread.fingerprints if one.name.startswith(ANSWER)] if thread else []
        for name in names[-MAX_JOBS:]:
            with suppress(UnknownJobError, UnreadableJobError):
                yield self.jobs.get(job.pair, name.removeprefix(ANSWER))

    def _stop(self, job: Job) -> Outcome:
        """Stops the jobs of the thread; in a new thread, all jobs of the pair."""
        open_jobs = [record.job for record in self.jobs.open_jobs_of(job.pair) if _is_stopped_by(job, record.job)]
        for running in open_jobs:
            self._interrupt(running, job)
        self._wait_for(open_jobs)
        outcome = Outcome(state="preempted", stopped_by=job.job_id)
        ended = [self.tokens.conclude(running, outcome) for running in open_jobs]
        cancelled = [
            record
            for record in self._second_attempts(job, None if job.begins_thread else job.thread_id)
            if self.second_attempts is not None and self.second_attempts.claim(record, job.job_id)
        ]
        stopped = (
            *(name_of(record.job) for record in cancelled),
            *(name_of(record.job) for record in ended if record.state == JobState.PREEMPTED),
        )
        if not stopped:
            return Outcome(state="done", result=Result.NOTHING_TO_STOP)
        return Outcome(state="done", result=Result.STOPPED, changes=len(stopped), stopped=stopped)

    def _second_attempts(self, job: Job, thread_id: str | None = None) -> list[JobRecord]:
        """The requests that wait for a second attempt."""
        return self.second_attempts.waiting_in(job.pair, job.job_id, thread_id) if self.second_attempts else []

    def _interrupt(self, running: Job, stop: Job) -> None:
        """Sent for waiting jobs too: one may run when the interrupt arrives. Others are not affected."""
        interrupt = Interrupt(
            pair=running.pair,
            running_job_id=running.job_id,
            newer_job_id=stop.job_id,
            same_thread=True,
            stop=True,
            sent_at=self.clock(),
        )
        self.queues.send("interrupts", interrupt, pair=running.pair)

    def _wait_for(self, jobs: list[Job]) -> None:
        """Waits until no job runs any more, for a few seconds at most."""
        for _ in range(round(STOP_SECONDS / POLL_SECONDS)):
            if not any(self._is_running(job) for job in jobs):
                return
            self.wait(POLL_SECONDS)

    def _is_running(self, job: Job) -> bool:
        try:
            return self.jobs.get(job.pair, job.job_id).state == JobState.RUNNING
        except (UnknownJobError, UnreadableJobError):
            return False


def _is_stopped_by(stop: Job, job: Job) -> bool:
    """Not a mail that came after the stop: an agent may find the command in a mail some time after it came."""
    return job.received_at <= stop.received_at and (stop.begins_thread or job.thread_id == stop.thread_id)


def name_of(job: Job) -> str:
    """The name of a job in replies: its first line that is more than a greeting."""
    from webordinary.mail.commands.request_name import request_name  # its words are not needed by every command

    return request_name(job.instruction, job.envelope.subject)


def _events_of(outcome: Outcome) -> Iterator[Event]:
    """What a job's outcome says about the life of the thread's changes."""
    for work in outcome.earlier:
        if work.fate is EarlierFate.SEPARATE and work.commit is not None:
            yield Made(work.commit, work.subject)
        if work.fate is EarlierFate.UNDONE and work.commit is not None:
            yield Undone(work.commit)
    if outcome.result in CHANGES and outcome.commit is not None:
        yield Made(outcome.commit, outcome.subject)
    if outcome.result is Result.UNDONE and outcome.undone is not None:
        yield Undone(outcome.undone)
