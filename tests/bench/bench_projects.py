"""What a thousand projects cost those who deploy, and what being new costs the first mail of a project.

Terraform's plan and an apply that changes every function are measured with the two example projects and with a thousand
more (goal: at most 1.2 times). The first mail of a project that was just added is measured beside its second, each with
a worker that has to be started (goal: at most one second more).
"""

from __future__ import annotations

import statistics
import time
from typing import Any

from local.operators_package import Connection, Deployment, apply_entries
from local.paths import BUILD, site_of
from local.remote import Remote
from local.settings import StackSettings
from local.stack import Stack
from tools import terraform

FEW, MANY = ["bakery", "garden"], 1000
ROUNDS = 3
PATIENCE = 300.0


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
        _row("first mail of a new project", firsts, seconds, f"its second; one was added in {1000 * adding:.0f} ms"),
    ]


def _row(name: str, taken: list[float], peer: list[float], what: str) -> tuple[str, float, str]:
    mine, theirs = statistics.median(taken), statistics.median(peer)
    return name, mine / theirs, f"{mine:.1f} s ({mine - theirs:+.1f} s), {theirs:.1f} s {what}"


def terraform_seconds(stack: Stack) -> tuple[list[float], list[float]]:
    """Of plans that find nothing to change, and of applies that change all functions."""
    plans, applies = [], []
    for _ in range(ROUNDS):
        plans.append(_terraform(stack, "plan", "INFO"))
        applies += [_terraform(stack, "apply", level) for level in ("WARNING", "INFO")]
    return plans, applies


def _terraform(stack: Stack, command: str, log_level: str) -> float:
    workspace = terraform.init("local", endpoint=stack.emulated.endpoint, state_dir=stack.state / "terraform")
    domain = f"localhost:{stack.page.port}"
    variables: dict[str, Any] = {
        "package_dir": str(BUILD),
        "sites_scheme": "http",
        "sites_domain": domain,
        "preview_domain": domain,
        "log_level": log_level,
    }
    approval = ["-auto-approve"] if command == "apply" else []
    began = time.monotonic()
    workspace.run(command, "-no-color", *approval, *workspace.variables(variables), on_line=lambda _: None)
    return time.monotonic() - began


def mails(stack: Stack, operator: Deployment) -> tuple[list[float], list[float]]:
    firsts, seconds = [], []
    for number in range(ROUNDS):
        project, sender = f"new-{number}", f"new{number}@example.net"
        remote = Remote.seed(stack.state / "remotes" / f"{project}.git", site_of("bakery"))
        apply_entries(operator, {project: entry(project, remote.url, sender)})
        firsts.append(_answered(stack, sender, "8 am to noon", "9 am to noon"))
        seconds.append(_answered(stack, sender, "8 am to 2 pm", "8 am to 3 pm"))
    return firsts, seconds


def _answered(stack: Stack, sender: str, old: str, new: str) -> float:
    began = time.monotonic()
    asked = stack.send(sender, f'Please change "{old}" to "{new}" on the home page.')
    stack.mailbox.wait_for_reply(asked, PATIENCE)
    taken = time.monotonic() - began
    while stack.workers.count():  # the next mail has to start a worker of its own
        time.sleep(0.5)
    return taken


def entry(
    project: str, repository: str = "https://git.example.com/site.git", sender: str | None = None
) -> dict[str, Any]:
    people = {"ada": {"addresses": [sender or f"ada@{project}.example.com"]}}
    return {"domain": f"{project}.example.com", "repository": repository, "people": people}
