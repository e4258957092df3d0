"""`webordinary workload`: how customers use this deployment, as a workload file for `make simulate`."""

from __future__ import annotations

import click

from webordinary.tables.job_records import JobRecord
from webordinary_ops.cli import Operator
from webordinary_ops.errors import OperatorError
from webordinary_ops.measured_workload import ENOUGH, as_toml, measured_workload


@click.command(short_help="Print the customers' workload for `make simulate`.")
@click.pass_obj
def workload(operator: Operator) -> None:
    """Measures arrivals, conversations and job times in the records of the last 90 days.

    \b
    webordinary --env prod workload > workload.toml
    make simulate ARGS=--workload=workload.toml
    """
    measured = measured_workload(one for one in operator.deployment.jobs.scan() if isinstance(one, JobRecord))
    if not measured:
        raise OperatorError(f"There are fewer than {ENOUGH} ended jobs: too few to measure a workload.")
    operator.output.text(as_toml(measured))
