"""The pages that show a deployment."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from webordinary.contract.messages.base import Pair
from webordinary.contract.values import pattern
from webordinary.sites.screenshots import ScreenshotKind
from webordinary_ops.connection import ROOT
from webordinary_ops.console import words
from webordinary_ops.console.data.conversation import NoSuchConversationError, read_conversation, read_picture
from webordinary_ops.console.data.conversation_list import ListFilter, list_conversations
from webordinary_ops.console.data.fleet import read_fleet
from webordinary_ops.console.data.job_timeline import read_job_timeline, waterfall
from webordinary_ops.console.data.logs import JobLog, milestone_in, read_log
from webordinary_ops.console.data.overview import read_overview
from webordinary_ops.console.data.projects import list_projects, read_project
from webordinary_ops.console.data.reads import Unknown
from webordinary_ops.console.filters import duration
from webordinary_ops.console.machine.definition import read_definition
from webordinary_ops.console.machine.execution_path import draw_lines, draw_states
from webordinary_ops.console.machine.layout import HEIGHT, WIDTH
from webordinary_ops.console.markdown import as_html
from webordinary_ops.job_finder import JobFinder

if TYPE_CHECKING:
    from webordinary_ops.console.app import Console

RUNBOOKS = ROOT / "docs/runbooks"
RUNBOOK_NAME = re.compile(r"[a-z-]{1,40}", re.ASCII)


def blueprint(console: Console) -> Blueprint:
    routes = Blueprint("pages", __name__)
    deployment, reads = console.deployment, console.reads()
    common = {"is_unknown": lambda value: isinstance(value, Unknown), "words": words}

    def page(template: str, **values: Any) -> str:
        return render_template(template, **common, **values)

    @routes.get("/")
    def overview() -> str:
        return page("overview.html", overview=read_overview(deployment, reads), section="overview")

    @routes.get("/conversations")
    def conversations() -> str | AnyResponse:
        given = {name: request.args.get(name, "").strip()[:100] for name in ("project", "user", "state")}
        wanted = ListFilter(text=request.args.get("q", "").strip()[:100], **given)
        found = reads.attempt(
            "conversations", lambda: list_conversations(deployment, wanted, request.args.get("before", ""))
        )
        today = deployment.clock().astimezone(UTC).date()
        rows = [] if isinstance(found, Unknown) else found.found
        days = [(day, list(same)) for day, same in groupby(rows, key=lambda one: _day(one.last_mail_at, today))]
        return page("conversations.html", found=found, wanted=wanted, section="conversations", days=days)

    @routes.get("/conversations/<thread_id>")
    def conversation(thread_id: str) -> str:
        return show_conversation(thread_id)

    @routes.post("/conversations/<thread_id>/words")
    def open_words(thread_id: str) -> str:
        """Shows what a person wrote. On AWS this is noted, with the operator's identity."""
        job_id = request.form.get("job", "")
        if deployment.conversations.summary(_thread(thread_id)) is None:
            raise NoSuchConversationError(thread_id)
        who = str(deployment.client("sts").get_caller_identity()["Arn"])
        deployment.conversations.note_opening(thread_id, job_id, who)
        return show_conversation(thread_id, opened=job_id)

    def show_conversation(thread_id: str, opened: str = "") -> str:
        found = reads.attempt(
            f"conversation {thread_id}",
            lambda: _or_none(lambda: read_conversation(deployment, _thread(thread_id), request.args.get("before", ""))),
        )
        if found is None:
            raise NoSuchConversationError(thread_id)
        return page("conversation.html", found=found, opened=opened, section="conversations", thread_id=thread_id)

    @routes.get("/conversations/<thread_id>/jobs/<job_id>")
    def job(thread_id: str, job_id: str) -> str:
        summary = deployment.conversations.summary(_thread(thread_id))
        if summary is None or not re.fullmatch(pattern("job"), job_id):
            raise NoSuchConversationError(thread_id)
        found = read_job_timeline(deployment, thread_id, Pair.from_key(summary.pair_key), job_id)
        log = _log(job_id, found.received) if request.args.get("logs") else None
        milestones = (
            console.local_pages.milestones(job_id) if console.local_pages else list(log.milestones) if log else []
        )
        definition = read_definition()
        return page(
            "job.html",
            found=found,
            summary=summary,
            log=log,
            milestones=sorted(milestones, key=lambda one: one.at),
            steps=waterfall(found, milestones),
            states=draw_states(definition, found.path, found.now, duration),
            lines=draw_lines(definition, found.path),
            size=(WIDTH, HEIGHT),
            section="conversations",
        )

    def _log(job_id: str, received: datetime | None) -> JobLog:
        if console.local_pages:
            lines = console.local_pages.log_lines(job_id)
            return JobLog(tuple(lines), tuple(one for line in lines if (one := milestone_in(line)) is not None))
        return read_log(deployment, job_id, received or deployment.clock())

    @routes.get("/jobs/<job_id>")
    def find_job(job_id: str) -> AnyResponse:
        if not re.fullmatch(pattern("job"), job_id):
            raise NotFound
        pair = JobFinder(deployment).pair_of(job_id)
        if pair is None:
            raise NotFound
        thread_id = deployment.jobs.get(pair, job_id).job.thread_id
        return redirect(url_for("pages.job", thread_id=thread_id, job_id=job_id))

    @routes.get("/pictures/<thread_id>/<job_id>/<kind>.jpg")
    def picture(thread_id: str, job_id: str, kind: str) -> Response:
        summary = deployment.conversations.summary(_thread(thread_id))
        known = summary is not None and re.fullmatch(pattern("job"), job_id) and kind in [*ScreenshotKind]
        content = None
        if known and summary is not None:
            content = read_picture(deployment, Pair.from_key(summary.pair_key), job_id, ScreenshotKind(kind))
        if content is None:
            raise NotFound
        return Response(content, mimetype="image/jpeg")

    @routes.get("/fleet")
    def fleet() -> str:
        facts = reads.attempt("facts", lambda: deployment.facts)
        return page("fleet.html", fleet=read_fleet(deployment, reads), facts=facts, section="fleet")

    @routes.get("/projects")
    def projects() -> str:
        text = request.args.get("q", "").strip()[:60]
        found = reads.attempt("projects", lambda: list_projects(deployment, text, request.args.get("after", "")[:60]))
        return page("projects.html", found=found, text=text, section="projects")

    @routes.get("/projects/<project_id>")
    def project(project_id: str) -> str:
        if not re.fullmatch(pattern("project"), project_id):
            raise NotFound
        return page("project.html", found=read_project(deployment, project_id), section="projects")

    @routes.get("/runbooks")
    def runbooks() -> str:
        names = sorted(file.stem for file in RUNBOOKS.glob("*.md") if file.stem != "README")
        return page("runbooks.html", names=names, section="")

    @routes.get("/runbooks/<name>")
    def runbook(name: str) -> str:
        file = RUNBOOKS / f"{name}.md"
        if not RUNBOOK_NAME.fullmatch(name) or not file.is_file():
            raise NotFound
        title, _, text = file.read_text(encoding="utf-8").removeprefix("# ").partition("\n")
        return page("runbook.html", name=name, title=title, text=as_html(text), section="")

    return routes


def _thread(thread_id: str) -> str:
    if not re.fullmatch(pattern("thread"), thread_id):
        raise NotFound
    return thread_id


def _or_none(read: Any) -> Any:
    try:
        return read()
    except NoSuchConversationError:
        return None


def _day(at: str, today: date) -> str:
    day = date.fromisoformat(at[:10]) if at else today
    if day == today:
        return "Today"
    return "Yesterday" if day == today - timedelta(days=1) else day.strftime("%A %-d %B")
