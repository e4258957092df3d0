"""`webordinary watch` and `tail`: a deployment as it works."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

import click

from webordinary.contract.errors import WebordinaryError
from webordinary.tables.jobs import JobRecord
from webordinary_ops.cli import Operator
from webordinary_ops.commands.jobs import job_row
from webordinary_ops.commands.pairs import worker_rows
from webordinary_ops.commands.repeat import EVERY, repeat
from webordinary_ops.commands.status import find_status
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError
from webordinary_ops.job_finder import JobFinder
from webordinary_ops.readable import short_ids

MOST_JOBS = 20
ENDED = "Execution"  # prefix of the last step: ExecutionSucceeded, ExecutionFailed …

SECONDS = click.option(
    "--every",
    "seconds",
    type=click.FloatRange(min=0.5),
    default=EVERY,
    show_default=True,
    help="Seconds between reads.",
)


@click.command(short_help="Show the deployment live.")
@SECONDS
@click.pass_obj
def watch(operator: Operator, seconds: float) -> None:
    """Shows health, open jobs and workers, and repeats that until Ctrl-C."""
    repeat(operator, seconds, lambda: _show_all(operator))


def _show_all(operator: Operator) -> None:
    deployment, output = operator.deployment, operator.output
    output.one(find_status(deployment))
    records = sorted(deployment.jobs.open_jobs(), key=lambda record: record.received_at)
    output.say("\nOpen jobs")
    output.rows([job_row(record) for record in records[:MOST_JOBS]], "No open jobs.")
    if len(records) > MOST_JOBS:
        output.say(f"and {len(records) - MOST_JOBS} more")
    output.say("\nWorkers")
    output.rows(worker_rows(deployment), "No workers are running. They start on demand.")


@click.command(short_help="Follow one job, or all.")
@click.argument("job", required=False)
@SECONDS
@click.pass_obj
def tail(operator: Operator, job: str | None, seconds: float) -> None:
    """Prints each step of JOB as it happens, until the job has ended. Without JOB, prints the changes of all jobs."""
    lines = steps_of(operator.deployment, job) if job else OpenJobs(operator.deployment).changes()
    try:
        for line in lines:
            if line is None:
                time.sleep(seconds)
            else:
                operator.output.say(line)
    except KeyboardInterrupt:
        return


def steps_of(deployment: Deployment, job_id: str) -> Iterator[str | None]:
    """A line for each new step of the job; None between two reads."""
    finder = JobFinder(deployment)
    full = job_id if finder.steps(job_id) else finder.find(job_id).job_id
    printed, began = 0, None
    while True:
        steps = finder.steps(full)
        if not steps:
            raise OperatorError(f"The execution of job {full} no longer exists; AWS keeps it for 90 days.")
        for step in steps[printed:]:
            at = datetime.fromisoformat(step.at)
            began = began or at
            yield f"{at.astimezone():%H:%M:%S}  {(at - began).total_seconds():+7.1f} s  {step.step}"
        printed = len(steps)
        if steps[-1].step.startswith(ENDED) and len(steps) > 1:
            return
        yield None


@dataclass
class OpenJobs:
    """The changes of all open jobs, read by their index."""

    deployment: Deployment
    _known: dict[str, JobRecord] = field(default_factory=dict)

    def changes(self) -> Iterator[str | None]:
        while True:
            yield from self._read()
            yield None

    def _read(self) -> Iterator[str]:
        found = {one.job_id: one for one in self.deployment.jobs.open_jobs() if isinstance(one, JobRecord)}
        for job_id, record in found.items():
            before = self._known.get(job_id)
            if before is None or before.state != record.state:
                yield _line(record, self.deployment.clock())
        for job_id in self._known.keys() - found.keys():
            yield _line(self._final(self._known[job_id]), self.deployment.clock())
        self._known = found

    def _final(self, known: JobRecord) -> JobRecord:
        try:
            return self.deployment.jobs.get(known.pair, known.job_id)
        except WebordinaryError:
            return known  # deleted, or written by a newer version


def _line(record: JobRecord, now: datetime) -> str:
    row = job_row(record)
    parts = (
        f"{now.astimezone():%H:%M:%S}",
        short_ids([row.job])[row.job],
        row.pair,
        row.command,
        row.state,
        row.result,
    )
    return "  ".join(filter(None, parts))
