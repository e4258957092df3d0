"""A build's only way to the internet: a Unix socket on which the worker connects to allowed hosts.

A build cannot open network connections itself (see `sandbox`). `runner/egress.mjs` makes Node.js programs connect to
this socket and name the host first. Only hosts of the project's list are connected, only at public addresses, only
during one build. The worker makes the connections, so a build cannot bypass these rules.
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
SOCKET_VARIABLE = "WEBORDINARY_EGRESS_PROXY"  # read by `egress.mjs`
PORTS = (80, 443)
WAIT_SECONDS = 20.0
IDLE_SECONDS = 60.0
MAX_CONNECTIONS = 64
MAX_RECORDED_HOSTS = 50
CHUNK_BYTES = 65536
MAX_REQUEST_BYTES = 300
HOST = re.compile(r"^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$")
Connect = Callable[[str, int], socket.socket]


def is_allowed(host: str, allowed: Sequence[str]) -> bool:
    """Whether a project's list has a host: by name, by `*.example.com` for subdomains, or by `all`."""
    name = host.lower().rstrip(".")
    return any(
        entry == ALL or name == entry or (entry.startswith("*.") and name.endswith(entry[1:]))
        for entry in map(str.lower, allowed)
    )


def public_connection(host: str, port: int) -> socket.socket:
    """Connects to a host at one of its public addresses; others are ignored."""
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
    raise OSError(f"{host} has no reachable public address")


def connection_through(proxy: str) -> Connect:
    """Returns a function that connects through this machine's HTTP proxy."""
    address = urlsplit(proxy)

    def connect(host: str, port: int) -> socket.socket:
        connection = socket.create_connection((address.hostname or "", address.port or 3128), WAIT_SECONDS)
        connection.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        response = b""
        while not response.endswith(b"\r\n\r\n") and len(response) < CHUNK_BYTES and (byte := connection.recv(1)):
            response += byte
        if b" 200" not in response.split(b"\r\n", 1)[0]:
            connection.close()
            raise OSError(f"the proxy refused the connection to {host}")
        return connection

    return connect


class EgressProxy(socketserver.ThreadingUnixStreamServer):
    """Connects to allowed hosts. Records the hosts that were refused or unreachable."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = MAX_CONNECTIONS

    def __init__(self, path: Path, allowed: Sequence[str], connect: Connect) -> None:
        self.path = path
        self.refused: dict[str, None] = {}
        self.unreachable: dict[str, None] = {}
        self._allowed = allowed
        self._connect = connect
        self._connections = threading.BoundedSemaphore(MAX_CONNECTIONS)
        super().__init__(str(path), _Handler)

    def handle(self, client: socket.socket) -> None:
        host, port = _read_target(client)
        if not host:
            return
        if port not in PORTS or not is_allowed(host, self._allowed):
            self._record(self.refused, host)
            return
        with self._connections:
            try:
                with self._connect(host, port) as remote:
                    relay_bytes(client, remote)
            except OSError:
                self._record(self.unreachable, host)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignores clients that disconnect."""

    @staticmethod
    def _record(hosts: dict[str, None], host: str) -> None:
        if len(hosts) < MAX_RECORDED_HOSTS:
            hosts[host.lower()] = None


class _Handler(socketserver.BaseRequestHandler):
    server: EgressProxy

    def handle(self) -> None:
        self.request.settimeout(WAIT_SECONDS)
        with suppress(OSError):
            self.server.handle(self.request)


@contextmanager
def open_egress_proxy(
    allowed: Sequence[str], network: Mapping[str, str], connect: Connect | None = None
) -> Iterator[EgressProxy]:
    """Runs an egress proxy during one build."""
    proxy = network.get("HTTPS_PROXY") or network.get("https_proxy")
    connect = connect or (connection_through(proxy) if proxy else public_connection)
    # Not in the build directory: the path of a socket is limited to about a hundred characters.
    with (
        tempfile.TemporaryDirectory(prefix="egress-") as folder,
        EgressProxy(Path(folder, "proxy"), allowed, connect) as egress,
    ):
        Path(folder).chmod(0o711)
        egress.path.chmod(0o666)
        background = threading.Thread(target=egress.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        background.start()
        try:
            yield egress
        finally:
            egress.shutdown()
            background.join()


def _read_target(client: socket.socket) -> tuple[str, int]:
    """Reads the host and port to connect to; the host is empty if the request is invalid."""
    line = b""
    while not line.endswith(b"\n"):
        byte = client.recv(1)
        if not byte or len(line) > MAX_REQUEST_BYTES:
            return "", 0
        line += byte
    host, _, port = line.decode(errors="replace").strip().partition(" ")
    return (host, int(port)) if HOST.match(host) and port.isascii() and port.isdigit() else ("", 0)


def relay_bytes(one: socket.socket, other: socket.socket, idle_seconds: float = IDLE_SECONDS) -> None:
    """Relays bytes in both directions until one side closes, or both are idle for too long."""
    with selectors.DefaultSelector() as selector:
        for this, that in ((one, other), (other, one)):
            selector.register(this, selectors.EVENT_READ, that)
        while ready := selector.select(idle_seconds):
            for key, _ in ready:
                data = key.fileobj.recv(CHUNK_BYTES)  # type: ignore[union-attr]
                if not data:
                    return
                key.data.sendall(data)
