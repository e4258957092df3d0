"""Changes that operators make, for the command line and the console: each describes itself before it runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from botocore.exceptions import ClientError

from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.messages.mail import RawMail
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import Interrupt
from webordinary.contract.outcomes import Failure
from webordinary.tables.jobs import JobRecord, JobState
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError
from webordinary_ops.job_finder import JobFinder, NoSuchJobError

STOPPED = Outcome(state="failed", failure=Failure.STOPPED_BY_OPERATOR)
REPLAY = re.compile(r"-(again-\d+|later)$")
MAX_REPLAYS = 50
BY_OPERATOR = "operator"  # who cancelled a second attempt


class StopResult(Message):
    job: str
    state: str
    was_running: bool


class ReplayResult(Message):
    job: str
    replay_of: str
    execution: str
    answered: bool


class ReleasedPair(Message):
    pair: str
    owner: str
    stopped_task: str | None = None
    released: bool


class PauseResult(Message):
    project: str
    paused: bool


@dataclass(frozen=True)
class PlannedChange:
    """A change that was checked and not made yet. `note` says what follows; empty if nothing does."""

    announcement: str
    run: Callable[[], Message]
    note: str = ""


def plan_stop(deployment: Deployment, record: JobRecord) -> PlannedChange:
    """Ends a job, whether it is waiting or running. Its sender gets a reply.

    For a job that ended because the model was busy, it cancels the second attempt, without a reply.
    """
    job = record.job_id
    if record.state.is_final:
        return _plan_cancelled_attempt(deployment, record)

    def run() -> StopResult:
        ended = deployment.tokens.conclude(record.job, STOPPED)
        was_running = record.state == JobState.RUNNING
        if was_running:
            interrupt = Interrupt(
                pair=record.pair,
                running_job_id=job,
                newer_job_id=job,
                same_thread=True,
                sent_at=deployment.clock(),
            )
            deployment.queues.send("interrupts", interrupt, pair=record.pair)
        return StopResult(job=job, state=ended.state.value, was_running=was_running)

    announcement = f"Stops job {job} of {record.pair}, which is {record.state}. Its sender gets a reply."
    return PlannedChange(announcement, run)


def _plan_cancelled_attempt(deployment: Deployment, record: JobRecord) -> PlannedChange:
    ended = OperatorError(f"Job {record.job_id} has already ended ({record.state}); nothing was changed.")
    if record.tries_again_at is None:
        raise ended

    def run() -> StopResult:
        if not deployment.second_attempts.claim(record, BY_OPERATOR):
            raise ended
        return StopResult(job=record.job_id, state=record.state.value, was_running=False)

    return PlannedChange(f"Cancels the second attempt of job {record.job_id}. Its sender gets no reply.", run)


def plan_replay(deployment: Deployment, job: str, *, answer: bool) -> PlannedChange:
    """Processes a stored mail again, under a new id."""
    original = REPLAY.sub("", job)
    bucket, folder = deployment.names.bucket("raw_mail"), deployment.names.object_prefix("raw_mail")
    if not _is_stored(deployment, bucket, folder + original):
        with suppress(NoSuchJobError):  # a refused mail has no job, and its id is needed in full
            original = REPLAY.sub("", JobFinder(deployment).find(job).job_id)
    key = folder + original
    if not _is_stored(deployment, bucket, key):
        raise OperatorError(f"The raw mail of {original} does not exist or has expired, so it cannot be replayed.")
    if any(REPLAY.sub("", record.job_id) == original for record in deployment.jobs.open_jobs()):
        raise OperatorError(f"Job {original} is still open. Stop it first, or wait until it ends.")

    def run() -> ReplayResult:
        for number in range(1, MAX_REPLAYS):
            mail = RawMail(
                mail_id=f"{original}-again-{number}", bucket=bucket, key=key, replay_of=original, silent=not answer
            )
            if execution := _start(deployment, mail):
                with suppress(NoSuchJobError):  # a second attempt would do the same again
                    deployment.second_attempts.claim(JobFinder(deployment).find(original), mail.mail_id)
                return ReplayResult(job=mail.mail_id, replay_of=original, execution=execution, answered=answer)
        raise OperatorError(f"The mail {original} has reached the limit of {MAX_REPLAYS} replays; nothing was started.")

    reply = "gets a second reply" if answer else "gets no reply"
    return PlannedChange(f"Processes the mail {original} again. Its sender {reply}.", run)


def plan_release(deployment: Deployment, pair: Pair, *, at_once: bool = False) -> PlannedChange:
    """Stops the worker that owns a pair, so that another worker can claim it."""
    found = deployment.ownership.inspect(pair)
    if found.container_id is None:
        deployment.worker_requests.clear(pair)
        raise OperatorError(
            f"{pair} has no owner. Its worker request was reset; the next sweep requests a worker if jobs are waiting."
        )
    owner = found.container_id
    serving = next((entry for entry in deployment.workers.all() if entry.pair == pair and entry.task_id), None)
    task = serving.task_id if serving else None

    def run() -> ReleasedPair:
        if task:
            deployment.client("ecs").stop_task(
                cluster=deployment.facts.cluster, task=task, reason="An operator released its pair."
            )
        if at_once:
            deployment.ownership.release_lease(found)
        deployment.worker_requests.clear(pair)
        return ReleasedPair(pair=pair.key, owner=owner, stopped_task=task, released=at_once)

    running = f" Another worker resumes its job {serving.job_id}." if serving and serving.job_id else ""
    lease = timedelta(seconds=deployment.facts.timing.lease_seconds) + deployment.ownership.clock_margin
    note = f"The pair is released when the worker stops, or {lease.seconds} s after its last lease renewal."
    return PlannedChange(f"Stops the worker {owner}, which owns {pair}.{running}", run, note="" if at_once else note)


def plan_pause(deployment: Deployment, project: str | None) -> PlannedChange:
    """Stops the agents of a project, or of all projects."""
    if project is not None:
        deployment.projects.project(project)  # raises for an unknown project

    def run() -> PauseResult:
        deployment.pauses.pause(project)
        return PauseResult(project=project or "all projects", paused=True)

    return PlannedChange(f"Pauses {project or 'all projects'} until resumed. Mails are accepted and wait.", run)


def plan_resume(deployment: Deployment, project: str | None) -> PlannedChange:
    """Ends the pause of a project, or of all projects."""
    if project not in deployment.pauses.all():
        resume = deployment.connection.command
        paused = deployment.pauses.all()
        others = "".join(f" {one} is paused: {resume(f'resume {one}')}." for one in paused if one)
        if None in paused:
            others = f" All projects are paused together: {resume('resume')}."
        what = f"{project} is not paused by itself." if project else "The projects are not paused together."
        raise OperatorError(f"{what}{others}" if others else "No project is paused.")

    def run() -> PauseResult:
        deployment.pauses.resume(project)
        return PauseResult(project=project or "all projects", paused=False)

    return PlannedChange(f"Resumes {project or 'all projects'}. Waiting jobs start within a minute.", run)


def _is_stored(deployment: Deployment, bucket: str, key: str) -> bool:
    try:
        deployment.client("s3").head_object(Bucket=bucket, Key=key)
    except ClientError as error:
        if error.response["Error"]["Code"] not in ("404", "403", "NoSuchKey"):
            raise
        return False
    return True


def _start(deployment: Deployment, mail: RawMail) -> str | None:
    client = deployment.client("stepfunctions")
    try:
        started = client.start_execution(
            stateMachineArn=f"{deployment.facts.state_machine_arn}:{deployment.names.alias}",
            name=mail.mail_id,
            input=mail.wire_text(),
        )
    except client.exceptions.ExecutionAlreadyExists:
        return None
    return str(started["executionArn"])
