"""The preview proxy: which requests it forwards to the dev server, and which it refuses."""

from __future__ import annotations

import http.client
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from webordinary_worker.proxies.preview_proxy import PreviewProxy, PreviewTarget, Request, leaves_tree, read_head

HOST = "thread--bakery.example.com"
TREE = Path("/work/tree")


class Site(socketserver.ThreadingUnixStreamServer):
    """A dev server that records its requests."""

    daemon_threads = True

    def __init__(self, path: Path, response: bytes) -> None:
        self.requests: list[bytes] = []
        self.response = response
        super().__init__(str(path), _Handler)


class _Handler(socketserver.BaseRequestHandler):
    server: Site

    def handle(self) -> None:
        head, rest = read_head(self.request)
        self.server.requests.append(head + rest)
        self.request.sendall(self.server.response)


@pytest.fixture(scope="module")
def proxy() -> Iterator[PreviewProxy]:
    with PreviewProxy("127.0.0.1:0") as proxy:
        proxy.start()
        yield proxy
        proxy.shutdown()


@contextmanager
def serving_site(
    proxy: PreviewProxy, folder: Path, response: bytes = b"HTTP/1.1 200 OK\r\n\r\nhello"
) -> Iterator[Site]:
    with Site(folder / "s", response) as site:
        threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        with proxy.serving(PreviewTarget(HOST, folder / "s", TREE)):
            yield site
        site.shutdown()


def get(proxy: PreviewProxy, target: str = "/", method: str = "GET", **headers: str) -> tuple[int, str, dict[str, str]]:
    connection = http.client.HTTPConnection(proxy.endpoint, timeout=120)
    try:
        connection.request(method, target, headers={"Host": HOST, **headers})
        response = connection.getresponse()
        return response.status, response.read().decode(), dict(response.getheaders())
    finally:
        connection.close()


def test_response_is_forwarded_and_not_cacheable(proxy: PreviewProxy, tmp_path: Path) -> None:
    response = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCache-Control: max-age=9\r\n\r\nhello"
    with serving_site(proxy, tmp_path, response):
        assert get(proxy) == (200, "hello", {"Content-Type": "text/plain", "Cache-Control": "no-store"})


def test_requests_are_refused_before_and_after_serving(proxy: PreviewProxy, tmp_path: Path) -> None:
    before = get(proxy)[0]
    with serving_site(proxy, tmp_path):
        during = get(proxy)[0]

    assert (before, during, get(proxy)[0]) == (421, 200, 421)


@pytest.mark.parametrize(
    "host", ["other--bakery.example.com", "bakery.example.com", "127.0.0.1", f"{HOST}.evil.com", ""]
)
def test_other_host_is_refused(proxy: PreviewProxy, tmp_path: Path, host: str) -> None:
    with serving_site(proxy, tmp_path) as site:
        assert get(proxy, Host=host)[0] == 421
        assert not site.requests


def test_port_and_case_of_the_host_do_not_matter(proxy: PreviewProxy, tmp_path: Path) -> None:
    with serving_site(proxy, tmp_path):
        assert get(proxy, Host=f"{HOST.upper()}:8025")[0] == 200


def test_request_with_two_host_headers_has_no_host(proxy: PreviewProxy) -> None:
    request = Request.read(f"GET / HTTP/1.1\r\nHost: {HOST}\r\nHost: evil.example\r\n\r\n".encode())

    assert request is not None
    assert request.host == ""


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_methods_other_than_get_and_head_are_refused(proxy: PreviewProxy, tmp_path: Path, method: str) -> None:
    with serving_site(proxy, tmp_path) as site:
        assert get(proxy, method=method)[0] == 405
        assert not site.requests


def address(proxy: PreviewProxy) -> tuple[str, int]:
    host, port = proxy.server_address[:2]
    return str(host), port


def test_credentials_and_body_are_not_forwarded(proxy: PreviewProxy, tmp_path: Path) -> None:
    first = f"GET / HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Basic eDp5\r\nContent-Length: 30\r\n\r\n"
    smuggled = f"{first}GET /second HTTP/1.1\r\n\r\n"
    with serving_site(proxy, tmp_path) as site, socket.create_connection(("127.0.0.1", proxy.port), 60) as connection:
        connection.sendall(smuggled.encode())
        assert connection.makefile("rb").read().endswith(b"hello")

        (received,) = site.requests
        assert received == f"GET / HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode()


@pytest.mark.parametrize(
    "line",
    [b"GET http://a/ HTTP/1.1", b"GET / HTTP/2", b"get / HTTP/1.1", b"GET  / HTTP/1.1", b"GET /\x01\x0b HTTP/1.1"],
)
def test_malformed_request_is_refused(proxy: PreviewProxy, tmp_path: Path, line: bytes) -> None:
    with serving_site(proxy, tmp_path) as site, socket.create_connection(("127.0.0.1", proxy.port), 60) as connection:
        connection.sendall(line + f"\r\nHost: {HOST}\r\n\r\n".encode())

        assert connection.makefile("rb").read().startswith(b"HTTP/1.1 400 ")
        assert not site.requests


