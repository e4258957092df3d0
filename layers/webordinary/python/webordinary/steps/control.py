"""What a mail can ask for that needs no worker: help, status, stop. Answered at any time, however much waits.

`stop` tells the worker first and gives it a moment to keep what it has done; whatever is still open then is ended from
outside, so that it ends even where its worker is gone. A second attempt after a crash finds less to stop and is right
about what it finds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from webordinary.aws import clients
from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.queues import Queues
from webordinary.aws.telemetry import milestone
from webordinary.contract.errors import UnknownJobError, WebordinaryError
from webordinary.contract.messages.job import ControlOrder, Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import Interrupt
from webordinary.contract.outcomes import Command, Result
from webordinary.contract.settings import Settings
from webordinary.contract.values import limit
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.sites.live_releases import LiveRelease, LiveReleases
from webordinary.tables.items import milliseconds
from webordinary.tables.jobs import JobRecord, JobsTable, JobState, UnreadableJobError
from webordinary.tables.threads import ANSWER, Threads

MOST_LOOKED_AT = 40  # jobs of a conversation, the newest
PATIENCE_SECONDS = 3.0
LOOK_SECONDS = 0.25
CHANGES = (Result.CHANGED, Result.PARTLY_CHANGED)


@dataclass(frozen=True)
class Control:
    jobs: JobsTable
    threads: Threads
    tokens: TaskTokens
    queues: Queues
    releases: LiveReleases
    clock: Clock = utc_now
    wait: Callable[[float], None] = time.sleep

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        dynamodb, names = clients.dynamodb(), settings.names
        jobs = JobsTable(dynamodb, names)
        return cls(
            jobs=jobs,
            threads=Threads(dynamodb, names),
            tokens=TaskTokens(clients.stepfunctions(), jobs),
            queues=Queues(clients.sqs(), names),
            releases=LiveReleases(clients.s3, names),
        )

    def run(self, order: ControlOrder) -> Outcome:
        job = order.job
        ways = {Command.HELP: self._help, Command.STATUS: self._status, Command.STOP: self._stop}
        if job.command not in ways:
            raise WebordinaryError(f"The command {job.command} needs a worker; nothing was done here.")
        outcome = ways[job.command](job)
        milestone("command_answered", job_id=job.job_id, pair=job.pair.key, command=job.command.value)
        return outcome

    def _help(self, _job: Job) -> Outcome:
        return Outcome(state="done", result=Result.HELP)

    def _status(self, job: Job) -> Outcome:
        open_jobs = self.jobs.open_jobs_of(job.pair)
        answered, live = [*self._answered(job)], [*self.releases.shown(job.pair.project)]
        made = _standing(answered)
        return Outcome(
            state="done",
            result=Result.STATUS,
            changes=len(made),
            made=tuple(made),
            made_live=_number_live(made, answered, live, job.thread_id),
            something_live=bool(live),
            running=tuple(name_of(one.job) for one in open_jobs if one.state == JobState.RUNNING),
            waiting=tuple(name_of(one.job) for one in open_jobs if one.state == JobState.WAITING),
        )

    def _answered(self, job: Job) -> Iterator[JobRecord]:
        """The jobs of the conversation that were answered, the oldest first."""
        thread = self.threads.get(job.thread_id, [job.pair])
        said = [one.name for one in thread.said if one.name.startswith(ANSWER)] if thread else []
        for name in said[-MOST_LOOKED_AT:]:
            with suppress(UnknownJobError, UnreadableJobError):
                yield self.jobs.get(job.pair, name.removeprefix(ANSWER))

    def _stop(self, job: Job) -> Outcome:
        """In a conversation, what was asked for there; in a mail of its own, everything of the pair."""
        wanted = [
            record.job
            for record in self.jobs.open_jobs_of(job.pair)
            if job.begins_thread or record.job.thread_id == job.thread_id
        ]
        for running in wanted:
            self._tell_its_worker(running, job)
        self._wait_for(wanted)
        outcome = Outcome(state="preempted", stopped_by=job.job_id)
        ended = [self.tokens.conclude(running, outcome) for running in wanted]
        stopped = tuple(name_of(record.job) for record in ended if record.state == JobState.PREEMPTED)
        if not stopped:
            return Outcome(state="done", result=Result.NOTHING_TO_STOP)
        return Outcome(state="done", result=Result.STOPPED, changes=len(stopped), stopped=stopped)

    def _tell_its_worker(self, running: Job, stop: Job) -> None:
        """A job that does not run yet may do so by the time that this arrives; one that does not is not disturbed."""
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
        """Until those that run have been reported by their workers, for a moment at most."""
        for _ in range(round(PATIENCE_SECONDS / LOOK_SECONDS)):
            if not any(self._runs(job) for job in jobs):
                return
            self.wait(LOOK_SECONDS)

    def _runs(self, job: Job) -> bool:
        try:
            return self.jobs.get(job.pair, job.job_id).state == JobState.RUNNING
        except (UnknownJobError, UnreadableJobError):
            return False


def name_of(job: Job) -> str:
    """What a job is called among people: its first words."""
    first = job.instruction.strip().partition("\n")[0] or job.envelope.subject
    return first[: limit("phrase_characters")]


def _standing(records: list[JobRecord]) -> list[str]:
    """What a conversation has changed and not taken back."""
    made: list[str] = []
    for outcome in (record.outcome for record in records if record.outcome is not None):
        if outcome.result in CHANGES:
            made.append(outcome.subject)
        elif outcome.result is Result.UNDONE and outcome.subject in made:
            made.reverse()
            made.remove(outcome.subject)
            made.reverse()
    return made


def _number_live(made: list[str], answered: list[JobRecord], live: list[LiveRelease], thread_id: str) -> int:
    """How many of a conversation's changes are live: those from before it was published, or was asked for to be."""
    released = next((release for release in live if release.thread_id == thread_id), None)
    if released is None:
        return 0
    asked = [
        number
        for number, record in enumerate(answered)
        if record.job_id == released.job_id or (_asked_publishers(record) and _ended_before(record, released))
    ]
    were_standing = _standing(answered[: asked[-1]]) if asked else []
    return next((number for number, change in enumerate(made) if change not in were_standing), len(made))


def _asked_publishers(record: JobRecord) -> bool:
    return record.outcome is not None and record.outcome.result is Result.PUBLISH_ASKED


def _ended_before(record: JobRecord, released: LiveRelease) -> bool:
    return record.updated_at <= milliseconds(released.published_at)
