"""Answers a page's requests: the browser itself has no network.

The browser passes every request to a `Responder`. So the rule "only the page's own site" is enforced in one place,
and not by a list of all the ways in which a browser can open a connection.
"""

from __future__ import annotations

import http.client
from collections.abc import Callable, Collection
from dataclasses import dataclass
from urllib.parse import urlsplit

MAX_FILE_SIZE = 20 * 1024 * 1024
TIMEOUT_SECONDS = 10
# Headers of the upstream connection, not of the content.
CONNECTION_HEADERS = ("connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding")


@dataclass(frozen=True)
class Response:
    status: int
    content: bytes
    headers: tuple[tuple[str, str], ...] = ()


Responder = Callable[[str], Response | None]


def serve_nothing(address: str) -> None:
    """For HTML without a site, such as the body of a mail."""


def serve_origins(
    origins: Collection[str], at: tuple[str, int] | None = None, *, seconds: float = TIMEOUT_SECONDS
) -> Responder:
    """Fetches the given origins over the network. `at` overrides the address of all of them."""
    allowed = frozenset(origins)

    def serve(address: str) -> Response | None:
        parts = urlsplit(address)
        if f"{parts.scheme}://{parts.netloc}" not in allowed or parts.hostname is None:
            return None
        connection_class = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        host, port = at or (parts.hostname, parts.port)
        connection = connection_class(host, port, timeout=seconds)
        try:
            path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
            connection.request("GET", path, headers={"Host": parts.netloc, "Accept-Encoding": "identity"})
            response = connection.getresponse()
            content = response.read(MAX_FILE_SIZE + 1)
            headers = tuple(pair for pair in response.getheaders() if pair[0].lower() not in CONNECTION_HEADERS)
            return None if len(content) > MAX_FILE_SIZE else Response(response.status, content, headers)
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    return serve
