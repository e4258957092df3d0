"""What a package manager may connect to during an install: the operator's registry, and public addresses.

Redirects, names that resolve to local or private addresses, and URLs in lock files therefore reach nothing local. Bun
is not a Node.js program and cannot be made to use a Unix socket; it gets an HTTP proxy with the same rules.
"""

from __future__ import annotations

import base64
import re
import secrets
import socket
import socketserver
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from webordinary_worker.proxies.egress_proxy import (
    ALL,
    HOST,
    MAX_CONNECTIONS,
    PORTS,
    WAIT_SECONDS,
    Egress,
    connection_for,
    in_background,
)
from webordinary_worker.proxies.preview_proxy import read_head

DEFAULT_PORTS = {"http": 80, "https": 443}
_DROPPED_HEADERS = (b"proxy-authorization", b"proxy-connection", b"connection", b"keep-alive")
_REQUEST = re.compile(rb"([A-Z]+) (?:http://)?([^/\s@]+?)(?::(\d{1,5}))?(/\S*)? HTTP/1\.[01]")


def registry_egress(registry: str, network: Mapping[str, str]) -> Egress:
    url = urlsplit(registry)
    trusted = (url.hostname or "", url.port or DEFAULT_PORTS.get(url.scheme, 443))
    elsewhere = connection_for(network)
    is_direct = not any(name.lower() == "https_proxy" for name in network) or _bypasses_proxy(trusted[0], network)

    def connect(host: str, port: int) -> socket.socket:
        if (host.lower(), port) == trusted and is_direct:
            return socket.create_connection(trusted, WAIT_SECONDS)
        if port not in PORTS:
            raise OSError(f"{host}:{port} is not the registry")
        return elsewhere(host, port)

    return Egress([ALL], connect, ports=(*PORTS, trusted[1]))


class HttpProxy(socketserver.ThreadingTCPServer):
    """An HTTP proxy on this machine, for one program that knows the password. One request per connection."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = MAX_CONNECTIONS

    def __init__(self, egress: Egress) -> None:
        self._egress = egress
        self._password = secrets.token_hex(16)
        self._authorization = b"Basic " + base64.b64encode(f"install:{self._password}".encode())
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://install:{self._password}@127.0.0.1:{self.server_address[1]}"

    def handle(self, client: socket.socket) -> None:
        head, rest = read_head(client)
        line, _, lines = head.removesuffix(b"\r\n\r\n").partition(b"\r\n")
        headers = [
            (name.lower(), value.strip()) for name, _, value in (one.partition(b":") for one in lines.split(b"\r\n"))
        ]
        request = _REQUEST.fullmatch(line)
        if request is None or (b"proxy-authorization", self._authorization) not in headers:
            return
        is_tunnel, host = request[1] == b"CONNECT", request[2].decode("latin-1")
        port = int(request[3] or (443 if is_tunnel else 80))

        def begin(remote: socket.socket) -> None:
            if is_tunnel:
                client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                kept = [b"%s: %s" % one for one in headers if one[0] and one[0] not in _DROPPED_HEADERS]
                first = b"%s %s HTTP/1.1" % (request[1], request[4] or b"/")
                remote.sendall(b"\r\n".join([first, *kept, b"connection: close", b"", b""]))
            if rest:
                remote.sendall(rest)

        if not HOST.match(host) or not self._egress.relay(client, host, port, begin):
            client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignores clients that disconnect."""


class _Handler(socketserver.BaseRequestHandler):
    server: HttpProxy

    def handle(self) -> None:
        self.request.settimeout(WAIT_SECONDS)
        with suppress(OSError):
            self.server.handle(self.request)


@contextmanager
def serve_http(egress: Egress) -> Iterator[HttpProxy]:
    with HttpProxy(egress) as proxy, in_background(proxy):
        yield proxy


def _bypasses_proxy(host: str, network: Mapping[str, str]) -> bool:
    entries = (network.get("NO_PROXY") or network.get("no_proxy") or "").lower().replace(" ", "").split(",")
    names = [entry.removeprefix("*").removeprefix(".") for entry in entries if entry]
    return "*" in entries or any(host == name or host.endswith(f".{name}") for name in names)
