"""The page of the local stack: the mailbox, a form that sends mails, and the sites.

It listens on the loopback interface, accepts only its own host names (against DNS rebinding), and accepts mails only
from its own form. Every site has its own host under `localhost`: it is served from `/`, and the browser isolates it
from the mailbox and from other sites.
"""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NoReturn
from urllib.parse import urlsplit

from flask import Flask, Response, make_response, render_template, request
from markupsafe import Markup
from werkzeug.exceptions import HTTPException, NotFound

from local.domain import Site, moved_preview, site_of
from local.page.conversations import LocalMailbox
from local.page.drop_reasons import drop_reason
from local.page.live_previews import LivePreviews
from local.page.site_files import Previews
from local.runtime.events import Event, Events
from local.runtime.serving import WebServer, address_of

MAX_FORM_BYTES = 1_000_000
SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
PAGE_POLICY = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self'; form-action 'self'; "
    "img-src data:; frame-src 'self' http://*.localhost:*; frame-ancestors 'none'; base-uri 'none'"
)
# The headers that the CDN adds on AWS: terraform/modules/sites/headers.tf.
LIVE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cache-Control": "no-cache",
}
PREVIEW_HEADERS = {**LIVE_HEADERS, "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow, noarchive"}
SITES_DOMAIN = "localhost"
# No scripts, forms or origin, and no remote pictures, which would track the reader.
MAIL_POLICY = (
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"><base target=\"_blank\">"
)
OWN_SITE = re.compile(rf"http://(?P<label>[a-z0-9-]+)\.{SITES_DOMAIN}:(?P<port>\d+)(?:/|$)", re.ASCII)
LINK = re.compile(r"(https?://[^\s<>\"']{1,2000}[^\s<>\"'.,;:!?)])")

PUBLISHED = "site_published"
# The milestones that the page shows, and their labels.
STEPS = {
    "mail_accepted": "arrived",
    "execution_started": "started",
    "mail_parsed": "parsed",
    "worker_requested": "worker requested",
    "job_dispatched": "queued",
    "pair_claimed": "claimed",
    "agent_started": "editing",
    "agent_finished": "edited",
    "site_built": "built",
    "branch_pushed": "pushed",
    "site_deployed": "preview ready",
    "reply_sent": "replied",
}


@dataclass(frozen=True)
class ComposeForm:
    """The initial values of the form."""

    senders: Sequence[str]
    recipient: str
    example: str


@dataclass(frozen=True)
class PageContent:
    """The data that the page shows, and `send(sender, recipient, subject, text)` for its form."""

    compose: ComposeForm
    mailbox: LocalMailbox
    events: Events
    previews: Previews
    live_previews: LivePreviews
    send: Callable[[str, str, str, str], None]
    problem: Callable[[], str] = str  # why the system no longer works; empty if it does


class ChangeFeed:
    """Notifies open pages of changes."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._number = 0
        self._closed = False

    def announce(self) -> None:
        with self._condition:
            self._number += 1
            self._condition.notify_all()

    def close(self) -> None:
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    def stream(self) -> Iterator[str]:
        """Server-sent events. The first comment opens the stream, later ones detect closed connections."""
        yield ": open\n\n"
        seen = 0
        while not self._closed:
            before, seen = seen, self._wait(seen)
            yield "event: changed\ndata: -\n\n" if seen != before else ": keep-alive\n\n"

    def _wait(self, seen: int) -> int:
        with self._condition:
            self._condition.wait_for(lambda: self._closed or self._number != seen, timeout=15)
            return self._number


class PageServer:
    """The web server. Its socket listens before `start`, which serves requests."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._server: WebServer | None = None
        self.address = address_of(listener)
        self.port = int(listener.getsockname()[1])
        self.changes = ChangeFeed()

    def start(self, content: PageContent) -> None:
        self._server = WebServer(self._listener, create_app(self.address, self.changes, content))
        self._server.start()

    def stop(self) -> None:
        self.changes.close()
        if self._server is not None:
            self._server.stop()


