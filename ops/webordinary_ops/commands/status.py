"""`webordinary status`: the health of a deployment."""

from __future__ import annotations

from collections import Counter

import click

from webordinary.contract.messages.base import Message
from webordinary.tables.jobs import JobRecord, JobState
from webordinary_ops.cli import Operator
from webordinary_ops.commands.repeat import EVERY, repeat
from webordinary_ops.dead_letter_queues import DeadLetterQueues
from webordinary_ops.deployment import Deployment
from webordinary_ops.readable import span


class Status(Message):
    projects: int
    jobs: dict[str, int]
    oldest_wait_seconds: int | None
    worker_requests: int
    workers: dict[str, int]
    dead_letters: dict[str, int]
    paused: tuple[str, ...]
    notes: tuple[str, ...]


@click.command(short_help="Show the health of the deployment.")
@click.option("--watch", "repeated", is_flag=True, help="Repeat until Ctrl-C. `webordinary watch` shows more.")
@click.pass_obj
def status(operator: Operator, repeated: bool) -> None:
    """Counts jobs, workers and dead letters, and lists what needs attention."""

    def show() -> None:
        operator.output.one(find_status(operator.deployment))

    if repeated:
        repeat(operator, EVERY, show)
    else:
        show()


def find_status(deployment: Deployment) -> Status:
    now = deployment.clock()
    records = list(deployment.jobs.open_jobs())
    waiting = [record for record in records if isinstance(record, JobRecord) and record.state == JobState.WAITING]
    oldest = max(((now - record.job.received_at).total_seconds() for record in waiting), default=None)
    dead = {kind: number for kind, number in DeadLetterQueues(deployment).counts().items() if number}
    workers = Counter(entry.phase.value for entry in deployment.workers.all())
    requests = len(deployment.worker_requests.waiting())
    paused = deployment.pauses.all()
    command = deployment.connection.command
    notes = [
        f"{project} is paused: {command(f'resume {project}')}"
        if project
        else f"everything is paused: {command('resume')}"
        for project in paused
    ]
    if oldest is not None and oldest > deployment.facts.timing.claim_window_seconds:
        notes.append(f"a job has been waiting for {span(oldest)}: {command('jobs --state waiting')}")
    if requests and not workers:
        notes.append("a worker is requested and none is starting: docs/runbooks/no-worker.md")
    if dead:
        notes.append(f"messages are in dead-letter queues: {command('dead-letters list')}")
    if unreadable := len(records) - sum(isinstance(record, JobRecord) for record in records):
        notes.append(f"{unreadable} job records cannot be read by this version")
    return Status(
        projects=sum(1 for _ in deployment.entries.all()),
        jobs=dict(Counter(str(record.state) for record in records)),
        oldest_wait_seconds=int(oldest) if oldest is not None else None,
        worker_requests=requests,
        workers=dict(workers),
        dead_letters=dead,
        paused=tuple(project or "everything" for project in paused),
        notes=tuple(notes) or ("no problems found",),
    )
