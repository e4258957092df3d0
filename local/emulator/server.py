"""Serves moto over HTTP/1.1 with a thread per connection.

Werkzeug's own server closes every connection after one request and sends header and body in two packets. Clients here
make thousands of small calls, so connections are kept open and each response is sent in one write.
"""

import functools
import io
import json
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any, TypeVar, cast

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import ThreadedWSGIServer

from local.runtime.serving import HOST, address_of, listen

Application = TypeVar("Application")


class Server:
    """moto on a local port. Its socket listens before `start`, which serves requests."""

    def __init__(self, port: int) -> None:
        self._listener = listen(port, "The AWS emulator", "start it with --port 0 to get a free port")
        self.port: int = self._listener.getsockname()[1]
        application = _Dispatcher(create_backend_app)
        self._server = _WsgiServer(HOST, self.port, application, _RequestHandler, fd=self._listener.fileno())

    @property
    def endpoint(self) -> str:
        return address_of(self._listener)

    def add_middleware(self, wrap: Callable[[Any], Application]) -> Application:
        wrapped = wrap(self._server.app)
        self._server.app = cast(Any, wrapped)
        return wrapped

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, name="server", daemon=True).start()


class _Dispatcher(DomainDispatcherApplication):
    """Caches the service of each host: moto tries some two hundred patterns for every request."""

    def __init__(self, create_app: Callable[[Any], Any]) -> None:
        super().__init__(create_app)
        self._find = functools.lru_cache(maxsize=None)(super().get_backend_for_host)

    def get_backend_for_host(self, host: str | None) -> Any:
        return self._find(host)


class _WsgiServer(ThreadedWSGIServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _RequestHandler(MotoRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def run_wsgi(self) -> None:
        environ = self._environ_with_full_body()
        head: dict[str, Any] = {}

        def start_response(status: str, headers: list[tuple[str, str]], _error: Any = None) -> Callable[[bytes], None]:
            head.update(status=status, headers=headers)
            return lambda _data: None

        try:
            body = b"".join(self.server.app(environ, start_response))
        except Exception as error:
            # The client gets the cause, and the log gets the traceback.
            traceback.print_exc()
            head.update(status="500 Internal Server Error", headers=[("Content-Type", "application/json")])
            message = f"The emulator failed: {type(error).__name__}: {error}"
            body = json.dumps({"__type": "InternalFailure", "message": message}).encode()
        self._send(head["status"], head["headers"], body)

    def _environ_with_full_body(self) -> dict[str, Any]:
        # Unread body bytes would be parsed as the next request on the same connection.
        environ = self.make_environ()
        if environ.pop("wsgi.input_terminated", False):
            body = environ["wsgi.input"].read()
            del environ["HTTP_TRANSFER_ENCODING"]
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        environ["CONTENT_LENGTH"] = str(len(body))
        environ["wsgi.input"] = io.BytesIO(body)
        return environ

    def _send(self, status: str, headers: list[tuple[str, str]], body: bytes) -> None:
        has_body = self.command != "HEAD" and not status.startswith(("1", "204", "304"))
        names = {name.lower() for name, _ in headers}
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers)]
        if "content-length" not in names and (has_body or self.command != "HEAD"):
            lines.append(f"Content-Length: {len(body) if has_body else 0}")
        if "date" not in names:
            lines.append(f"Date: {self.date_time_string()}")
        if self.close_connection:
            lines.append("Connection: close")
        head = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
        self.wfile.write(head + (body if has_body else b""))

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Requests are not logged."""
