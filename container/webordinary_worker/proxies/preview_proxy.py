"""Serves a site while it is edited: forwards requests on the worker's port to the site's dev server.

    GET and HEAD, and the WebSocket for page updates, for the one host that is served now
    ─▶ the site's dev server, on a Unix socket, which serves what pages use (`site/build/runner/used_files.mjs`)

Neither visitors nor the site's code are trusted. The host must be the thread's, a path must not leave the tree, pages
of other origins may not open the WebSocket, credentials are not forwarded, and every connection carries one request.
Requests for other hosts get status 421, on which the caller shows the deployed files.

On AWS, CloudFront and a load balancer are in between. They request the deployed file, with their own host; the original
host and target are in two headers, which the edge sets. They show the deployed files on status 503.
"""

from __future__ import annotations

import os
import re
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self
from urllib.parse import unquote, urlsplit

from webordinary.contract.values import contract
from webordinary_worker.proxies.egress_proxy import relay_bytes

NOT_SHOWN = 421
# CloudFront then shows the deployed files: terraform/modules/sites/distributions.tf.
NOT_SHOWN_AT_EDGE = 503
EDGE_HOST = contract()["live_previews"]["host_header"].encode()
EDGE_TARGET = contract()["live_previews"]["target_header"].encode()
METHODS = ("GET", "HEAD")
ABSOLUTE_PATH = "/@fs/"  # Vite's prefix for absolute file paths
MAX_HEAD_BYTES = 32 * 1024
CHUNK_BYTES = 65536
WAIT_SECONDS = 30.0
# A WebSocket for page updates may be idle for as long as the agent thinks.
WEBSOCKET_SECONDS = 3600.0
MAX_CONNECTIONS = 128
_HEAD = re.compile(rb"([A-Z]+) (/[^\s]*) HTTP/1\.[01]", re.ASCII)
_TARGET = re.compile(r"/[^\s]*", re.ASCII)
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*", re.ASCII)
# Not forwarded: headers of the connection, of a request body, or private ones.
_DROPPED_HEADERS = frozenset(
    b"connection keep-alive proxy-connection te trailer transfer-encoding content-length expect upgrade "
    b"authorization proxy-authorization x-forwarded-for x-forwarded-port x-forwarded-proto".split()
)


@dataclass(frozen=True)
class PreviewTarget:
    """The served host, the socket of its dev server, and the tree whose files may be served."""

    host: str
    socket: Path
    tree: Path


@dataclass(frozen=True)
class Request:
    """`not_shown` is the status that makes the caller show the deployed files."""

    method: str
    target: str
    headers: tuple[tuple[bytes, bytes], ...]
    not_shown: int = NOT_SHOWN

    @classmethod
    def read(cls, head: bytes) -> Self | None:
        first, *rest = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
        line, headers = _HEAD.fullmatch(first), [_HEADER.fullmatch(one) for one in rest]
        if line is None or not all(headers):
            return None
        request = cls(line[1].decode(), line[2].decode("latin-1"), tuple((one[1], one[2]) for one in headers if one))
        return request._original() if request._came_through_edge else request

    def header(self, name: bytes) -> str:
        """The value of a header; empty if it is missing or repeated."""
        found = [value for key, value in self.headers if key.lower() == name]
        return found[0].decode("latin-1") if len(found) == 1 else ""

    @property
    def _came_through_edge(self) -> bool:
        return any(name.lower() in (EDGE_HOST, EDGE_TARGET) for name, _ in self.headers)

    def _original(self) -> Self | None:
        """The request as it arrived at the edge, without the edge's headers and the load balancer's host."""
        host, target = self.header(EDGE_HOST), self.header(EDGE_TARGET)
        if not host or not _TARGET.fullmatch(target):
            return None
        others = [one for one in self.headers if one[0].lower() not in (b"host", EDGE_HOST, EDGE_TARGET)]
        headers = ((b"Host", host.encode("latin-1")), *others)
        return replace(self, target=target, headers=headers, not_shown=NOT_SHOWN_AT_EDGE)

    @property
    def host(self) -> str:
        return _host_of(f"//{self.header(b'host')}")

    @property
    def is_websocket(self) -> bool:
        return self.header(b"upgrade").lower() == "websocket"

    @property
    def is_cross_origin(self) -> bool:
        return _host_of(self.header(b"origin")) != self.host

    def forwarded_head(self) -> bytes:
        headers = [b"%s: %s" % (name, value) for name, value in self.headers if name.lower() not in _DROPPED_HEADERS]
        ending = [b"Connection: Upgrade", b"Upgrade: websocket"] if self.is_websocket else [b"Connection: close"]
        first = f"{self.method} {self.target} HTTP/1.1".encode("latin-1")
        return b"\r\n".join([first, *headers, *ending, b"", b""])


