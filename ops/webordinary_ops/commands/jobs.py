"""`webordinary jobs`, `show`, `stop` and `replay`."""

from __future__ import annotations

from collections.abc import Iterable

import click

from webordinary.contract.messages.base import Message
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.names import branch_of
from webordinary.tables.jobs import JobRecord, JobState, UnreadableJob
from webordinary_ops.actions import plan_replay, plan_stop
from webordinary_ops.cli import Operator
from webordinary_ops.deployment import Deployment
from webordinary_ops.job_finder import ExecutionStep, JobFinder


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
    job: str
    pair: str
    thread: str
    command: str
    state: str
    received: str
    elapsed: str
    result: str
    detail: str | None = None
    fence: int | None = None
    branch: str
    commit: str | None = None
    changed_files: tuple[str, ...] = ()
    preview: str | None = None
    dollars: float | None = None  # once the job has ended
    dollars_so_far: float | None = None  # of a running job, as its worker reports it
    answer: str | None = None
    words: str | None = None
    steps: tuple[ExecutionStep, ...] = ()
    links: dict[str, str]


@click.command(short_help="List jobs.")
@click.option("--project", help="Only jobs of this project.")
@click.option("--user", help="Only jobs of this user.")
@click.option("--thread", help="Only jobs of this thread; the beginning of its id is enough.")
@click.option("--state", type=click.Choice([state.value for state in JobState]), help="Only jobs in this state.")
@click.option("--since", metavar="MINUTES", type=click.IntRange(min=1), help="Only jobs received in the last MINUTES.")
@click.option("--unanswered", is_flag=True, help="Only jobs whose mail has no reply yet, finished ones too.")
@click.option("--all", "include_finished", is_flag=True, help="Include finished jobs (kept for 90 days).")
@click.pass_obj
def jobs(
    operator: Operator,
    project: str | None,
    user: str | None,
    thread: str | None,
    state: str | None,
    since: int | None,
    unanswered: bool,
    include_finished: bool,
) -> None:
    """Lists jobs, oldest first. Finished jobs are listed only with --all, --unanswered or a final --state."""
    deployment = operator.deployment
    finished = include_finished or unanswered or (state is not None and JobState(state).is_final)
    now = deployment.clock()
    rows = [
        job_row(record)
        for record in sorted(_records(deployment, project, finished=finished), key=lambda record: record.received_at)
        if (project is None or (record.pair and record.pair.project == project))
        and (user is None or (record.pair and record.pair.user == user))
        and (state is None or record.state == state)
        and (thread is None or (isinstance(record, JobRecord) and record.job.thread_id.startswith(thread)))
        and (since is None or _minutes_ago(record, now.timestamp()) <= since)
        and (not unanswered or _is_unanswered(deployment, record))
    ]
    operator.output.rows(rows, "No matching jobs." if finished else "No open jobs.")


@click.command(short_help="Show one job, step by step.")
@click.argument("job")
@click.option("--words", is_flag=True, help="Include the text of the request.")
@click.pass_obj
def show(operator: Operator, job: str, words: bool) -> None:
    """Shows the state, result and steps of JOB, with links to its execution and logs.

    While it runs, `dollars so far` is its cost as the worker reports it.
    The customer's text is shown only with --words.
    """
    operator.output.one(_details(operator.deployment, job, words=words))


@click.command(short_help="Stop a job and notify its sender.")
@click.argument("job")
@click.pass_obj
def stop(operator: Operator, job: str) -> None:
    """Stops JOB, whether it is waiting or running. Its sender gets a reply that says so.

    For a job that ended because the model was busy, it cancels the second attempt, without a reply.
    """
    deployment = operator.deployment
    change = plan_stop(deployment, JobFinder(deployment).find(job))
    operator.confirm(change.announcement)
    operator.output.one(change.run())


@click.command(short_help="Process a mail again.")
@click.argument("job")
@click.option("--answer", is_flag=True, help="Send the sender a second reply.")
@click.pass_obj
def replay(operator: Operator, job: str, answer: bool) -> None:
    """Processes the raw mail of JOB again, under a new id, in the same thread.

    Use it for a mail that failed because of an outage, or that was rejected by mistake. Its sender gets a reply only
    with --answer.
    """
    change = plan_replay(operator.deployment, job, answer=answer)
    operator.confirm(change.announcement)
    operator.output.one(change.run())


def _records(deployment: Deployment, project: str | None, *, finished: bool) -> Iterable[JobRecord | UnreadableJob]:
    if not finished:
        return deployment.jobs.open_jobs()
    if project is None:
        return deployment.jobs.scan()
    return [record for pair in deployment.entries.get(project).pairs() for record in deployment.jobs.all_jobs_of(pair)]


def _is_unanswered(deployment: Deployment, record: JobRecord | UnreadableJob) -> bool:
    silent = isinstance(record, JobRecord) and record.job.silent
    return not silent and deployment.answer_to(record.job_id) is None


def job_row(record: JobRecord | UnreadableJob) -> JobRow:
    command, result, thread, dollars = "?", "unreadable", "?", 0.0
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
    job_id = job.job_id
    until = record.updated_at / 1000 if record.state.is_final else deployment.clock().timestamp()
    return JobDetails(
        job=job.job_id,
        pair=job.pair.key,
        thread=job.thread_id,
        command=job.command.value,
        state=record.state.value,
        received=job.received_at.isoformat(timespec="seconds"),
        elapsed=f"{until - job.received_at.timestamp():.0f} s",
        result=_result(outcome),
        detail=(outcome.detail or None) if outcome else None,
        fence=record.fence,
        branch=branch_of(job.thread_id),
        commit=outcome.commit if outcome else None,
        changed_files=outcome.changed_files if outcome else (),
        preview=outcome.preview_url if outcome else None,
        dollars=outcome.usage.dollars if outcome else None,
        dollars_so_far=_dollars_so_far(deployment, record),
        answer=deployment.answer_to(job.job_id),
        words=job.instruction if words else None,
        steps=tuple(finder.steps(job_id)),
        links={} if deployment.connection.is_local else finder.links(job_id),
    )


def _dollars_so_far(deployment: Deployment, record: JobRecord) -> float | None:
    if record.state != JobState.RUNNING:
        return None
    return deployment.ownership.inspect(record.pair).dollars_so_far(record.job_id, record.fence)


def _minutes_ago(record: JobRecord | UnreadableJob, now: float) -> float:
    return (now - record.job.received_at.timestamp()) / 60 if isinstance(record, JobRecord) else 0.0
