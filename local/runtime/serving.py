"""Local web servers: a socket that is bound early, served by Werkzeug's threads."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

from werkzeug.serving import WSGIRequestHandler, make_server

from local.errors import PortInUseError

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

HOST = "127.0.0.1"


def listen(port: int, what: str, remedy: str) -> socket.socket:
    """Binds a listening socket. Called before any slow start, so that a port in use is reported at once."""
    try:
        return socket.create_server((HOST, port), backlog=128)
    except OSError as error:
        raise PortInUseError(what, port, remedy) from error


def address_of(listener: socket.socket) -> str:
    return f"http://{HOST}:{listener.getsockname()[1]}"


class WebServer:
    """Serves an application from a listening socket, with a thread per connection."""

    def __init__(self, listener: socket.socket, application: WSGIApplication) -> None:
        self._listener = listener
        self._server = make_server(
            HOST,
            listener.getsockname()[1],
            application,
            threaded=True,
            request_handler=_QuietHandler,
            fd=listener.fileno(),
        )
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, name="web-server", daemon=True
        )

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._listener.close()
        self._thread.join()


class _QuietHandler(WSGIRequestHandler):
    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Requests are not logged."""
