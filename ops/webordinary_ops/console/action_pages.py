"""Changes by the operator: a page that says what will happen, and a form that does it. Only with --allow-actions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import Blueprint, redirect, render_template, request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from webordinary.contract.messages.base import Pair
from webordinary.contract.values import pattern
from webordinary_ops.actions import (
    PlannedChange,
    plan_pause,
    plan_release,
    plan_replay,
    plan_resume,
    plan_stop,
)
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError
from webordinary_ops.site_releases import plan_site_rollback

if TYPE_CHECKING:
    from webordinary_ops.console.app import Console

Given = Mapping[str, str]


@dataclass(frozen=True)
class ConfirmedAction:
    """`plan` describes the change for the given fields; `command` is the same change on the command line."""

    title: str
    button: str
    plan: Callable[[Deployment, Given], PlannedChange]
    command: Callable[[Given], str]
    danger: bool = True


def _stop(deployment: Deployment, given: Given) -> PlannedChange:
    pair, job = Pair.from_key(given.get("pair", "")), given.get("job", "")
    if not re.fullmatch(pattern("job"), job):
        raise OperatorError("This is not the id of a job; nothing was changed.")
    return plan_stop(deployment, deployment.jobs.get(pair, job))


def _replay(deployment: Deployment, given: Given) -> PlannedChange:
    if not re.fullmatch(pattern("job"), given.get("job", "")):
        raise OperatorError("This is not the id of a mail; nothing was changed.")
    return plan_replay(deployment, given["job"], answer=given.get("answer") == "yes")


def _roll_back(deployment: Deployment, given: Given) -> PlannedChange:
    if not re.fullmatch(r"[1-9]\d{0,5}", given.get("release", ""), re.ASCII):
        raise OperatorError("This is not the number of a release; nothing was changed.")
    return plan_site_rollback(deployment, given.get("project", ""), int(given["release"]))


ACTIONS = {
    "stop": ConfirmedAction("Stop a job", "Stop it", _stop, lambda given: f"stop {given.get('job', '')}"),
    "replay": ConfirmedAction(
        "Process a mail again",
        "Process it again",
        _replay,
        lambda given: f"replay {given.get('job', '')}{' --answer' if given.get('answer') == 'yes' else ''}",
    ),
    "release": ConfirmedAction(
        "Release a pair",
        "Release it",
        lambda deployment, given: plan_release(deployment, Pair.from_key(given.get("pair", ""))),
        lambda given: f"release '{given.get('pair', '')}'",
    ),
    "pause": ConfirmedAction(
        "Pause",
        "Pause",
        lambda deployment, given: plan_pause(deployment, given.get("project") or None),
        lambda given: f"pause {given.get('project', '')}".strip(),
    ),
    "resume": ConfirmedAction(
        "Resume",
        "Resume",
        lambda deployment, given: plan_resume(deployment, given.get("project") or None),
        lambda given: f"resume {given.get('project', '')}".strip(),
        danger=False,
    ),
    "rollback": ConfirmedAction(
        "Show an earlier release",
        "Show it",
        _roll_back,
        lambda given: f"projects rollback {given.get('project', '')} --to {given.get('release', '')}",
    ),
}
FIELDS = ("job", "pair", "project", "answer", "release")


def blueprint(console: Console) -> Blueprint:
    routes = Blueprint("actions", __name__)

    def find(name: str) -> ConfirmedAction:
        if not console.allow_actions:
            raise OperatorError("This console only shows. Start it with --allow-actions to make changes.")
        if name not in ACTIONS:
            raise NotFound
        return ACTIONS[name]

    @routes.get("/actions/<name>")
    def confirm(name: str) -> str:
        action, given = find(name), _given(request.args)
        change = action.plan(console.deployment, given)
        command = console.deployment.connection.command(action.command(given))
        back = _own_path(request.args.get("back", "/"))
        return render_template(
            "action.html", name=name, chosen=action, given=given, change=change, command=command, back=back
        )

    @routes.post("/actions/<name>")
    def run(name: str) -> str | AnyResponse:
        action, given = find(name), _given(request.form)
        change = action.plan(console.deployment, given)
        if change.announcement != request.form.get("announcement"):
            # What was read on the confirmation page no longer holds.
            return redirect(request.full_path)
        result = change.run()
        back = _own_path(request.form.get("back", "/"))
        return render_template("action_done.html", change=change, result=result.wire(), back=back)

    return routes


def _given(fields: Mapping[str, str]) -> dict[str, str]:
    return {name: fields[name][:200] for name in FIELDS if fields.get(name)}


def _own_path(path: str) -> str:
    """A path of this console; another site's address becomes the overview."""
    return path if re.fullmatch(r"/(?!/)[A-Za-z0-9/_.-]{0,300}", path, re.ASCII) else "/"
