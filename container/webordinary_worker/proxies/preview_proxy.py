"""Where people look at a site while it is edited: the worker's own port, behind whatever shows previews.

    GET and HEAD, and the connection on which the page hears of changes, for the one host that is shown just now
    ─▶ the site's own server, at a socket of this machine

Whoever looks is a stranger, and what answers is the site's own code: nothing is believed of either. The host must be
the thread's, a path must not lead out of the tree, a page elsewhere may not listen in, nobody's password goes further
than this, and every connection carries one request. Another host gets an answer (421) that says to look elsewhere:
at the files that were deployed.

On AWS CloudFront and a load balancer are in between. They ask for the file that was deployed, at a host of their own;
what somebody really asked for is in two headers, which the edge writes itself. They look elsewhere at 503.
"""

from __future__ import annotations

import os
import re
import socket
import socketserver
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self
from urllib.parse import unquote, urlsplit

from webordinary.contract.values import contract
from webordinary_worker.proxies.egress_proxy import relay_bytes

NOT_SHOWN = 421
# What CloudFront shows the deployed files for: terraform/modules/sites/distributions.tf.
NOT_SHOWN_TO_THE_EDGE = 503
EDGE_HOST = contract()["live_previews"]["host_header"].encode()
EDGE_TARGET = contract()["live_previews"]["target_header"].encode()
METHODS = ("GET", "HEAD")
LONGEST_HEAD = 32 * 1024
CHUNK_BYTES = 65536
WAIT_SECONDS = 30.0
# A page that listens for changes may hear of none for as long as an agent thinks.
LISTENING_SECONDS = 3600.0
MOST_VISITORS = 128
OUTSIDE_THE_ROOT = "/@fs/"  # how Vite calls files by their whole path
_HEAD = re.compile(rb"([A-Z]+) (/[^\s]*) HTTP/1\.[01]", re.ASCII)
_TARGET = re.compile(r"/[^\s]*", re.ASCII)
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*", re.ASCII)
# Of one connection only, about a body that there is none of, or nobody else's business.
_KEPT_HERE = frozenset(
    b"connection keep-alive proxy-connection te trailer transfer-encoding content-length expect upgrade "
    b"authorization proxy-authorization x-forwarded-for x-forwarded-port x-forwarded-proto".split()
)


@dataclass(frozen=True)
class Target:
    """What is shown: a host, the socket where it is answered, and the tree that it may show."""

    host: str
    socket: Path
    tree: Path


@dataclass(frozen=True)
class Request:
    method: str
    target: str
    headers: tuple[tuple[bytes, bytes], ...]
    not_shown: int = NOT_SHOWN  # how whoever asks is told to look elsewhere

    @classmethod
    def read(cls, head: bytes) -> Self | None:
        first, *rest = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
        line, headers = _HEAD.fullmatch(first), [_HEADER.fullmatch(one) for one in rest]
        if line is None or not all(headers):
            return None
        asked = cls(line[1].decode(), line[2].decode("latin-1"), tuple((one[1], one[2]) for one in headers if one))
        return asked._at_the_edge() if asked._came_through_the_edge else asked

    def header(self, name: bytes) -> str:
        """Its value; empty where there is none, or more than one."""
        found = [value for key, value in self.headers if key.lower() == name]
        return found[0].decode("latin-1") if len(found) == 1 else ""

    @property
    def _came_through_the_edge(self) -> bool:
        return any(name.lower() in (EDGE_HOST, EDGE_TARGET) for name, _ in self.headers)

    def _at_the_edge(self) -> Self | None:
        """What was asked there. The headers that say so go no further, nor does the load balancer's own host."""
        host, target = self.header(EDGE_HOST), self.header(EDGE_TARGET)
        if not host or not _TARGET.fullmatch(target):
            return None
        kept = [one for one in self.headers if one[0].lower() not in (b"host", EDGE_HOST, EDGE_TARGET)]
        headers = ((b"Host", host.encode("latin-1")), *kept)
        return replace(self, target=target, headers=headers, not_shown=NOT_SHOWN_TO_THE_EDGE)

    @property
    def host(self) -> str:
        return _host_of(f"//{self.header(b'host')}")

    @property
    def listens(self) -> bool:
        return self.header(b"upgrade").lower() == "websocket"

    @property
    def comes_from_elsewhere(self) -> bool:
        return _host_of(self.header(b"origin")) != self.host

    def passed_on(self) -> bytes:
        kept = [b"%s: %s" % (name, value) for name, value in self.headers if name.lower() not in _KEPT_HERE]
        ending = [b"Connection: Upgrade", b"Upgrade: websocket"] if self.listens else [b"Connection: close"]
        first = f"{self.method} {self.target} HTTP/1.1".encode("latin-1")
        return b"\r\n".join([first, *kept, *ending, b"", b""])


