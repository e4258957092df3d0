"""The one way from a build to the internet: a socket of this machine, behind which the worker decides.

A build can open no connection itself (see `sandbox`). Node.js programs in it are taught to come here, by
`runner/egress.mjs`, and to say first which host they want. Only hosts that the project names are connected, only at
public addresses, only for the time of one build. Whoever comes without being taught gets no further: it is the worker
that connects.
"""

from __future__ import annotations

import ipaddress
import re
import selectors
import socket
import socketserver
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

ALL = "all"
SOCKET_VARIABLE = "WEBORDINARY_EGRESS_PROXY"  # where `egress.mjs` looks for it
PORTS = (80, 443)
WAIT_SECONDS = 20.0
SILENT_SECONDS = 60.0
MOST_CONNECTIONS = 64
MOST_NOTED = 50
CHUNK_BYTES = 65536
LONGEST_ADDRESS = 300
HOST = re.compile(r"^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$")
Connect = Callable[[str, int], socket.socket]


def is_allowed(host: str, allowed: Sequence[str]) -> bool:
    """Whether a project's list names a host: itself, `*.example.com` for what is below it, or all of them."""
    name = host.lower().rstrip(".")
    return any(
        wanted == ALL or name == wanted or (wanted.startswith("*.") and name.endswith(wanted[1:]))
        for wanted in map(str.lower, allowed)
    )


def public_connection(host: str, port: int) -> socket.socket:
    """Connects to a host at one of its public addresses, whatever its name resolves to besides."""
    for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        if ipaddress.ip_address(address[0]).is_global:
            connection = socket.socket(family, kind, protocol)
            connection.settimeout(WAIT_SECONDS)
            try:
                connection.connect(address)
            except OSError:
                connection.close()
                continue
            return connection
    raise OSError(f"{host} has no public address that answers")


def connection_through(proxy: str) -> Connect:
    """Connections by way of the proxy that this machine needs to reach the network."""
    address = urlsplit(proxy)

    def connect(host: str, port: int) -> socket.socket:
        connection = socket.create_connection((address.hostname or "", address.port or 3128), WAIT_SECONDS)
        connection.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n") and len(answer) < CHUNK_BYTES and (byte := connection.recv(1)):
            answer += byte
        if b" 200" not in answer.split(b"\r\n", 1)[0]:
            connection.close()
            raise OSError(f"the proxy does not connect to {host}")
        return connection

    return connect


class EgressProxy(socketserver.ThreadingUnixStreamServer):
    """Notes which hosts were wanted and refused."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, path: Path, allowed: Sequence[str], connect: Connect) -> None:
        self.path = path
        self.refused: dict[str, None] = {}
        self.unreachable: dict[str, None] = {}
        self._allowed = allowed
        self._connect = connect
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__(str(path), _Visit)

    def visit(self, visitor: socket.socket) -> None:
        host, port = _wanted(visitor)
        if not host:
            return
        if port not in PORTS or not is_allowed(host, self._allowed):
            self._note(self.refused, host)
            return
        with self._places:
            try:
                with self._connect(host, port) as other:
                    relay_bytes(visitor, other)
            except OSError:
                self._note(self.unreachable, host)

    def handle_error(self, request: object, client_address: object) -> None:
        """A visitor that breaks off is nobody's concern."""

    @staticmethod
    def _note(noted: dict[str, None], host: str) -> None:
        if len(noted) < MOST_NOTED:
            noted[host.lower()] = None


class _Visit(socketserver.BaseRequestHandler):
    server: EgressProxy

    def handle(self) -> None:
        self.request.settimeout(WAIT_SECONDS)
        with suppress(OSError):
            self.server.visit(self.request)


@contextmanager
def open_egress_proxy(
    allowed: Sequence[str], network: Mapping[str, str], connect: Connect | None = None
) -> Iterator[EgressProxy]:
    """A door that is open for the time of one build."""
    proxy = network.get("HTTPS_PROXY") or network.get("https_proxy")
    connect = connect or (connection_through(proxy) if proxy else public_connection)
    # Not in the build directory: the address of a socket has room for about a hundred characters.
    with (
        tempfile.TemporaryDirectory(prefix="door-") as folder,
        EgressProxy(Path(folder, "door"), allowed, connect) as door,
    ):
        Path(folder).chmod(0o711)
        door.path.chmod(0o666)
        thread = threading.Thread(target=door.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield door
        finally:
            door.shutdown()
            thread.join()


def _wanted(visitor: socket.socket) -> tuple[str, int]:
    """The host and port that a visitor asks for; no host if it asks for none."""
    line = b""
    while not line.endswith(b"\n"):
        byte = visitor.recv(1)
        if not byte or len(line) > LONGEST_ADDRESS:
            return "", 0
        line += byte
    host, _, port = line.decode(errors="replace").strip().partition(" ")
    return (host, int(port)) if HOST.match(host) and port.isascii() and port.isdigit() else ("", 0)


def relay_bytes(one: socket.socket, other: socket.socket, silent_seconds: float = SILENT_SECONDS) -> None:
    """Passes on what both say until one of them ends, or both are silent for long."""
    with selectors.DefaultSelector() as selector:
        for this, that in ((one, other), (other, one)):
            selector.register(this, selectors.EVENT_READ, that)
        while ready := selector.select(silent_seconds):
            for key, _ in ready:
                said = key.fileobj.recv(CHUNK_BYTES)  # type: ignore[union-attr]
                if not said:
                    return
                key.data.sendall(said)