def create_app(address: str, changes: ChangeFeed, content: PageContent) -> Flask:
    app = Flask(__name__, static_folder="assets", static_url_path="/assets")
    app.config.update(MAX_CONTENT_LENGTH=MAX_FORM_BYTES, MAX_FORM_MEMORY_SIZE=MAX_FORM_BYTES)
    app.url_map.merge_slashes = False
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters.update(
        clock=_clock,
        linked=lambda text: with_links(text, address),
        sandboxed=MAIL_POLICY.__add__,
        preview=lambda replies: newest_link((reply.text for reply in replies), address),
    )
    _add_problem_route(app, address, content.problem)
    _add_site_routes(app, address, content.previews, content.live_previews)
    _restrict_access(app, address)
    _add_mailbox_routes(app, changes, content)
    return app


def _add_problem_route(app: Flask, address: str, problem: Callable[[], str]) -> None:
    """Without the emulator there are no sites and no mail; only the mailbox still shows what it has."""
    own_hosts = [urlsplit(one).netloc for one in (address, address.replace("127.0.0.1", "localhost"))]

    @app.before_request
    def show_problem() -> Response | None:
        sentence = problem()
        is_mailbox = request.host in own_hosts and request.method != "POST"
        return _text(503, sentence) if sentence and not is_mailbox else None


def _restrict_access(app: Flask, address: str) -> None:
    own_addresses = (address, address.replace("127.0.0.1", "localhost"))

    @app.before_request
    def check_host_and_origin() -> Response | None:
        if f"http://{request.headers.get('Host')}" not in own_addresses:
            return _text(421, f"This page is served at {address} only.")
        if request.method == "POST" and request.headers.get("Origin") not in own_addresses:
            return _text(403, "Mails are accepted from the form on this page only.")
        return None

    @app.after_request
    def add_security_headers(response: Response) -> Response:
        for name, value in SECURITY.items():
            response.headers.setdefault(name, value)
        return response


def _add_mailbox_routes(app: Flask, changes: ChangeFeed, content: PageContent) -> None:
    def events_of(job_id: str) -> list[Event]:
        return content.events.all(lambda event: event.job_id == job_id)

    def milestones_of(job_id: str) -> set[str]:
        return {event.milestone for event in events_of(job_id)}

    def page(template: str) -> Response:
        response = make_response(
            render_template(
                template,
                compose=content.compose,
                conversations=content.mailbox.conversations(),
                milestones_of=milestones_of,
                drop_reason=lambda mail: drop_reason(events_of(mail.job_id)),
                published=lambda conversation: is_live(
                    event for mail in conversation.mails if mail.job_id for event in events_of(mail.job_id)
                ),
                steps=STEPS,
                problem=content.problem(),
            )
        )
        response.headers.update({"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-store"})
        return response

    @app.get("/")
    def mailbox() -> Response:
        return page("mailbox.html")

    @app.get("/conversations")
    def conversations() -> Response:
        return page("conversations.html")

    @app.get("/changes")
    def stream_changes() -> Response:
        return Response(changes.stream(), mimetype="text/event-stream", headers={"Cache-Control": "no-store"})

    @app.post("/send")
    def send() -> Response:
        sender, recipient, subject, text = (
            request.form.get(name, "") for name in ("sender", "recipient", "subject", "text")
        )
        try:
            content.send(sender, recipient, " ".join(subject.split()), text)
        except (OSError, ValueError) as error:
            return _text(502, f"The mail was not accepted: {error}")
        return _text(200, "sent")


def is_live(events: Iterable[Event]) -> bool:
    """Whether the last publication of a conversation is still live; a rollback names the release it returns to."""
    published = sorted((event for event in events if event.milestone == PUBLISHED), key=lambda event: event.at)
    return bool(published) and "release" not in published[-1].fields


def site_address(page_address: str, label: str) -> str:
    """The address of the site whose host begins with this label."""
    return f"http://{label}.{SITES_DOMAIN}:{urlsplit(page_address).port}"


