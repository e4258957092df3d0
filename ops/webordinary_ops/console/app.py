"""The console's application: its settings, security headers, error pages and routes.

It listens on the loopback interface, answers only under its own host names (against DNS rebinding), and accepts forms
only from its own pages. Pages load nothing from elsewhere and contain no inline script or style. Everything from mails,
agents, repositories and logs is escaped by the templates.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError
from flask import Blueprint, Flask, Response, g, render_template, request
from markupsafe import Markup
from werkzeug.exceptions import HTTPException

from webordinary.contract.errors import WebordinaryError
from webordinary_ops.console import action_pages, filters, live, pages
from webordinary_ops.console.data.job_timeline import Milestone
from webordinary_ops.console.data.logs import LogLine
from webordinary_ops.console.data.reads import Reads
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError

MAX_FORM_BYTES = 1_000_000
SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers hide the origin of a form
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; "
    "img-src 'self' data:; frame-src {frames}; frame-ancestors 'none'; base-uri 'none'"
)


class Changes(Protocol):
    """Wakes open pages when something has changed."""

    def wait(self, seen: int, seconds: float) -> int:
        """Waits for a change after `seen`; returns the number of changes."""

    @property
    def is_closed(self) -> bool: ...


class LocalPages(Protocol):
    """What a local stack adds to the console. On AWS there is none of it."""

    blueprint: Blueprint
    frames: str  # what pages may embed: a source of a Content-Security-Policy

    def prepare(self, app: Flask) -> None:
        """Adds what comes before the console: requests for other hosts."""

    def navigation(self) -> Sequence[tuple[str, str]]:
        """Address and words of further pages."""

    def overview(self) -> Markup: ...

    def below_conversation(self, thread_id: str) -> Markup: ...

    def mail_body(self, job_id: str) -> Markup | None:
        """A mail as it came, if it is known."""

    def reply_body(self, job_id: str) -> Markup | None:
        """A link to the reply as a mail program shows it."""

    def milestones(self, job_id: str) -> list[Milestone]: ...

    def log_lines(self, job_id: str) -> list[LogLine]: ...


@dataclass(frozen=True)
class Console:
    deployment: Deployment
    address: str  # such as http://127.0.0.1:8030
    allow_actions: bool = False
    problem: Callable[[], str] = str  # why nothing works; empty if it does
    changes: Changes | None = None  # without it, pages are read again at growing intervals
    local_pages: LocalPages | None = None
    streams: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(live.MAX_STREAMS))

    @property
    def own_addresses(self) -> tuple[str, ...]:
        return (self.address, self.address.replace("127.0.0.1", "localhost"))

    @property
    def name(self) -> str:
        return "This machine" if self.deployment.connection.is_local else self.deployment.connection.environment

    def reads(self) -> Reads:
        return Reads(self.deployment.clock, self.problem)


def create_app(console: Console) -> Flask:
    app = Flask(__name__, static_folder="assets", static_url_path="/assets")
    app.config.update(MAX_CONTENT_LENGTH=MAX_FORM_BYTES, MAX_FORM_MEMORY_SIZE=MAX_FORM_BYTES)
    app.url_map.merge_slashes = False
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters.update(filters.FILTERS)
    app.jinja_env.globals.update(live_node=live.node)
    if console.local_pages:
        console.local_pages.prepare(app)
    _restrict_access(app, console)
    _add_errors(app, console)
    app.register_blueprint(pages.blueprint(console))
    app.register_blueprint(action_pages.blueprint(console))
    app.register_blueprint(live.blueprint(app, console))
    if console.local_pages:
        app.register_blueprint(console.local_pages.blueprint)

    @app.context_processor
    def shared() -> dict[str, Any]:
        return {
            "console": console,
            "now": console.deployment.clock(),
            "local_pages": console.local_pages,
            "is_local": console.deployment.connection.is_local,
            "problem": console.problem(),
        }

    return app


def _restrict_access(app: Flask, console: Console) -> None:
    policy = POLICY.format(frames=f"'self' {console.local_pages.frames}" if console.local_pages else "'self'")

    @app.before_request
    def check_host_and_origin() -> Response | None:
        if f"http://{request.headers.get('Host')}" not in console.own_addresses:
            return _text(421, f"This page is served at {console.address} only.")
        if request.method == "POST" and request.headers.get("Origin") not in console.own_addresses:
            return _text(403, "Forms are accepted from this console's own pages only.")
        if request.method not in ("GET", "HEAD", "POST"):
            return _text(405, "Only GET and POST are supported.")
        g.nodes = {}
        return None

    @app.after_request
    def add_security_headers(response: Response) -> Response:
        if g.get("has_own_headers"):  # a site, which is not a page of the console
            return response
        for name, value in {**SECURITY, "Content-Security-Policy": policy}.items():
            response.headers.setdefault(name, value)
        return response


def _add_errors(app: Flask, console: Console) -> None:
    def page(status: int, title: str, text: str) -> tuple[str, int]:
        return render_template("error.html", title=title, text=text), status

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> tuple[str, int]:
        status = error.code or 500
        return page(
            status, error.name, "There is no page at this address." if status == 404 else str(error.description)
        )

    @app.errorhandler(WebordinaryError)
    @app.errorhandler(OperatorError)
    def not_possible(error: Exception) -> tuple[str, int]:
        return page(404, "Not possible" if request.path.startswith("/actions") else "Not found", str(error))

    @app.errorhandler(ClientError)
    @app.errorhandler(BotoCoreError)
    def unreachable(error: Exception) -> tuple[str, int]:
        return page(502, "AWS did not answer", console.problem() or str(error))


def _text(status: int, text: str) -> Response:
    return Response(text, status, mimetype="text/plain")
