"""The page of the local stack: the mailbox, a form that writes mails, and the sites.

It listens on this machine only, answers to its own name only (a foreign page must not reach it through a name of its
own), and takes mails only from its own form.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from local.pages import Compose, asset, mailbox_page, simple_page
from local.previews import Previews, Response

LARGEST_FORM = 1_000_000
SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
PAGE_POLICY = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self'; form-action 'self'; "
    "img-src data:; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)


class Changes:
    """Wakes everybody who watches the page when something changed."""

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

    def after(self, seen: int, timeout: float) -> int | None:
        """The number of changes so far, once it differs from `seen` or the time is up; None when all is over."""
        with self._condition:
            self._condition.wait_for(lambda: self._closed or self._number != seen, timeout)
            return None if self._closed else self._number


class Page:
    """The web server. Listens from construction on; answers from `start` on."""

    def __init__(self, listener: socket.socket) -> None:
        self._server = ThreadingHTTPServer(listener.getsockname(), _Handler, bind_and_activate=False)
        self._server.socket.close()
        self._server.socket = listener
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.changes = Changes()
        self._thread = threading.Thread(target=self._server.serve_forever, name="page", daemon=True)

    @property
    def address(self) -> str:
        host, port = self._server.socket.getsockname()
        return f"http://{host}:{port}"

    @property
    def addresses(self) -> tuple[str, str]:
        """Under which a browser on this machine may know this page."""
        return self.address, self.address.replace("127.0.0.1", "localhost")

    def start(
        self,
        *,
        compose: Compose,
        conversations: Callable[[], str],
        previews: Previews,
        send: Callable[[str, str, str, str], None],
    ) -> None:
        self._server.RequestHandlerClass = type(
            "Handler",
            (_Handler,),
            {
                "page": self,
                "compose": compose,
                "conversations": staticmethod(conversations),
                "previews": previews,
                "send_mail": staticmethod(send),
            },
        )
        self._thread.start()

    def stop(self) -> None:
        self.changes.close()
        if self._thread.is_alive():
            self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    page: Page
    compose: Compose
    conversations: Callable[[], str]
    previews: Previews
    send_mail: Callable[[str, str, str, str], None]

    def do_GET(self) -> None:
        if not self._asked_by_our_name():
            return
        path = unquote(urlsplit(self.path).path)
        if path == "/":
            self._page(mailbox_page(self.compose, self.conversations()))
        elif path == "/conversations":
            self._page(self.conversations().encode())
        elif path == "/changes":
            self._stream_changes()
        elif path.startswith("/assets/"):
            self._asset(path.removeprefix("/assets/"))
        elif path.startswith("/sites/"):
            self._answer(self.previews.get(path.removeprefix("/sites/")))
        else:
            self._page(simple_page("Not here", "<h1>Not here</h1><p><a href='/'>To the mailbox</a></p>"), status=404)

    def do_POST(self) -> None:
        if not self._asked_by_our_name():
            return
        length = int(self.headers.get("Content-Length") or 0)
        if self.path != "/send" or self.headers.get("Origin") not in self.page.addresses or length > LARGEST_FORM:
            self.close_connection = True
            self._text(403, "Mails are taken from the form on this page only.")
            return
        form = parse_qs(self.rfile.read(length).decode(errors="replace"))
        sender, recipient, subject, text = (
            form.get(name, [""])[0] for name in ("sender", "recipient", "subject", "text")
        )
        try:
            self.send_mail(sender, recipient, " ".join(subject.split()), text)
        except (OSError, ValueError) as error:
            self._text(502, f"The mail was not taken: {error}")
        else:
            self._text(200, "sent")

    def _asked_by_our_name(self) -> bool:
        if f"http://{self.headers.get('Host')}" in self.page.addresses:
            return True
        self.close_connection = True
        self._text(421, f"This page answers to {self.page.address} only.")
        return False

    def _stream_changes(self) -> None:
        self.send_response(200)
        self._headers({"Content-Type": "text/event-stream", "Cache-Control": "no-store", "Connection": "close"})
        seen: int | None = 0
        while seen is not None:
            before, seen = seen, self.page.changes.after(seen, timeout=15)
            event = "event: changed\ndata: -\n\n" if seen != before else ": still here\n\n"
            try:
                self.wfile.write(event.encode())
                self.wfile.flush()
            except OSError:
                break  # the reader left
        self.close_connection = True

    def _asset(self, name: str) -> None:
        found = asset(name)
        if found is None:
            self._text(404, "Not here.")
            return
        body, content_type = found
        self._answer(Response(200, content_type, body, {"Cache-Control": "no-cache"}))

    def _page(self, body: bytes, status: int = 200) -> None:
        policy = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-store"}
        self._answer(Response(status, "text/html; charset=utf-8", body, policy))

    def _text(self, status: int, text: str) -> None:
        self._answer(Response(status, "text/plain; charset=utf-8", text.encode(), {}))

    def _answer(self, response: Response) -> None:
        self.send_response(response.status)
        length = {"Content-Type": response.content_type, "Content-Length": str(len(response.body))}
        self._headers({**length, **response.headers})
        self.wfile.write(response.body)

    def _headers(self, headers: dict[str, str]) -> None:
        for name, value in {**SECURITY, **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 the name is http.server's
        """The page is quiet."""
