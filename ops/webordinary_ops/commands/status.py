"""`webordinary status`: is everything well?"""

from __future__ import annotations

from collections import Counter

import click

from webordinary.contract.messages.base import Message
from webordinary.tables.jobs import JobRecord, JobState
from webordinary_ops.cli import Operator
from webordinary_ops.dead_letter_queues import DeadLetterQueues
from webordinary_ops.deployment import Deployment


class Status(Message):
    projects: int
    jobs: dict[str, int]
    oldest_waits_seconds: int | None
    claims_waiting: int
    workers: dict[str, int]
    dead_letters: dict[str, int]
    paused: tuple[str, ...]
    notes: tuple[str, ...]


@click.command(short_help="Is everything well?")
@click.pass_obj
def status(operator: Operator) -> None:
    """Counts what waits, what runs and what went wrong, and says in words what needs somebody's attention."""
    operator.output.one(find_status(operator.deployment))


def find_status(deployment: Deployment) -> Status:
    now = deployment.clock()
    records = list(deployment.jobs.open_jobs())
    waiting = [record for record in records if isinstance(record, JobRecord) and record.state == JobState.WAITING]
    oldest = max(((now - record.job.received_at).total_seconds() for record in waiting), default=None)
    dead = {kind: number for kind, number in DeadLetterQueues(deployment).counts().items() if number}
    workers = Counter(entry.phase.value for entry in deployment.workers.all())
    claims = len(deployment.worker_requests.waiting())
    paused = tuple(project or "everything" for project in deployment.pauses.all())
    notes = [f"{one} is paused: webordinary resume" for one in paused]
    if oldest is not None and oldest > deployment.facts.timing.claim_window_seconds:
        notes.append(f"a mail has waited for {oldest / 60:.0f} minutes: webordinary jobs --state waiting")
    if claims and not workers:
        notes.append("somebody waits for a worker and none is starting: docs/runbooks/no-worker.md")
    if dead:
        notes.append("there are dead letters: webordinary dead-letters list")
    if unreadable := len(records) - sum(isinstance(record, JobRecord) for record in records):
        notes.append(f"{unreadable} jobs cannot be read by this version")
    return Status(
        projects=sum(1 for _ in deployment.entries.all()),
        jobs=dict(Counter(str(record.state) for record in records)),
        oldest_waits_seconds=int(oldest) if oldest is not None else None,
        claims_waiting=claims,
        workers=dict(workers),
        dead_letters=dead,
        paused=paused,
        notes=tuple(notes) or ("all is well",),
    )
