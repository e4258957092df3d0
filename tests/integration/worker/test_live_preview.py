"""The live preview while an agent works: the site's confined dev server behind the worker's proxy."""

from __future__ import annotations

import http.client
import os
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
PATIENCE = 600.0  # only a hang reaches it
SECRET = "a word that only the worker's own files have"


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
    users = {"AGENT": "12345", "SITE": "12346", "LIVE": "12347"} if os.geteuid() == 0 else {}
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

    assert client.status("/", host="b" * 26 + "--bakery.preview.example.com") == 421
    assert client.status("/", host="localhost") == 421
    assert client.status("/", method="POST") == 405
    assert client.status("/no-such-page") == 404
    through_the_edge = {"X-Webordinary-Host": HOST, "X-Webordinary-Target": "/menu/?from=the+edge"}
    assert b"<html" in client.get("/bakery/preview/thread/index.html", host="internal.example", **through_the_edge)[1]
    assert _websocket_response(client, f"http://{HOST}").startswith(b"HTTP/1.1 101 ")
    assert _websocket_response(client, "https://elsewhere.example.com").startswith(b"HTTP/1.1 403 ")
    if os.geteuid() == 0:
        users = {folder.stat().st_uid for folder in confined_processes(client.worker)}
        assert {12345, 12347} <= users

    client.worker.stop()
    assert not list(confined_processes(client.worker))


def _websocket_response(client: PreviewClient, origin: str) -> bytes:
    """The first bytes of the response to a WebSocket upgrade request."""
    page = client.get("/@vite/client")[1].decode()
    token = page.partition('const wsToken = "')[2].partition('"')[0]
    assert token, page[:500]
    with socket.create_connection(("127.0.0.1", client.port), PATIENCE) as connection:
        connection.sendall(
            f"GET /{CHANGES}?token={token} HTTP/1.1\r\nHost: {HOST}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: vite-hmr\r\n\r\n".encode()
        )
        return connection.recv(1024)
