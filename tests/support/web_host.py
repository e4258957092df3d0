"""Emulates an internet host over TLS behind a proxy, as in a company network.

The proxy forwards other hosts to the internet, so packages can still be installed.
"""

from __future__ import annotations

import os
import socket
import socketserver
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.support.git_server import certificate_for
from webordinary_worker.proxies.egress_proxy import WAIT_SECONDS, connection_through, relay_bytes

EXTRA_CERTIFICATES = "NODE_EXTRA_CA_CERTS"
PROXIES = ("HTTPS_PROXY", "https_proxy")
SHAPE = "M4 4h16v16H4z"
# Path → content type and content, or None if missing.
Answer = Callable[[str], tuple[str, bytes] | None]


@dataclass(frozen=True)
class WebHost:
    name: str
    network: Mapping[str, str]  # environment variables of a worker
    asked: list[str] = field(default_factory=list)  # requested paths


def icon_service(path: str) -> tuple[str, bytes] | None:
    """api.astroicon.dev for astro-icon 0.8: `/v1/<pack>/<name>` is an SVG."""
    _, version, *names = path.split("/")
    if version != "v1" or len(names) != 2:
        return None
    inside = f'<title>{names[1]}</title><path fill="currentColor" d="{SHAPE}"/>'
    return "image/svg+xml", f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">{inside}</svg>'.encode()


@contextmanager
def web_host(name: str, answer: Answer, folder: Path) -> Iterator[WebHost]:
    certificate, key = certificate_for(name, folder)
    trusted = folder / "trusted.pem"
    others = os.environ.get(EXTRA_CERTIFICATES)
    trusted.write_bytes(certificate.read_bytes() + (Path(others).read_bytes() if others else b""))
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            found = answer(self.path)
            kind, content = found or ("text/plain", b"not here")
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with _proxy({name: ("127.0.0.1", server.server_address[1])}) as proxy:
            network = {"HTTPS_PROXY": proxy, "NO_PROXY": "127.0.0.1,localhost", EXTRA_CERTIFICATES: str(trusted)}
            yield WebHost(name, network, asked)
        server.shutdown()


@contextmanager
def _proxy(emulated: Mapping[str, tuple[str, int]]) -> Iterator[str]:
    """A proxy that connects to hosts, some of them emulated here."""
    outer = next((os.environ[name] for name in PROXIES if os.environ.get(name)), None)

    def connect(host: str, port: int) -> socket.socket:
        if host in emulated:
            return socket.create_connection(emulated[host], WAIT_SECONDS)
        return connection_through(outer)(host, port) if outer else socket.create_connection((host, port), WAIT_SECONDS)

    class Visit(socketserver.StreamRequestHandler):
        rbufsize = 0  # leave the bytes after the request to the relay

        def handle(self) -> None:
            target = self.rfile.readline().decode().split()[1]
            while self.rfile.readline().strip():
                pass
            host, _, port = target.rpartition(":")
            with suppress(OSError), closing(connect(host, int(port))) as other:
                self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                relay_bytes(self.request, other)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

    with Server(("127.0.0.1", 0), Visit) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