def leaves_tree(target: str, tree: Path) -> bool:
    """Whether a request target names a file outside the tree by its absolute path."""
    path = target
    for _ in range(4):  # it may be percent-encoded several times
        if ABSOLUTE_PATH in path.replace("\\", "/"):
            file = "/" + path.replace("\\", "/").partition(ABSOLUTE_PATH)[2].partition("?")[0].lstrip("/")
            if not Path(os.path.normpath(file)).is_relative_to(tree):
                return True
        path = unquote(path)
    return "\0" in path


class PreviewProxy(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = MAX_CONNECTIONS

    def __init__(self, address: str) -> None:
        """`address` is `host:port` to listen at; port 0 takes any free one."""
        host, _, port = address.rpartition(":")
        self._served: PreviewTarget | None = None
        self._connections = threading.BoundedSemaphore(MAX_CONNECTIONS)
        super().__init__((host, int(port)), _Handler)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def endpoint(self) -> str:
        """The `host:port` at which others reach this proxy."""
        host = self.server_address[0]
        own = socket.gethostbyname(socket.gethostname()) if host == "0.0.0.0" else str(host)  # noqa: S104
        return f"{own}:{self.port}"

    def start(self) -> None:
        threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.2}, name="preview-proxy", daemon=True
        ).start()

    @contextmanager
    def serving(self, site: PreviewTarget) -> Iterator[None]:
        self._served = site
        try:
            yield
        finally:
            self._served = None

    def handle(self, client: socket.socket) -> None:
        if not self._connections.acquire(blocking=False):
            return
        try:
            head, rest = read_head(client)
            request = Request.read(head)
            refusal = 400 if request is None else self._refusal(request)
            if request is None or refusal is not None:
                client.sendall(_empty_response(refusal or 400))
            elif (served := self._served) is not None:
                self._forward(client, request, rest, served)
        finally:
            self._connections.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignores clients that disconnect."""

    def _refusal(self, request: Request) -> int | None:
        """The status with which a request is refused; None if it is allowed."""
        served = self._served
        if served is None or request.host != served.host:
            return request.not_shown
        if request.method not in METHODS:
            return 405
        if request.is_websocket and request.is_cross_origin:
            return 403
        if leaves_tree(request.target, served.tree):
            return 403
        return None

    def _forward(self, client: socket.socket, request: Request, rest: bytes, served: PreviewTarget) -> None:
        with socket.socket(socket.AF_UNIX) as site:
            site.settimeout(WAIT_SECONDS)
            try:
                site.connect(str(served.socket))
            except OSError:  # it has just ended
                client.sendall(_empty_response(request.not_shown))
                return
            site.sendall(request.forwarded_head())
            if request.is_websocket:
                if rest:  # sending nothing to a closed socket would fail
                    site.sendall(rest)
                relay_bytes(client, site, WEBSOCKET_SECONDS)
            else:
                for chunk in _response(site):
                    client.sendall(chunk)


class _Handler(socketserver.BaseRequestHandler):
    server: PreviewProxy

    def handle(self) -> None:
        self.request.settimeout(WAIT_SECONDS)
        with suppress(OSError):
            self.server.handle(self.request)


def read_head(connection: socket.socket) -> tuple[bytes, bytes]:
    """Reads up to the first empty line. Returns that, and the bytes received after it."""
    data = b""
    while (end := data.find(b"\r\n\r\n")) < 0:
        chunk = connection.recv(CHUNK_BYTES)
        if not chunk or len(data) > MAX_HEAD_BYTES:
            return b"", b""
        data += chunk
    return data[: end + 4], data[end + 4 :]


def _response(site: socket.socket) -> Iterator[bytes]:
    """The site's response, made uncacheable."""
    head, rest = read_head(site)
    if not head:
        yield _empty_response(502)
        return
    status, _, headers = head.partition(b"\r\n")
    others = [line for line in headers.split(b"\r\n") if line and not line.lower().startswith(b"cache-control:")]
    yield b"\r\n".join([status, *others, b"Cache-Control: no-store", b"", b""]) + rest
    while chunk := site.recv(CHUNK_BYTES):
        yield chunk


def _empty_response(status: int) -> bytes:
    return b"HTTP/1.1 %d -\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" % status


def _host_of(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""
