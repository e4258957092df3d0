"""`webordinary pause` and `resume`: stop and continue the work on one project, or on all."""

from __future__ import annotations

import click

from webordinary.contract.messages.base import Message
from webordinary_ops.actions import plan_pause, plan_resume
from webordinary_ops.cli import Operator


class PauseRow(Message):
    paused: str


@click.command(short_help="Pause all work, or the work on one project.")
@click.argument("project", required=False)
@click.pass_obj
def pause(operator: Operator, project: str | None) -> None:
    """Stops the agents of PROJECT within seconds; without PROJECT, all agents.

    No work is lost: new mails are accepted and wait, and running jobs are requeued. The mail commands `help` and
    `status` are still answered. `webordinary resume PROJECT` ends the pause.
    """
    change = plan_pause(operator.deployment, project)
    operator.confirm(change.announcement)
    change.run()
    _show(operator, f"Paused {project or 'all projects'}. To continue: {_resume(operator, project)}")


@click.command(short_help="Resume paused work.")
@click.argument("project", required=False)
@click.pass_obj
def resume(operator: Operator, project: str | None) -> None:
    """Resumes PROJECT; without PROJECT, ends the pause of all projects. Waiting jobs start within a minute."""
    plan_resume(operator.deployment, project).run()
    _show(operator, f"Resumed {project or 'all projects'}. Waiting jobs start within a minute.")


def _resume(operator: Operator, project: str | None) -> str:
    return operator.deployment.connection.command(" ".join(["resume", *([project] if project else [])]))


def _show(operator: Operator, done: str) -> None:
    operator.output.say(done)
    rows = [PauseRow(paused=project or "everything") for project in operator.deployment.pauses.all()]
    operator.output.rows(rows, "No project is paused now.")
