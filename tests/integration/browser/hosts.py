"""Local HTTP hosts that record the requests they receive."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from webordinary.browser.serving import serve_origins


class Host:
    """Serves pages by path and records requested paths."""

    def __init__(self, pages: dict[str, str]) -> None:
        self.pages = pages
        self.requested: list[str] = []
        host = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                host.requested.append(self.path)
                if self.path.startswith("/to/"):
                    self.send_response(302)
                    self.send_header("Location", self.path.removeprefix("/to/"))
                    self.end_headers()
                    return
                content = host.pages.get(self.path)
                self.send_response(404 if content is None else 200)
                kind = "text/javascript" if self.path.endswith(".js") else "text/html; charset=utf-8"
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write((content or "not here").encode())

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, *_: object) -> None:
                """Silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.origin = f"http://site.localhost:{self.port}"
        self.serve = serve_origins({self.origin}, ("127.0.0.1", self.port))

    @contextmanager
    def running(self) -> Iterator[Self]:
        background = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        background.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            background.join()
