"""The live preview while an agent works: the site's confined dev server behind the worker's proxy."""

from __future__ import annotations

import html
import http.client
import json
import os
import re
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from local.model.steps import ScriptedStep, ToolCall
from tests.integration.worker.harness import HOME_PAGE, THREAD, Deployment, Remote, Worker
from tests.integration.worker.test_stopped_jobs import confined_processes
from tests.support.model_client import StandInClient
from tests.support.world import PAIR
from webordinary.contract.values import contract

StartWorker = Callable[..., Worker]
HOST = f"{THREAD}--bakery.preview.example.com"
CHANGES = contract()["live_previews"]["changes_path"]
TEXT, PING = 1, 9  # kinds of WebSocket frames
PATIENCE = 600.0  # only a hang reaches it
SECRET = "a word that only the worker's own files have"
PRIVATE = "only in the repository"
# What the pages of the site use in every way, and what they do not.
SITE = {
    "src/pages/used.astro": f"""---
// {PRIVATE}
import {{ Image }} from "astro:assets";
import loaf from "../assets/loaf.svg";
import photo from "../assets/photo.svg";
import menu from "../assets/menu.pdf";
import people from "../data/people.json";
---
<html><body><a href={{menu}}>{{people.length}}</a><img src={{loaf.src}} /><Image src={{photo}} alt="" />
<style>@font-face {{ font-family: A; src: url("../fonts/a.woff2"); }} a {{ font-family: A; }}</style>
<script>import "../scripts/opening.ts";</script></body></html>
""",
    "src/scripts/opening.ts": f"""type Note = "{PRIVATE}";
import {{ hours }} from "./hours.ts";
const times: string[] = hours;
void import("./later.ts");
document.title = times.join(new URL("./dot.png", import.meta.url).href);
""",
    "src/scripts/hours.ts": "export const hours: string[] = [];",
    "src/scripts/later.ts": "export default 1;",
    "src/scripts/dot.png": "dot",
    "src/scripts/unused.ts": f"// {PRIVATE}",
    "src/assets/photo.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>',
    "src/assets/menu.pdf": "menu",
    "src/assets/unused.pdf": PRIVATE,
    "src/fonts/a.woff2": "font",
    "src/data/people.json": f'["{PRIVATE}"]',
    "notes.md": PRIVATE,
    ".env": f"WORD='{PRIVATE}'",
    "public/.hidden": PRIVATE,
}
USED = [
    "/src/pages/used.astro?astro&type=script&index=0&lang.ts",
    "/src/scripts/opening.ts",
    "/src/scripts/opening.ts?t=1789000000000",
    "/src/scripts/hours.ts",
    "/src/scripts/later.ts",
    "/src/scripts/dot.png",
    "/src/assets/menu.pdf",
    "/src/fonts/a.woff2",
    "/favicon.svg",
    "/@vite/client",
]
REFUSED = (400, 404)  # the image endpoint gets no query
# {tree} is the dev server's folder.
UNUSED = [
    "/package.json",
    "/notes.md",
    "/.env",
    "/.hidden",
    "/public/.hidden",
    "/.git/HEAD",
    "/astro.config.mjs",
    "/node_modules/astro/package.json",
    "/node_modules/vite/dist/node/index.js",
    "/src/data/people.json",
    "/src/data/people.json?import",
    "/src/data/people.json?raw",
    "/src/data/people.json?url",
    "/src/pages/used.astro",
    "/src/pages/used.astro?raw",
    "/src/pages/used.astro?import&raw",
    "/src/scripts/opening.ts?raw",
    "/src/scripts/opening.ts?inline",
    "/src/scripts/opening.ts%3Fraw",
    "/src/scripts/opening.ts?%72aw",
    "/src/scripts/opening.ts.map",
    "/src/scripts/unused.ts",
    "/src/assets/unused.pdf",
    "/src/content/menu/plum-cake.md",
    "/src/content/menu/plum-cake.md?raw",
    "/@fs{tree}/package.json",
    "/@fs{tree}/src/data/people.json?import&raw",
    "/@id/{tree}/notes.md?raw",
    "/@id/astro:content",
    "/.astro/data-store.json",
    "/_image?href=%2F%40fs{tree}%2Fnotes.md&f=svg",
    "/_image?href=%2Fsrc%2Fdata%2Fpeople.json&w=9&f=png",
    "/__open-in-editor?file={tree}/notes.md",
    "/%2e%2e/notes.md",
    "//notes.md",
    "/src\\data\\people.json",
]


