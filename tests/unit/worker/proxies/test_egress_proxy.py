"""Builds reach the hosts of their project's list, and no others."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.support.small_astro import SmallAstro
from tests.support.web_host import icon_service, web_host
from tests.unit.worker.site.build.test_builder import failure_of
from webordinary.contract.outcomes import Failure
from webordinary_worker.proxies import egress_proxy
from webordinary_worker.proxies.egress_proxy import is_allowed, is_public, open_egress_proxy, public_connection
from webordinary_worker.site.options import SiteOptions

ASKING = """
import { writeFileSync } from "node:fs";
export default async ({ outDir }) => {
  const answer = await fetch("https://icons.example/v1/shop/bread");
  writeFileSync(new URL("index.html", outDir), await answer.text());
};
"""
FETCHING = """
import { writeFileSync } from "node:fs";
import http from "node:http";
const get = (address) => new Promise((resolve, reject) => http.get(address, (answer) => {
  let text = ""; answer.on("data", (part) => text += part).on("end", () => resolve(text));
}).on("error", reject));
export default async ({ outDir }) => {
  const [one, two] = [await (await fetch("http://shop.example/a")).text(), await get("http://shop.example/b")];
  writeFileSync(new URL("index.html", outDir), `${one} ${two}`);
};
"""


class Shop(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"{self.headers['host']}{self.path}".encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server that answers for every host, instead of the internet."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def connect(_host: str, _port: int) -> socket.socket:
            return socket.create_connection(("127.0.0.1", server.server_port))

        monkeypatch.setattr(egress_proxy, "public_connection", connect)
        yield server.server_port
        server.shutdown()


def build(tmp_path: Path, *hosts: str) -> str:
    bench = SmallAstro(tmp_path)
    tree = bench.new_tree("fetching", behaviour_mjs=FETCHING)
    builder = bench.builder(options=SiteOptions(hosts=hosts), network_environment={})
    try:
        return (bench.build(tree, builder).folder / "index.html").read_text()
    finally:
        builder.end()


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("allowed", ["shop.example", "*.example", "all", "SHOP.example"])
def test_build_reaches_an_allowed_host(tmp_path: Path, allowed: str) -> None:
    assert build(tmp_path, allowed) == "shop.example/a shop.example/b"


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("allowed", [(), ("other.example",), ("*.shop.example",)])
def test_build_that_requests_another_host_fails_and_names_it(tmp_path: Path, allowed: tuple[str, ...]) -> None:
    failed = failure_of(lambda: build(tmp_path, *allowed))

    assert failed.failure == Failure.NETWORK_REFUSED
    assert failed.detail.splitlines()[0] == "blocked hosts: shop.example"


def test_build_uses_the_machines_ca_bundle_behind_a_proxy(tmp_path: Path) -> None:
    bench = SmallAstro(tmp_path)
    tree = bench.new_tree("asking", behaviour_mjs=ASKING)
    with web_host("icons.example", icon_service, tmp_path) as icons:
        builder = bench.builder(options=SiteOptions(hosts=(icons.name,)), network_environment=dict(icons.network))
        try:
            page = (bench.build(tree, builder).folder / "index.html").read_text()
        finally:
            builder.end()

    assert "<title>bread</title>" in page
    assert icons.asked == ["/v1/shop/bread"]


def test_build_that_bypasses_the_proxy_has_no_network(tmp_path: Path, shop: int) -> None:
    bench = SmallAstro(tmp_path)
    direct = (
        f'export default async () => {{ delete process.env.NODE_OPTIONS; await fetch("http://127.0.0.1:{shop}/"); }};'
    )
    tree = bench.new_tree("direct", behaviour_mjs=direct)
    builder = bench.builder(options=SiteOptions(hosts=("all",)))

    assert failure_of(lambda: bench.build(tree, builder)).failure == Failure.NETWORK_REFUSED


@pytest.mark.parametrize(
    ("host", "allowed", "expected"),
    [
        ("a.example", ["a.example"], True),
        ("A.example.", ["a.example"], True),
        ("b.a.example", ["a.example"], False),
        ("b.a.example", ["*.a.example"], True),
        ("evila.example", ["*.a.example"], False),
        ("anything.example", ["all"], True),
        ("anything.example", [], False),
    ],
)
def test_is_allowed_matches_names_and_wildcards(host: str, allowed: list[str], expected: bool) -> None:
    assert is_allowed(host, allowed) is expected


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "169.254.170.2", "10.0.0.1"])
def test_host_without_public_address_is_not_connected(host: str) -> None:
    with pytest.raises(OSError, match="public address"):
        public_connection(host, 80)


@pytest.mark.parametrize(
    "request_line", ["shop.example 22\n", "shop.example\n", "../x 80\n", "x" * 400, "a b c\n", "\n"]
)
def test_invalid_request_is_not_answered(request_line: str) -> None:
    def connect(host: str, _port: int) -> socket.socket:
        raise AssertionError(f"{host} was connected")

    with open_egress_proxy(["all"], {}, connect) as proxy, socket.socket(socket.AF_UNIX) as client:
        client.settimeout(120)
        client.connect(str(proxy.path))
        client.sendall(request_line.encode())
        client.shutdown(socket.SHUT_WR)

        try:
            response = client.recv(100)
        except ConnectionResetError:  # the proxy closed before reading everything
            response = b""
        assert response == b""


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "224.0.0.1",
        "::1",
        "fe80::1%lo",
        "fd00:ec2::254",
        "ff02::1",
        # Of IPv4, in IPv6.
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::a00:1",
        "2002:a00:1::",
    ],
)
def test_local_address_in_any_form_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1", "64:ff9b::808:808"])
def test_address_on_the_internet_is_public(address: str) -> None:
    assert is_public(address)
