"""`webordinary releases` and `rollback`: deployed versions of the functions and the state machine."""

from __future__ import annotations

import click

from webordinary.contract.messages.base import Message
from webordinary_ops.cli import Operator
from webordinary_ops.deployed_versions import AliasMove, VersionSet


class ReleaseRow(Message):
    release: int
    live: bool
    state_machine: str
    functions: dict[str, str]


class RollbackResult(Message):
    release: int
    moved: list[AliasMove]
    next_apply: str


@click.command(short_help="List deployed versions.")
@click.pass_obj
def releases(operator: Operator) -> None:
    """Lists the versions of functions and state machine that were live together, newest first."""
    versions = operator.deployment.versions
    rows = [
        ReleaseRow(
            release=one.number,
            live=one.versions() == versions.live,
            state_machine=one.state_machine,
            functions=one.functions,
        )
        for one in versions.history()
    ]
    operator.output.rows(rows, "No releases are recorded yet.")


@click.command(short_help="Roll back to the previous release.")
@click.option("--to", "number", type=int, help="Release number from `webordinary releases`; default: the previous one.")
@click.pass_obj
def rollback(operator: Operator, number: int | None) -> None:
    """Rolls functions and state machine back to the versions of an earlier release, without a build.

    This includes their settings and the workers' task definition. Open jobs continue: old and new versions are
    compatible. Tables, policies and other resources are not changed.
    """
    versions = operator.deployment.versions
    target = versions.previous() if number is None else versions.numbered(number)
    moves = versions.moves_to(target)
    versions.require(moves)
    environment = operator.deployment.connection.environment
    if moves:
        operator.confirm(_announcement(target, moves))
    moved = list(versions.apply(moves)) if moves else []
    operator.output.one(RollbackResult(release=target.number, moved=moved, next_apply=_next_apply(environment)))


def _announcement(target: VersionSet, moves: list[AliasMove]) -> str:
    lines = [f"  {move.part:<20} version {move.live} → {move.becomes}" for move in moves]
    return "\n".join([f"Rolls back to release {target.number}:", *lines])


def _next_apply(environment: str) -> str:
    return (
        f"make apply ENV={environment} deploys the code of your clone again: "
        "revert the faulty change or check out the older commit first"
    )
