"""Who answers what a page asks for: the browser itself has no network.

A browser hands every request to one of these, so that "the page's own site and nothing else" is decided here, where
it can be read, and not by a list of all the ways in which a browser can open a connection.
"""

from __future__ import annotations

import http.client
from collections.abc import Callable, Collection
from dataclasses import dataclass
from urllib.parse import urlsplit

LARGEST_FILE = 20 * 1024 * 1024
SECONDS = 10
# What belongs to a connection that the browser never sees.
OF_THE_CONNECTION = ("connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding")


@dataclass(frozen=True)
class Response:
    status: int
    content: bytes
    headers: tuple[tuple[str, str], ...] = ()


Responder = Callable[[str], Response | None]


def nothing(address: str) -> None:
    """For what needs no site, such as the body of a mail."""


def serve_origins(
    origins: Collection[str], at: tuple[str, int] | None = None, *, seconds: float = SECONDS
) -> Responder:
    """Asks the named origins over the network. `at` is where they all are, if not where their names say."""
    allowed = frozenset(origins)

    def serve(address: str) -> Response | None:
        parts = urlsplit(address)
        if f"{parts.scheme}://{parts.netloc}" not in allowed or parts.hostname is None:
            return None
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        host, port = at or (parts.hostname, parts.port)
        connection = kind(host, port, timeout=seconds)
        try:
            path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
            connection.request("GET", path, headers={"Host": parts.netloc, "Accept-Encoding": "identity"})
            answer = connection.getresponse()
            content = answer.read(LARGEST_FILE + 1)
            headers = tuple(pair for pair in answer.getheaders() if pair[0].lower() not in OF_THE_CONNECTION)
            return None if len(content) > LARGEST_FILE else Response(answer.status, content, headers)
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    return serve