def leaves_tree(target: str, tree: Path) -> bool:
    """Whether a path asks for a file by its whole name, and that is not one of the tree's."""
    path = target
    for _ in range(4):  # whoever hides it in escapes of escapes
        if OUTSIDE_THE_ROOT in path.replace("\\", "/"):
            asked = "/" + path.replace("\\", "/").partition(OUTSIDE_THE_ROOT)[2].partition("?")[0].lstrip("/")
            if not Path(os.path.normpath(asked)).is_relative_to(tree):
                return True
        path = unquote(path)
    return "\0" in path


class PreviewProxy(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = MOST_VISITORS

    def __init__(self, address: str) -> None:
        """`address` is `host:port` to listen at; port 0 takes any free one."""
        host, _, port = address.rpartition(":")
        self._shown: Target | None = None
        self._places = threading.BoundedSemaphore(MOST_VISITORS)
        super().__init__((host, int(port)), _Visit)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def endpoint(self) -> str:
        """Where others reach it."""
        host = self.server_address[0]
        own = socket.gethostbyname(socket.gethostname()) if host == "0.0.0.0" else str(host)  # noqa: S104
        return f"{own}:{self.port}"

    def open(self) -> None:
        threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.2}, name="live-door", daemon=True
        ).start()

    @contextmanager
    def showing(self, shown: Target) -> Iterator[None]:
        self._shown = shown
        try:
            yield
        finally:
            self._shown = None

    def visit(self, visitor: socket.socket) -> None:
        if not self._places.acquire(blocking=False):
            return
        try:
            head, more = read_head(visitor)
            asked = Request.read(head)
            refusal = 400 if asked is None else self._refusal(asked)
            if asked is None or refusal is not None:
                visitor.sendall(_without_content(refusal or 400))
            elif (shown := self._shown) is not None:
                self._let_in(visitor, asked, more, shown)
        finally:
            self._places.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """A visitor that breaks off is nobody's concern."""

    def _refusal(self, asked: Request) -> int | None:
        shown = self._shown
        if shown is None or asked.host != shown.host:
            return asked.not_shown
        if asked.method not in METHODS:
            return 405
        if leaves_tree(asked.target, shown.tree) or (asked.listens and asked.comes_from_elsewhere):
            return 403
        return None

    def _let_in(self, visitor: socket.socket, asked: Request, more: bytes, shown: Target) -> None:
        with socket.socket(socket.AF_UNIX) as site:
            site.settimeout(WAIT_SECONDS)
            try:
                site.connect(str(shown.socket))
            except OSError:  # it has just ended
                visitor.sendall(_without_content(asked.not_shown))
                return
            site.sendall(asked.passed_on())
            if asked.listens:
                if more:  # nothing, said to somebody who has left already, would be an error
                    site.sendall(more)
                relay_bytes(visitor, site, LISTENING_SECONDS)
            else:
                _relay(_answer_of(site), visitor)


class _Visit(socketserver.BaseRequestHandler):
    server: PreviewProxy

    def handle(self) -> None:
        self.request.settimeout(WAIT_SECONDS)
        with suppress(OSError):
            self.server.visit(self.request)


def read_head(connection: socket.socket) -> tuple[bytes, bytes]:
    """What is said up to the first empty line, and what came with it."""
    said = b""
    while (end := said.find(b"\r\n\r\n")) < 0:
        chunk = connection.recv(CHUNK_BYTES)
        if not chunk or len(said) > LONGEST_HEAD:
            return b"", b""
        said += chunk
    return said[: end + 4], said[end + 4 :]


def _answer_of(site: socket.socket) -> Iterator[bytes]:
    """The site's answer. Nobody keeps it: the next one to the same address is another one."""
    head, more = read_head(site)
    if not head:
        yield _without_content(502)
        return
    status, _, headers = head.partition(b"\r\n")
    kept = [line for line in headers.split(b"\r\n") if line and not line.lower().startswith(b"cache-control:")]
    yield b"\r\n".join([status, *kept, b"Cache-Control: no-store", b"", b""]) + more
    while chunk := site.recv(CHUNK_BYTES):
        yield chunk


def _without_content(status: int) -> bytes:
    return b"HTTP/1.1 %d -\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" % status


def _relay(chunks: Iterable[bytes], visitor: socket.socket) -> None:
    for chunk in chunks:
        visitor.sendall(chunk)


def _host_of(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""
