"""The page of the local stack: the operator's console with the mailbox, and the sites under their own hosts.

It listens on the loopback interface. The console's rules hold: its own host names only, forms from its own pages only.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Flask, Response, request

from local.domain import Site, limit
from local.operators_package import Console, Deployment, create_console
from local.page.conversations import LocalMailbox
from local.page.live_previews import LivePreviews
from local.page.mailbox import MailboxPages
from local.page.site_files import Previews
from local.page.site_routes import SITES_DOMAIN as SITES_DOMAIN
from local.page.site_routes import add_site_routes
from local.page.site_routes import site_address as site_address
from local.runtime.events import Events
from local.runtime.logs import Logs
from local.runtime.serving import WebServer, address_of
from local.send import WrittenMail

MAX_FORM_BYTES = limit("mail_bytes")


@dataclass(frozen=True)
class ComposeForm:
    """The initial values of the form."""

    senders: Sequence[str]
    recipient: str
    example: str


@dataclass(frozen=True)
class PageContent:
    """The data that the page shows, and `send`, which sends a mail and returns its Message-ID."""

    deployment: Deployment
    compose: ComposeForm
    mailbox: LocalMailbox
    events: Events
    previews: Previews
    live_previews: LivePreviews
    send: Callable[[WrittenMail], str]
    logs: Logs | None = None
    problem: Callable[[], str] = str  # why the system no longer works; empty if it does
    deployment_port: int = 0  # of the sites
    shown: set[Site] = field(default_factory=set)  # sites whose pages were requested


class ChangeFeed:
    """Notifies open pages of changes."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._number = 0
        self._closed = False

    @property
    def is_closed(self) -> bool:
        return self._closed

    def announce(self) -> None:
        with self._condition:
            self._number += 1
            self._condition.notify_all()

    def close(self) -> None:
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    def wait(self, seen: int, seconds: float) -> int:
        """Waits for a change after `seen`; returns the number of changes."""
        with self._condition:
            self._condition.wait_for(lambda: self._closed or self._number != seen, timeout=seconds)
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


class _LocalPages(MailboxPages):
    """The mailbox, and the sites in front of the console."""

    content: PageContent

    def prepare(self, app: Flask) -> None:
        former = Blueprint("sites", __name__, template_folder="templates")
        _add_problem_route(app, self.address, self.content.problem)
        add_site_routes(
            app, former, self.address, self.content.previews, self.content.live_previews, self.content.shown
        )
        app.register_blueprint(former)


def create_app(address: str, changes: ChangeFeed, content: PageContent) -> Flask:
    console = Console(
        content.deployment,
        address,
        allow_actions=True,
        problem=content.problem,
        changes=changes,
        local_pages=_LocalPages(address, content),
    )
    app: Flask = create_console(console)
    app.config.update(MAX_CONTENT_LENGTH=MAX_FORM_BYTES)
    return app


def _add_problem_route(app: Flask, address: str, problem: Callable[[], str]) -> None:
    """Without the emulator there are no sites and no mail; the console still shows what it has."""
    own_hosts = [urlsplit(one).netloc for one in (address, address.replace("127.0.0.1", "localhost"))]

    @app.before_request
    def show_problem() -> Any:
        sentence = problem()
        is_console = request.host in own_hosts and request.method != "POST"
        return Response(sentence, 503, mimetype="text/plain") if sentence and not is_console else None
