"""`webordinary jobs`, `show`, `stop` and `replay`: the mails that are worked on."""

from __future__ import annotations

import re
from collections.abc import Iterable

import click
from botocore.exceptions import ClientError

from webordinary.contract.messages.base import Message
from webordinary.contract.messages.mail import RawMail
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import Interrupt
from webordinary.contract.names import branch_of
from webordinary.contract.outcomes import Failure
from webordinary.tables.jobs import JobRecord, JobState, UnreadableJob
from webordinary_ops.cli import Operator
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError
from webordinary_ops.job_finder import ExecutionStep, JobFinder

STOPPED = Outcome(state="failed", failure=Failure.STOPPED_BY_OPERATOR)
REPLAY = re.compile(r"-again-\d+$")
MOST_REPLAYS = 50


class JobRow(Message):
    job: str
    received: str
    state: str
    pair: str
    command: str
    result: str
    dollars: float
    thread: str


class JobDetails(Message):
    """The way of one mail."""

    job: str
    pair: str
    thread: str
    command: str
    state: str
    received: str
    waited_or_took: str
    result: str
    detail: str | None = None
    fence: int | None = None
    branch: str
    commit: str | None = None
    changed_files: tuple[str, ...] = ()
    preview: str | None = None
    dollars: float = 0.0
    answer: str | None = None
    words: str | None = None
    steps: tuple[ExecutionStep, ...] = ()
    links: dict[str, str]


class StopResult(Message):
    job: str
    state: str
    was_running: bool


class ReplayResult(Message):
    job: str
    replay_of: str
    execution: str
    answered: bool


@click.command(short_help="The mails that are being worked on.")
@click.option("--project", help="Only of this project.")
@click.option("--user", help="Only of this user.")
@click.option("--thread", help="Only of this conversation.")
@click.option("--state", type=click.Choice([state.value for state in JobState]), help="Only in this state.")
@click.option("--since", metavar="MINUTES", type=click.IntRange(min=1), help="Only what came so lately.")
@click.option("--all", "also_over", is_flag=True, help="Also those that are over (kept for 90 days).")
@click.pass_obj
def jobs(
    operator: Operator,
    project: str | None,
    user: str | None,
    thread: str | None,
    state: str | None,
    since: int | None,
    also_over: bool,
) -> None:
    """Lists jobs, the oldest first; without --all or a final --state only those that somebody still waits for."""
    deployment = operator.deployment
    over = also_over or (state is not None and JobState(state).is_final)
    now = deployment.clock()
    rows = [
        _row(record)
        for record in sorted(_records(deployment, project, over=over), key=lambda record: record.received_at)
        if (project is None or (record.pair and record.pair.project == project))
        and (user is None or (record.pair and record.pair.user == user))
        and (state is None or record.state == state)
        and (thread is None or (isinstance(record, JobRecord) and record.job.thread_id == thread))
        and (since is None or _minutes_ago(record, now.timestamp()) <= since)
    ]
    operator.output.rows(rows, "No job is like that." if over else "Nobody waits for anything.")


@click.command(short_help="The way of one mail, step by step.")
@click.argument("job")
@click.option("--words", is_flag=True, help="Also what was asked for, in the words of the person.")
@click.pass_obj
def show(operator: Operator, job: str, words: bool) -> None:
    """Tells what became of the mail JOB: its steps with times, and where to look further.

    What the person wrote is shown only with --words: look at it when you must.
    """
    operator.output.one(_details(operator.deployment, job, words=words))


@click.command(short_help="Ends a job; its sender is told.")
@click.argument("job")
@click.pass_obj
def stop(operator: Operator, job: str) -> None:
    """Ends JOB, whether it waits or runs. Its sender gets an answer that says so."""
    deployment = operator.deployment
    record = JobFinder(deployment).find(job)
    if record.state.is_final:
        raise OperatorError(f"Job {job} is over already ({record.state}); nothing was changed.")
    operator.confirm(f"Ends job {job} of {record.pair}, which is {record.state}. Its sender is told.")
    ended = deployment.tokens.conclude(record.job, STOPPED)
    was_running = record.state == JobState.RUNNING
    if was_running:
        interrupt = Interrupt(
            pair=record.pair,
            running_job_id=record.job_id,
            newer_job_id=record.job_id,
            same_thread=True,
            sent_at=deployment.clock(),
        )
        deployment.queues.send("interrupts", interrupt, pair=record.pair)
    operator.output.one(StopResult(job=job, state=ended.state.value, was_running=was_running))


