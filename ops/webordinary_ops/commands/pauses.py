"""`webordinary pause` and `resume`: no agent works, for one project or for everybody."""

from __future__ import annotations

import click

from webordinary.contract.messages.base import Message
from webordinary_ops.cli import Operator
from webordinary_ops.errors import OperatorError


class PauseRow(Message):
    paused: str


@click.command(short_help="Stops all agents, or those of a project.")
@click.argument("project", required=False)
@click.pass_obj
def pause(operator: Operator, project: str | None) -> None:
    """Stops the agents of PROJECT within seconds; without PROJECT those of everybody.

    Nothing is lost: mails are taken and wait, what was being worked on is put back, and after `webordinary resume` all
    of it is carried out. `help` and `status` are answered all the while.
    """
    if project is not None:
        operator.deployment.projects.project(project)  # one that is not there is told, not paused
    operator.confirm(f"No agent works for {project or 'any project'} until it is resumed; mails wait.")
    operator.deployment.pauses.pause(project)
    _show(operator)


@click.command(short_help="Ends a pause.")
@click.argument("project", required=False)
@click.pass_obj
def resume(operator: Operator, project: str | None) -> None:
    """Ends the pause of PROJECT; without PROJECT that of everybody. What waits is taken up within a minute."""
    pauses = operator.deployment.pauses
    if project not in pauses.all():
        raise OperatorError(f"{project or 'Everything'} is not paused.")
    pauses.resume(project)
    _show(operator)


def _show(operator: Operator) -> None:
    rows = [PauseRow(paused=project or "everything") for project in operator.deployment.pauses.all()]
    operator.output.rows(rows, "Nothing is paused.")