def _add_site_routes(app: Flask, address: str, previews: Previews, live: LivePreviews) -> None:
    port = urlsplit(address).port

    @app.before_request
    def show_site() -> Response | None:
        label, _, rest = request.host.lower().partition(".")
        site = site_of(label) if rest == f"{SITES_DOMAIN}:{port}" else None
        return _site_response(site, address, previews, live) if site is not None else None

    # The former addresses of sites, before each had its own host.
    @app.get("/sites/<project>/", defaults={"path": ""})
    @app.get("/sites/<project>/<path:path>")
    def moved_site(project: str, path: str) -> Response:
        site = site_of(project)
        if site is None or site.thread_id is not None:
            raise NotFound
        site, path = moved_preview(site, f"/{path}") or (site, f"/{path}")
        return _redirect_to(site_address(address, site.label) + path)

    @app.errorhandler(NotFound)
    def not_found(_error: HTTPException) -> tuple[str, int, dict[str, str]]:
        return render_template("not_found.html"), 404, {"Content-Security-Policy": PAGE_POLICY}


def _site_response(site: Site, address: str, previews: Previews, live: LivePreviews) -> Response:
    target = str(request.environ.get("RAW_URI", request.path))
    path = urlsplit(target).path or "/"
    if request.method not in ("GET", "HEAD"):
        return _text(405, "Sites are read-only.")
    if moved := moved_preview(site, path):
        return _redirect_to(site_address(address, moved[0].label) + moved[1])
    headers = LIVE_HEADERS if site.thread_id is None else PREVIEW_HEADERS
    if not previews.is_authorized(site, request.headers.get("Authorization", "")):
        return Response("", 401, {**headers, "WWW-Authenticate": 'Basic realm="preview", charset="UTF-8"'})
    if live_response := _live_response(site, target, headers, live):
        return live_response
    found = previews.get(site, path)
    if found.file is None:
        mailbox = f"{address}/"
        return Response(render_template("not_found.html", mailbox=mailbox), 404, headers, mimetype="text/html")
    return Response(found.file.content, 404 if found.missing else 200, headers, content_type=found.file.content_type)


def _live_response(site: Site, target: str, headers: dict[str, str], live: LivePreviews) -> Response | None:
    """The response of the worker that edits the site, if any."""
    target = target if target.startswith("/") else "/"
    if request.headers.get("Upgrade", "").lower() == "websocket":
        visitor = request.environ["werkzeug.socket"]
        if live.relay_websocket(site, target, dict(request.headers), visitor):
            return _ConnectionTaken()
        return None
    proxied = live.get(site, request.method, target, dict(request.headers))
    if proxied is None:
        return None
    response = Response(proxied.content, proxied.status, proxied.headers)
    response.headers.update({**headers, "Cache-Control": "no-store"})
    return response


class _ConnectionTaken(Response):
    """For a connection that served a websocket: the server sends no response and closes it."""

    def __call__(self, *_: object) -> NoReturn:
        raise ConnectionAbortedError


def _redirect_to(location: str) -> Response:
    return Response("", 301, {"Location": location})


def with_links(text: str, own_address: str) -> Markup:
    """Escapes the text and links only addresses of sites that this page serves."""
    link = Markup('<a href="{0}" target="_blank" rel="noopener">{0}</a>')
    return Markup("").join(link.format(part) if _is_own_site(part, own_address) else part for part in LINK.split(text))


def newest_link(texts: Iterable[str], own_address: str) -> str | None:
    """The first address of a site of this page in the texts."""
    parts = (part for text in texts for part in LINK.findall(text))
    return next((part for part in parts if _is_own_site(part, own_address)), None)


def _is_own_site(text: str, own_address: str) -> bool:
    found = OWN_SITE.match(text)
    return (
        found is not None and found["port"] == str(urlsplit(own_address).port) and site_of(found["label"]) is not None
    )


def _clock(at: datetime) -> str:
    return f"{at.astimezone():%H:%M:%S}"


def _text(status: int, text: str) -> Response:
    return Response(text, status, mimetype="text/plain")