@click.command(short_help="Carries a mail out once more.")
@click.argument("job")
@click.option("--answer", is_flag=True, help="Answer its sender a second time.")
@click.pass_obj
def replay(operator: Operator, job: str, answer: bool) -> None:
    """Carries the raw mail of JOB out once more, under a new id, in the same conversation.

    For a mail that failed through no fault of its own, or that was refused by mistake. Its sender hears of it only with
    --answer.
    """
    deployment = operator.deployment
    original = REPLAY.sub("", job)
    bucket, key = deployment.names.bucket("raw_mail"), f"{deployment.names.object_prefix('raw_mail')}{original}"
    try:
        deployment.client("s3").head_object(Bucket=bucket, Key=key)
    except ClientError as error:
        raise OperatorError(f"There is no raw mail of {original} (any more), so it cannot be replayed.") from error
    if any(REPLAY.sub("", record.job_id) == original for record in deployment.jobs.open_jobs()):
        raise OperatorError(f"Job {original} is still being worked on. Stop it first, or wait for its end.")
    told = "is answered a second time" if answer else "does not hear of it"
    operator.confirm(f"Carries the mail {original} out once more. Its sender {told}.")
    for number in range(1, MOST_REPLAYS):
        mail = RawMail(
            mail_id=f"{original}-again-{number}", bucket=bucket, key=key, replay_of=original, silent=not answer
        )
        if execution := _start(deployment, mail):
            operator.output.one(
                ReplayResult(job=mail.mail_id, replay_of=original, execution=execution, answered=answer),
            )
            return
    raise OperatorError(f"The mail {original} was replayed {MOST_REPLAYS} times already; nothing was started.")


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


def _records(deployment: Deployment, project: str | None, *, over: bool) -> Iterable[JobRecord | UnreadableJob]:
    if not over:
        return deployment.jobs.open_jobs()
    if project is None:
        return deployment.jobs.scan()
    return [record for pair in deployment.entries.get(project).pairs() for record in deployment.jobs.all_jobs_of(pair)]


def _row(record: JobRecord | UnreadableJob) -> JobRow:
    command, result, thread, dollars = "?", "cannot be read", "?", 0.0
    if isinstance(record, JobRecord):
        command, result, thread = record.job.command.value, _result(record.outcome), record.job.thread_id
        dollars = round(record.outcome.usage.dollars, 4) if record.outcome is not None else 0.0
    return JobRow(
        job=record.job_id,
        received=record.received_at[:19],
        state=str(record.state),
        pair=record.pair.key if record.pair else "?",
        command=command,
        result=result,
        dollars=dollars,
        thread=thread,
    )


def _result(outcome: Outcome | None) -> str:
    if outcome is None:
        return ""
    return str(outcome.result or outcome.failure or outcome.state)


def _details(deployment: Deployment, job_id: str, *, words: bool) -> JobDetails:
    finder = JobFinder(deployment)
    record = finder.find(job_id)
    job, outcome = record.job, record.outcome
    until = record.updated_at / 1000 if record.state.is_final else deployment.clock().timestamp()
    return JobDetails(
        job=job.job_id,
        pair=job.pair.key,
        thread=job.thread_id,
        command=job.command.value,
        state=record.state.value,
        received=job.received_at.isoformat(timespec="seconds"),
        waited_or_took=f"{until - job.received_at.timestamp():.0f} s",
        result=_result(outcome),
        detail=(outcome.detail or None) if outcome else None,
        fence=record.fence,
        branch=branch_of(job.thread_id),
        commit=outcome.commit if outcome else None,
        changed_files=outcome.changed_files if outcome else (),
        preview=outcome.preview_url if outcome else None,
        dollars=outcome.usage.dollars if outcome else 0.0,
        answer=deployment.answer_to(job.job_id),
        words=job.instruction if words else None,
        steps=tuple(finder.steps(job_id)),
        links={} if deployment.connection.is_local else finder.links(job_id),
    )


def _minutes_ago(record: JobRecord | UnreadableJob, now: float) -> float:
    return (now - record.job.received_at.timestamp()) / 60 if isinstance(record, JobRecord) else 0.0
