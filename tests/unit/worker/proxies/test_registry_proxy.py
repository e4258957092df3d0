"""What package managers may connect to while they install."""

from __future__ import annotations

import base64
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from webordinary_worker.proxies.egress_proxy import Egress
from webordinary_worker.proxies.registry_proxy import HttpProxy, registry_egress, serve_http


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = f"{self.path} {sorted(name.lower() for name in self.headers)}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def ask(egress: Egress, host: str, port: int) -> bytes:
    """The beginning of what a host answers through the egress; empty if it is not connected."""
    client, ours = socket.socketpair()
    with client, ours:
        client.sendall(b"GET / HTTP/1.0\r\n\r\n")
        if not egress.relay(ours, host, port):
            return b""
        return client.recv(12)


def resolve_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in addresses]
    monkeypatch.setattr("webordinary_worker.proxies.egress_proxy.socket.getaddrinfo", lambda *_, **__: found)


def test_registry_of_the_operator_may_be_local(port: int) -> None:
    assert ask(registry_egress(f"http://127.0.0.1:{port}/npm/", {}), "127.0.0.1", port).endswith(b" 200")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "169.254.170.2", "10.0.0.1", "2130706433"])
def test_nothing_else_on_a_local_address_is_connected(port: int, host: str) -> None:
    egress = registry_egress("http://registry.example:4873", {})

    assert [ask(egress, host, used) for used in (port, 4873, 80)] == [b"", b"", b""]
    assert host in (*egress.refused, *egress.unreachable)


@pytest.mark.parametrize("network", [{}, {"HTTPS_PROXY": "http://127.0.0.1:9"}])
def test_name_with_a_local_address_is_not_connected(monkeypatch: pytest.MonkeyPatch, network: dict[str, str]) -> None:
    asked: list[object] = []
    monkeypatch.setattr(
        "webordinary_worker.proxies.egress_proxy.socket.create_connection", lambda *given: asked.append(given)
    )
    resolve_to(monkeypatch, "169.254.170.2")

    egress = registry_egress("https://registry.npmjs.org", network)

    assert ask(egress, "rebind.example", 80) == b""
    assert asked == []
    assert list(egress.unreachable) == ["rebind.example"]


def test_proxy_of_the_machine_is_not_used_for_a_registry_that_bypasses_it(port: int) -> None:
    network = {"HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "other.example, 127.0.0.1"}

    proxied = {"HTTPS_PROXY": "http://127.0.0.1:9"}

    assert ask(registry_egress(f"http://127.0.0.1:{port}", network), "127.0.0.1", port).endswith(b" 200")
    assert ask(registry_egress(f"http://127.0.0.1:{port}", proxied), "127.0.0.1", port) == b""


def send(proxy: HttpProxy, text: str, *, password: bool = True, at_most: int = 65536) -> str:
    authorization = base64.b64encode(proxy.url.partition("//")[2].partition("@")[0].encode()).decode()
    header = f"Proxy-Authorization: Basic {authorization}\r\n" if password else ""
    with socket.create_connection(proxy.server_address[:2]) as client:  # type: ignore[arg-type]
        client.settimeout(120)
        client.sendall(f"{text}\r\n{header}\r\n".encode())
        answer = b""
        while len(answer) < at_most and (chunk := client.recv(at_most - len(answer))):
            answer += chunk
    return answer.decode()


def test_http_proxy_forwards_without_its_password(port: int) -> None:
    with serve_http(registry_egress(f"http://127.0.0.1:{port}", {})) as proxy:
        answer = send(proxy, f"GET http://127.0.0.1:{port}/x HTTP/1.1\r\nHost: registry")
        tunnelled = send(proxy, f"CONNECT 127.0.0.1:{port} HTTP/1.1", at_most=12)

    assert answer.endswith("/x ['connection', 'host']")
    assert tunnelled == "HTTP/1.1 200"


@pytest.mark.parametrize("line", ["CONNECT 127.0.0.1:{port} HTTP/1.1", "GET http://localhost:{port}/ HTTP/1.1"])
def test_http_proxy_refuses_local_addresses(port: int, line: str) -> None:
    with serve_http(registry_egress("https://registry.npmjs.org", {})) as proxy:
        assert send(proxy, line.format(port=port)).startswith("HTTP/1.1 403")


def test_http_proxy_needs_its_password(port: int) -> None:
    with serve_http(registry_egress(f"http://127.0.0.1:{port}", {})) as proxy:
        assert send(proxy, f"GET http://127.0.0.1:{port}/x HTTP/1.1", password=False) == ""
