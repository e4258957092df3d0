"""The only way to the internet for a build or a package manager: a Unix socket on which the worker connects to hosts.

Such a program cannot open network connections itself (see `sandbox`). `egress.mjs` makes Node.js programs connect to
this socket and name the host first. Only hosts of the list are connected, only at public addresses, only while the
program runs. The worker makes the connections, so a program cannot bypass these rules.
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
# Read by `egress.mjs`: the proxy's socket, and whether it also asks for hosts of this machine.
SOCKET_VARIABLE = "WEBORDINARY_EGRESS_PROXY"
LOCAL_VARIABLE = "WEBORDINARY_EGRESS_LOCAL"
PORTS = (80, 443)
WAIT_SECONDS = 20.0
IDLE_SECONDS = 60.0
MAX_CONNECTIONS = 64
MAX_RECORDED_HOSTS = 50
CHUNK_BYTES = 65536
MAX_REQUEST_BYTES = 300
HOST = re.compile(r"^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$")
# Networks with IPv6 only reach IPv4 through these addresses, private ones too.
TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
Connect = Callable[[str, int], socket.socket]
PRELOADED = Path(__file__).with_name("egress.mjs")


def is_allowed(host: str, allowed: Sequence[str]) -> bool:
    """Whether a project's list has a host: by name, by `*.example.com` for subdomains, or by `all`."""
    name = host.lower().rstrip(".")
    return any(
        entry == ALL or name == entry or (entry.startswith("*.") and name.endswith(entry[1:]))
        for entry in map(str.lower, allowed)
    )


def is_public(text: str) -> bool:
    """Whether an address is on the internet. Some addresses of IPv6 stand for another one of IPv4."""
    address = ipaddress.ip_address(text)
    if isinstance(address, ipaddress.IPv6Address):
        if address in TRANSLATED:
            address = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        elif address not in GLOBAL_UNICAST or address.sixtofour is not None:
            return False
    return address.is_global and not address.is_multicast


def public_connection(host: str, port: int) -> socket.socket:
    """Connects to a host at one of its public addresses; others are ignored."""
    for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        if is_public(str(address[0])):
            connection = socket.socket(family, kind, protocol)
            connection.settimeout(WAIT_SECONDS)
            try:
                connection.connect(address)
            except OSError:
                connection.close()
                continue
            return connection
    raise OSError(f"{host} has no reachable public address")


def require_no_local_address(host: str) -> None:
    """Raises OSError if a host is known to have a local or private address. The machine's proxy may know more names."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return
    if not all(is_public(str(address[0])) for *_, address in found):
        raise OSError(f"{host} has an address that is not public")


def connection_through(proxy: str) -> Connect:
    """Returns a function that connects through this machine's HTTP proxy, to public addresses."""
    address = urlsplit(proxy)

    def connect(host: str, port: int) -> socket.socket:
        require_no_local_address(host)
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


class Egress:
    """Connects to allowed hosts. Records the hosts that were refused or unreachable."""

    def __init__(self, allowed: Sequence[str], connect: Connect, ports: Sequence[int] = PORTS) -> None:
        self.refused: dict[str, None] = {}
        self.unreachable: dict[str, None] = {}
        self._allowed = allowed
        self._connect = connect
        self._ports = ports
        self._connections = threading.BoundedSemaphore(MAX_CONNECTIONS)

    def relay(
        self, client: socket.socket, host: str, port: int, begin: Callable[[socket.socket], None] = lambda _: None
    ) -> bool:
        """Relays bytes between a client and a host. False if the host is refused or unreachable."""
        if port not in self._ports or not is_allowed(host, self._allowed):
            self._record(self.refused, host)
            return False
        with self._connections:
            try:
                with self._connect(host, port) as remote:
                    begin(remote)
                    relay_bytes(client, remote)
            except OSError:
                self._record(self.unreachable, host)
                return False
        return True

    @staticmethod
    def _record(hosts: dict[str, None], host: str) -> None:
        if len(hosts) < MAX_RECORDED_HOSTS:
            hosts[host.lower()] = None


class EgressProxy(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = MAX_CONNECTIONS

    def __init__(self, path: Path, egress: Egress) -> None:
        self.path = path
        self.refused, self.unreachable = egress.refused, egress.unreachable
        self._egress = egress
        super().__init__(str(path), _Handler)

    def handle(self, client: socket.socket) -> None:
        host, port = _read_target(client)
        if not host:
            return
        self._egress.relay(client, host, port)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignores clients that disconnect."""


class _Handler(socketserver.BaseRequestHandler):
    server: EgressProxy

    def handle(self) -> None:
        self.request.settimeout(WAIT_SECONDS)
        with suppress(OSError):
            self.server.handle(self.request)


def connection_for(network: Mapping[str, str]) -> Connect:
    """Connects to public addresses, through the machine's HTTP proxy if there is one."""
    proxy = network.get("HTTPS_PROXY") or network.get("https_proxy")
    return connection_through(proxy) if proxy else public_connection


@contextmanager
def open_egress_proxy(
    allowed: Sequence[str], network: Mapping[str, str], connect: Connect | None = None
) -> Iterator[EgressProxy]:
    """Runs an egress proxy during one build."""
    with serve_egress(Egress(allowed, connect or connection_for(network))) as proxy:
        proxy.path.parent.chmod(0o711)
        yield proxy


@contextmanager
def serve_egress(egress: Egress) -> Iterator[EgressProxy]:
    """Serves connections on a new socket, in a folder that only the worker can enter."""
    # Not in the build directory: the path of a socket is limited to about a hundred characters.
    with tempfile.TemporaryDirectory(prefix="egress-") as folder, EgressProxy(Path(folder, "proxy"), egress) as proxy:
        proxy.path.chmod(0o666)
        with in_background(proxy):
            yield proxy


@contextmanager
def in_background(server: socketserver.BaseServer) -> Iterator[None]:
    background = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    background.start()
    try:
        yield
    finally:
        server.shutdown()
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