@dataclass(frozen=True)
class PreviewClient:
    """An HTTP client of the live preview of a worker."""

    worker: Worker
    port: int

    def get(self, target: str, host: str = HOST, method: str = "GET", **headers: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, target, headers={"Host": host, **headers})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def status(self, target: str, **options: str) -> int:
        return self.get(target, **options)[0]

    def wait_for(self, words: str, target: str = "/") -> None:
        until = time.monotonic() + PATIENCE
        while words.encode() not in (body := self.get(target)[1]):
            assert time.monotonic() < until, body
            time.sleep(0.1)


@pytest.fixture
def client(
    deployment: Deployment, remote: Remote, shared_folder: Path, start_worker: StartWorker, model: StandInClient
) -> PreviewClient:
    """A client of a live preview whose agent has changed a page and is still running."""
    users = {"AGENT": "12345", "SITE": "12346", "LIVE": "12347", "INSTALL": "12348"} if os.geteuid() == 0 else {}
    for path, text in SITE.items():
        remote.write(path, text)
    remote.push_main()
    (shared_folder / "notes.txt").write_text(SECRET)
    words = "Change the hours and take your time."
    edit = ToolCall(name="Edit", input={"file_path": HOME_PAGE, "old_string": "8 am to 2 pm", "new_string": "all day"})
    read = ToolCall(name="Read", input={"file_path": HOME_PAGE})
    steps = (ScriptedStep(tools=(read,)), ScriptedStep(tools=(edit,)), ScriptedStep(hang=2 * PATIENCE, text="Hm."))
    model.script(*steps, when=words)
    worker = start_worker(
        WEBORDINARY_LIVE_ADDRESS="127.0.0.1:0",
        WEBORDINARY_WORKSPACE=str(shared_folder / "workspace"),
        **{f"WEBORDINARY_{name}_UID": uid for name, uid in users.items()},
    )
    deployment.dispatch(deployment.mail(words))
    model.wait_until_hanging(when=words, seconds=PATIENCE)
    worker.wait_for_message("live preview started", PATIENCE)
    endpoint = deployment.ownership.inspect(PAIR).endpoint
    assert endpoint is not None
    client = PreviewClient(worker, int(endpoint.rpartition(":")[2]))
    client.wait_for("all day")
    return client


