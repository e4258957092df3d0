"""`webordinary costs`."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import click

from webordinary.contract.values import contract
from webordinary.tables.spending import month_of
from webordinary_ops.cli import Operator
from webordinary_ops.costs import AwsPrices, CostRow, rows_of, total_of
from webordinary_ops.deployment import Deployment


@click.command(short_help="Sum the costs of a month.")
@click.option("--month", metavar="YYYY-MM", help="The month, in UTC. Without it, the current one.")
@click.option("--project", help="Only this project; it may have been removed.")
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@click.pass_obj
def costs(operator: Operator, month: str | None, project: str | None, as_csv: bool) -> None:
    """Sums what each project and person cost in a month: the model as metered, AWS as estimated.

    Worker minutes include the start and the idle time. Costs are kept for 14 months.
    """
    deployment = operator.deployment
    chosen = month or month_of(deployment.clock())
    rows = _rows(deployment, chosen, project)
    if as_csv:
        click.echo(_as_csv(rows), nl=False)
        return
    shown = [*rows, total_of(rows)] if rows and not operator.output.as_json else rows
    operator.output.rows(shown, f"No mails in {chosen}.")
    models, aws = contract()["models"]["prices_as_of"], AwsPrices.load().as_of
    operator.output.say("In US dollars, at list prices on demand.")
    operator.output.say(f"Prices of models as of {models}, of AWS as of {aws}.")


def _rows(deployment: Deployment, month: str, project: str | None) -> list[CostRow]:
    prices, idle, now = AwsPrices.load(), timedelta(seconds=deployment.facts.timing.idle_seconds), deployment.clock()
    projects = [project] if project else sorted(entry.project_id for entry in deployment.entries.all())
    months = (deployment.spending.of_month(one, month) for one in projects)
    return [row for spent in months for row in rows_of(spent, prices, idle, now)]


def _as_csv(rows: list[CostRow]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(CostRow.model_fields), lineterminator="\n")
    writer.writeheader()
    writer.writerows(row.model_dump() for row in rows)
    return text.getvalue()
