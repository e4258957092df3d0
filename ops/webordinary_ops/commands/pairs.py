"""`webordinary owners`, `workers` and `release`."""

from __future__ import annotations

import click

from webordinary.contract.messages.base import Message, Pair
from webordinary.tables.jobs import JobState
from webordinary.tables.workers import WorkerEntry
from webordinary_ops.actions import plan_release
from webordinary_ops.cli import PAIR, Operator
from webordinary_ops.deployment import Deployment


class OwnerRow(Message):
    pair: str
    worker: str
    fence: int
    lease_ends: str
    live: bool


class WorkerRow(Message):
    slot: str
    phase: str
    since: str
    capacity: str
    task: str
    pair: str
    job: str


@click.command(short_help="List the owners of pairs.")
@click.pass_obj
def owners(operator: Operator) -> None:
    """Lists every pair that has an owner. If `live` is False the lease has expired and another worker may claim it."""
    table, now = operator.deployment.ownership, operator.deployment.clock()
    rows = [
        OwnerRow(
            pair=one.pair.key,
            worker=one.container_id or "",
            fence=one.fence,
            lease_ends=one.lease_expires_at.isoformat(timespec="seconds") if one.lease_expires_at else "",
            live=one.is_live(now, table.clock_margin),
        )
        for one in sorted(table.all(), key=lambda one: one.pair.key)
    ]
    operator.output.rows(rows, "No pair has an owner.")


@click.command(short_help="List the workers of the fleet.")
@click.pass_obj
def workers(operator: Operator) -> None:
    """Lists every worker (starting, idle, busy or stopping), and the job that it runs."""
    operator.output.rows(worker_rows(operator.deployment), "No workers are running. They start on demand.")


def worker_rows(deployment: Deployment) -> list[WorkerRow]:
    rows = []
    for entry in deployment.workers.all():
        # The entry names the job that the worker was requested for; it may run a later one, or none.
        open_jobs = deployment.jobs.open_jobs_of(entry.pair) if entry.pair else []
        running = next((record.job_id for record in open_jobs if record.state == JobState.RUNNING), "")
        rows.append(_worker_row(entry, running))
    return rows


@click.command(short_help="Stop the worker that owns a pair.")
@click.argument("pair", type=PAIR)
@click.option(
    "--at-once", is_flag=True, help="Release the pair before the worker has stopped. Only if the worker hangs."
)
@click.pass_obj
def release(operator: Operator, pair: Pair, at_once: bool) -> None:
    """Stops the worker that owns PAIR, so that another worker can claim it.

    The worker has two minutes to requeue its job; the mail is still answered. With --at-once the pair is released
    immediately: both workers may run for a while, and the fence rejects reports of the old one.
    """
    change = plan_release(operator.deployment, pair, at_once=at_once)
    operator.confirm(change.announcement)
    operator.output.one(change.run())
    if change.note:
        operator.output.say(change.note)


def _worker_row(entry: WorkerEntry, job: str) -> WorkerRow:
    return WorkerRow(
        slot=entry.launch.slot,
        phase=entry.phase.value,
        since=entry.since.isoformat(timespec="seconds"),
        capacity=entry.launch.capacity.value,
        task=entry.task_id or "",
        pair=entry.pair.key if entry.pair else "",
        job=job,
    )
