"""The Lambda Runtime API for one function process, which requests the next event and posts its result.

This is the server side of the interface that AWS documents for custom runtimes (version 2018-06-01). The client is
`awslambdaric`, the program that runs Python functions on AWS. What the process does arrives as `Signal`s in one queue,
so that a caller that waits for a result also sees a failed start.
"""

import http.server
import queue
import socket
import sys
import threading
from dataclasses import dataclass
from typing import Any

NEXT_PATH = "/2018-06-01/runtime/invocation/next"


@dataclass(frozen=True)
class InvocationRequest:
    """One invocation, as the function process receives it."""

    request_id: str
    body: bytes
    deadline_ms: int
    function_arn: str


@dataclass(frozen=True)
class Ready:
    """The process has loaded its handler and requests an event."""


@dataclass(frozen=True)
class ResultPosted:
    """The process posted the result of an invocation, or the error that its handler raised."""

    request_id: str
    body: str
    failed: bool


@dataclass(frozen=True)
class InitFailed:
    """The process could not load its handler."""

    body: str


@dataclass(frozen=True)
class Exited:
    """The process has ended."""

    status: int


Signal = Ready | ResultPosted | InitFailed | Exited


class RuntimeApi:
    """Listens on a free port until it is closed."""

    def __init__(self) -> None:
        self.signals: queue.SimpleQueue[Signal] = queue.SimpleQueue()
        self.events: queue.SimpleQueue[InvocationRequest | None] = queue.SimpleQueue()
        self._server = _Server(self)
        self._closed = False
        threading.Thread(target=self._serve, name="runtime-api", daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._closed = True
        self.events.put(None)
        # Wakes the accept call of the serving thread; closing alone does not.
        self._server.socket.shutdown(socket.SHUT_RDWR)

    def _serve(self) -> None:
        while not self._closed:
            self._server.handle_request()
        self._server.server_close()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, api: RuntimeApi) -> None:
        self.api = api
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A process that exits or is killed breaks its connection; its exit is reported elsewhere.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def do_GET(self) -> None:
        if self.path != NEXT_PATH:
            self.send_error(404)
            return
        self.server.api.signals.put(Ready())
        event = self.server.api.events.get()
        if event is None:
            self.close_connection = True
            return
        self._respond(
            200,
            event.body,
            {
                "Content-Type": "application/json",
                "Lambda-Runtime-Aws-Request-Id": event.request_id,
                "Lambda-Runtime-Deadline-Ms": str(event.deadline_ms),
                "Lambda-Runtime-Invoked-Function-Arn": event.function_arn,
            },
        )

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        *_, request_id, outcome = self.path.split("/")
        # Before responding: the process may exit after the response, and its exit must not overtake its result.
        if self.path.endswith("/init/error"):
            self.server.api.signals.put(InitFailed(body))
        else:
            self.server.api.signals.put(ResultPosted(request_id, body, failed=outcome == "error"))
        self._respond(202, b"", {})

    def _respond(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *_arguments: Any) -> None:
        """Requests are not logged."""
