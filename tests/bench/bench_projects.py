"""Terraform with a thousand projects, and the first mail of a new project.

A plan, and an apply that changes every function, with the two example projects against a thousand more (goal: at most
1.2 times). The first mail of a new project against its second, each with a new worker (goal: at most one second more).
The first mail also creates the pair queues, clones the repository and installs packages, which the archive then holds.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

from local.operators_package import Connection, Deployment, apply_entries
from local.paths import site_of
from local.runtime.events import milestone
from local.settings import StackSettings
from local.stack.deployments import variables_of
from local.stack.git_remotes import Remote
from local.stack.stack import Stack
from tools import terraform

FEW, MANY = ["bakery", "garden"], 1000
ROUNDS = 3
PATIENCE = 300.0


@dataclass(frozen=True)
class Taken:
    """Seconds from a mail to its agent's start, and to its reply."""

    begun: float
    answered: float


def run() -> list[tuple[str, float, str]]:
    with Stack(StackSettings.for_tests(), projects=FEW) as stack:
        plans, applies = terraform_seconds(stack)
        operator = Deployment(Connection("local", stack.names.prefix, stack.emulated.region, stack.emulated.endpoint))
        began = time.monotonic()
        apply_entries(operator, {f"site-{number}": entry(f"site-{number}") for number in range(MANY)})
        adding = (time.monotonic() - began) / MANY
        more_plans, more_applies = terraform_seconds(stack)
        firsts, seconds = mails(stack, operator)
    return [
        _row(f"plan with {MANY} projects", more_plans, plans, f"with {len(FEW)}"),
        _row(f"apply with {MANY} projects", more_applies, applies, f"with {len(FEW)}"),
        _row("first mail of a new project, to the start of its agent", *_both(firsts, seconds, "begun"), "its second"),
        _row("first mail of a new project, to its reply", *_both(firsts, seconds, "answered"), "its second"),
        ("adding a project", adding, f"{1000 * adding:.0f} ms each, of {MANY}"),
    ]


def _both(firsts: list[Taken], seconds: list[Taken], what: str) -> tuple[list[float], list[float]]:
    return [getattr(one, what) for one in firsts], [getattr(one, what) for one in seconds]


def _row(name: str, taken: list[float], peer: list[float], what: str) -> tuple[str, float, str]:
    mine, theirs = statistics.median(taken), statistics.median(peer)
    return name, mine / theirs, f"{mine:.1f} s ({mine - theirs:+.1f} s), {theirs:.1f} s {what}"


def terraform_seconds(stack: Stack) -> tuple[list[float], list[float]]:
    """Seconds of plans without changes, and of applies that change all functions."""
    plans, applies = [], []
    for _ in range(ROUNDS):
        plans.append(_terraform(stack, "plan", "INFO"))
        applies += [_terraform(stack, "apply", level) for level in ("WARNING", "INFO")]
    return plans, applies


def _terraform(stack: Stack, command: str, log_level: str) -> float:
    workspace = terraform.init("local", endpoint=stack.emulated.endpoint, state_dir=stack.state / "terraform")
    variables = {**variables_of(stack), "log_level": log_level}
    approval = ["-auto-approve"] if command == "apply" else []
    began = time.monotonic()
    workspace.run(command, "-no-color", *approval, *workspace.variables(variables), on_line=lambda _: None)
    return time.monotonic() - began


def mails(stack: Stack, operator: Deployment) -> tuple[list[Taken], list[Taken]]:
    firsts, seconds = [], []
    for _ in range(ROUNDS):
        name = token_hex(3)  # a new name, without cached packages
        project, sender = f"new-{name}", f"{name}@example.net"
        remote = Remote.seed(stack.state / "remotes" / f"{project}.git", site_of("bakery"))
        apply_entries(operator, {project: entry(project, remote.url, sender)})
        firsts.append(_answered(stack, project, sender, "8 am to noon", "9 am to noon"))
        seconds.append(_answered(stack, project, sender, "8 am to 2 pm", "8 am to 3 pm"))
    return firsts, seconds


def _answered(stack: Stack, project: str, sender: str, old: str, new: str) -> Taken:
    began = time.time()
    asked = stack.send(sender, f'Please change "{old}" to "{new}" on the home page.')
    stack.mailbox.wait_for_reply(asked, PATIENCE)
    answered = time.time() - began
    begun = stack.events.all(milestone("agent_started", pair=f"{project}#ada"))[-1].at - began
    while stack.workers.count():  # the next mail needs a new worker
        time.sleep(0.5)
    return Taken(begun, answered)


def entry(
    project: str, repository: str = "https://git.example.com/site.git", sender: str | None = None
) -> dict[str, Any]:
    people = {"ada": {"addresses": [sender or f"ada@{project}.example.com"]}}
    return {"domain": f"{project}.example.com", "repository": repository, "people": people}