def test_cross_origin_websocket_is_refused(proxy: PreviewProxy, tmp_path: Path) -> None:
    websocket = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Protocol": "vite-hmr"}
    with serving_site(proxy, tmp_path, b"HTTP/1.1 101 Switching Protocols\r\n\r\n") as site:
        assert get(proxy, **websocket, Origin="https://evil.example")[0] == 403
        assert get(proxy, **websocket)[0] == 403
        assert not site.requests
        assert get(proxy, **websocket, Origin=f"http://{HOST}:8025")[0] == 101


def test_empty_response_is_a_bad_gateway(proxy: PreviewProxy, tmp_path: Path) -> None:
    with serving_site(proxy, tmp_path, b""):
        assert get(proxy)[0] == 502


# CloudFront and the load balancer request the key of a file, with their own host.
KEY = "/bakery/preview/thread/menu/index.html"
INTERNAL = "internal-live.eu-west-1.elb.amazonaws.com"


def edge_headers(target: str = "/menu?from=1", host: str = HOST) -> dict[str, str]:
    forwarded = {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "http", "X-Forwarded-Port": "80"}
    return {"Host": INTERNAL, "X-Webordinary-Host": host, "X-Webordinary-Target": target, **forwarded}


def test_request_through_the_edge_is_forwarded_as_it_arrived_there(proxy: PreviewProxy, tmp_path: Path) -> None:
    with serving_site(proxy, tmp_path) as site:
        assert get(proxy, KEY, **edge_headers())[0] == 200

    (received,) = site.requests
    first, *headers = received.decode().removesuffix("\r\n\r\n").split("\r\n")
    assert first == "GET /menu?from=1 HTTP/1.1"
    assert sorted(headers) == ["Accept-Encoding: identity", "Connection: close", f"Host: {HOST}"]


def test_edge_gets_503_to_show_the_deployed_files(proxy: PreviewProxy, tmp_path: Path) -> None:
    before = get(proxy, KEY, **edge_headers())[0]
    with serving_site(proxy, tmp_path) as site:
        foreign = get(proxy, KEY, **edge_headers(host="other--bakery.example.com"))[0]
        site.server_close()
        (tmp_path / "s").unlink()
        just_ended = get(proxy, KEY, **edge_headers())[0]

    assert (before, foreign, just_ended) == (503, 503, 503)
    assert not site.requests


def test_health_check_is_answered_with_and_without_a_target(proxy: PreviewProxy, tmp_path: Path) -> None:
    assert 200 <= get(proxy, Host="10.20.0.7:8026")[0] < 500
    with serving_site(proxy, tmp_path):
        assert 200 <= get(proxy, Host="10.20.0.7:8026")[0] < 500


def test_edge_headers_do_not_bypass_the_checks(proxy: PreviewProxy, tmp_path: Path) -> None:
    websocket = {"Upgrade": "websocket", "Connection": "Upgrade", "Origin": "https://evil.example"}
    with serving_site(proxy, tmp_path) as site:
        assert get(proxy, KEY, **edge_headers("/@fs/etc/passwd"))[0] == 403
        assert get(proxy, KEY, **edge_headers(), **websocket)[0] == 403
        assert get(proxy, KEY, method="POST", **edge_headers())[0] == 405
        assert not site.requests


@pytest.mark.parametrize(
    "headers",
    [
        "X-Webordinary-Host: {host}",
        "X-Webordinary-Target: /",
        "X-Webordinary-Host: {host}\r\nX-Webordinary-Target: menu",
        "X-Webordinary-Host: {host}\r\nX-Webordinary-Target: / HTTP/1.1",
        "X-Webordinary-Host: {host}\r\nX-Webordinary-Host: {host}\r\nX-Webordinary-Target: /",
        "X-Webordinary-Host: {host}\r\nX-Webordinary-Target: /\r\nx-webordinary-target: /@fs/etc/passwd",
    ],
)
def test_incomplete_or_repeated_edge_headers_are_rejected(headers: str) -> None:
    received = f"GET {KEY} HTTP/1.1\r\nHost: {HOST}\r\n{headers.format(host=HOST)}\r\n\r\n"

    assert Request.read(received.encode()) is None


@pytest.mark.parametrize(
    "target",
    [
        "/@fs/etc/passwd",
        "/@fs//etc/passwd?raw",
        "/@fs/work/tree/../secret",
        "/@fs/work/tree/%2e%2e/secret",
        "/@fs/work/tree/%252e%252e/secret",
        "/%40fs/etc/passwd",
        "/%2540fs/etc/passwd",
        "/base/@fs/etc/passwd",
        "/@fs/work/treehouse/x",
        "/@fs\\etc\\passwd",
        "/x%00y",
    ],
)
def test_paths_outside_the_tree_are_recognised(target: str) -> None:
    assert leaves_tree(target, TREE)


@pytest.mark.parametrize(
    "target", ["/", "/menu?x=/@fsx", "/@fs/work/tree/node_modules/a.js?v=1", "/@vite/client", "/caf%C3%A9"]
)
def test_paths_inside_the_tree_are_allowed(target: str) -> None:
    assert not leaves_tree(target, TREE)