def test_live_preview_shows_the_agents_edit_and_nothing_else(client: PreviewClient) -> None:
    # One test, because the site's dev server takes seconds to start.
    tree = next(client.worker.workspace.glob("*/*/live/tree"))
    notes = client.worker.workspace.parent / "notes.txt"
    outside = [
        f"/@fs{notes}",
        f"/@fs{notes}?raw",
        f"/@fs{notes}?import&raw??",
        f"/%40fs{notes}?raw",
        f"/%2540fs{notes}?raw",
        f"/@fs{tree}/../../../../../notes.txt?raw",
        f"/@fs{tree}/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/notes.txt?raw",
        f"/@fs//{str(notes).lstrip('/')}?import&url",
        f"/@id{notes}?raw",
        f"/@id/{notes}?import&raw",
        f"/../../../../../../{notes}",
        f"/..%2f..%2f..%2f..%2f..%2f..{notes}?raw",
        f"//{notes}",
        "/@fs/proc/self/environ?raw",
        "/@fs/etc/passwd?.svg?.wasm?init",
    ]
    for target in outside:
        status, body = client.get(target)
        assert not [word for word in (SECRET.encode(), b"root:", b"NODE_ENV") if word in body], target
        assert status != 200 or b"<html" in body, target

    _require_only_used_files(client, tree)
    assert client.status("/", host="b" * 26 + "--bakery.preview.example.com") == 421
    assert client.status("/", host="localhost") == 421
    assert client.status("/", method="POST") == 405
    assert client.status("/no-such-page") == 404
    through_the_edge = {"X-Webordinary-Host": HOST, "X-Webordinary-Target": "/menu/?from=the+edge"}
    assert b"<html" in client.get("/bakery/preview/thread/index.html", host="internal.example", **through_the_edge)[1]
    assert _websocket_response(client, f"http://{HOST}").startswith(b"HTTP/1.1 101 ")
    _require_one_way_updates(client)
    assert _websocket_response(client, "https://elsewhere.example.com").startswith(b"HTTP/1.1 403 ")
    if os.geteuid() == 0:
        users = {folder.stat().st_uid for folder in confined_processes(client.worker)}
        assert {12345, 12347} <= users

    client.worker.stop()
    assert not list(confined_processes(client.worker))


def _require_only_used_files(client: PreviewClient, tree: Path) -> None:
    """The preview serves what a page that was served uses, and nothing else of the repository."""
    unused = [one.replace("{tree}", str(tree)) for one in UNUSED]
    for target in [*USED[:-2], *unused]:
        assert client.status(target) in REFUSED, target  # no page has referred to any of them yet
    picture = re.search(r'src="(/_image[^"]*)"', client.get("/used/")[1].decode())
    assert picture
    as_document = {"Sec-Fetch-Dest": "document", "Accept": "text/html"}
    for target in [*USED, html.unescape(picture[1])]:
        for headers in ({}, as_document):
            status, body = client.get(target, **headers)
            assert (status, PRIVATE.encode() in body) == (200, False), (target, body[:300])
    for target in unused:
        for headers in ({}, as_document, {"Sec-Fetch-Dest": "script"}):
            status, body = client.get(target, **headers)
            assert status in REFUSED, (target, body[:300])
            assert PRIVATE.encode() not in body, target


def _websocket_response(client: PreviewClient, origin: str) -> bytes:
    """The first bytes of the response to a WebSocket upgrade request."""
    with _websocket(client, origin) as connection:
        return connection.recv(1024)


def _require_one_way_updates(client: PreviewClient) -> None:
    """The server processes no call of a visitor. A call for a module would return any file of the repository."""
    call = {"name": "getBuiltins", "id": "send:1", "data": []}
    message = json.dumps({"type": "custom", "event": "vite:invoke", "data": call})
    with _websocket(client, f"http://{HOST}") as connection:
        received = connection.recv(1024)
        connection.sendall(_frame(TEXT, message.encode()))
        for _ in range(3):  # an answer would have been sent by then
            assert client.status("/") == 200
        connection.sendall(_frame(PING, b"still there?"))
        while b"still there?" not in received:
            received += (more := connection.recv(1024))
            assert more, received
    assert b'"connected"' in received
    assert b"vite:invoke" not in received


def _frame(kind: int, content: bytes) -> bytes:
    """A WebSocket frame of a browser, which masks its frames; this mask changes nothing."""
    return bytes([0x80 | kind, 0x80 | len(content)]) + b"\0" * 4 + content  # up to 125 bytes


def _websocket(client: PreviewClient, origin: str) -> socket.socket:
    """A connection that has sent a WebSocket upgrade request."""
    page = client.get("/@vite/client")[1].decode()
    token = page.partition('const wsToken = "')[2].partition('"')[0]
    assert token, page[:500]
    connection = socket.create_connection(("127.0.0.1", client.port), PATIENCE)
    connection.sendall(
        f"GET /{CHANGES}?token={token} HTTP/1.1\r\nHost: {HOST}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Protocol: vite-hmr\r\n\r\n".encode()
    )
    return connection
