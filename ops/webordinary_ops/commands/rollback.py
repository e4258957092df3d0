"""`webordinary releases` and `rollback`: what was live, and back to it with one command."""

from __future__ import annotations

import click

from webordinary.contract.messages.base import Message
from webordinary_ops.cli import Operator
from webordinary_ops.releases import AliasMove, VersionSet


class ReleaseRow(Message):
    release: int
    live: bool
    state_machine: str
    functions: dict[str, str]


class RollbackResult(Message):
    release: int
    moved: list[AliasMove]
    next_apply: str


@click.command(short_help="Lists the versions that were live together.")
@click.pass_obj
def releases(operator: Operator) -> None:
    """Lists what was live, newest first: the number of each release, and its versions."""
    known = operator.deployment.releases
    rows = [
        ReleaseRow(
            release=one.number,
            live=one.versions() == known.live,
            state_machine=one.state_machine,
            functions=one.functions,
        )
        for one in known.all()
    ]
    operator.output.rows(rows, "No release was noted yet.")


@click.command(short_help="Makes the release before the live one, in seconds.")
@click.option("--to", "number", type=int, help="The number of a release (`webordinary releases`), not the one before.")
@click.pass_obj
def rollback(operator: Operator, number: int | None) -> None:
    """Goes back to the functions and the state machine that were live before, without a build.

    With them come their settings and the task definition that workers are started from. Mails that are being worked on
    go on: old and new versions understand each other. Tables, policies and the rest of Terraform stay as they are.
    """
    known = operator.deployment.releases
    wanted = known.before() if number is None else known.numbered(number)
    steps = known.steps_to(wanted)
    known.require(steps)
    environment = operator.deployment.connection.environment
    if steps:
        operator.confirm(_announcement(wanted, steps))
    moved = list(known.carry_out(steps)) if steps else []
    operator.output.one(RollbackResult(release=wanted.number, moved=moved, next_apply=_next_apply(environment)))


def _announcement(wanted: VersionSet, steps: list[AliasMove]) -> str:
    lines = [f"  {step.part:<20} version {step.live} → {step.becomes}" for step in steps]
    return "\n".join([f"Makes release {wanted.number} the live one:", *lines])


def _next_apply(environment: str) -> str:
    return (
        f"make apply ENV={environment} makes the code of its clone live again: "
        "revert there what was wrong, or apply the older commit, before the next one"
    )
