"""Attacks of visitors of a live preview: they read the repository, although no page shows it."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import tempfile
from pathlib import Path

from tests.attack.arena import SECRET, Arena
from tests.attack.attack_packages_and_model import NODE
from tests.attack.cases import AttackSucceededError, attack
from webordinary.contract.values import contract
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.proxies.preview_proxy import PreviewProxy, PreviewTarget
from webordinary_worker.site.build.build_directory import RUNNER
from webordinary_worker.site.build.dev_server import DevServer

HOST = "thread--bakery.example.com"
SERVER = Path(__file__).with_name("preview_server.mjs")
PUBLIC = {"src/menu.ts": 'import "./used.ts";', "src/used.ts": "export {};", "src/loaf.svg": "<svg></svg>"}
PRIVATE = (
    "package.json",
    ".env",
    ".git/config",
    "notes.md",
    "src/data.json",
    "src/content/draft.md",
    "node_modules/x/package.json",
)


@attack
def visits_preview(arena: Arena, target: str, headers: dict[str, str] | None = None) -> None:
    """A visitor opens the home page of a live preview and then another address."""
    with tempfile.TemporaryDirectory(prefix="preview-", dir=arena.folder) as name:
        folder, tree = Path(name), Path(name, "tree")
        folder.chmod(0o755)
        _write_site(tree, arena.site.uid)
        runner = shutil.copytree(RUNNER, folder / "tools")
        changes = contract()["live_previews"]["changes_path"]
        server = DevServer(
            arena.site,
            [NODE / "node", runner / "dev_server.mjs", tree, tree, changes],
            host=HOST,
            tree=tree,
            folder=tree,
            environment={},
            hosts=(),
            network={},
        )
        try:
            server.wait_until_ready(CancellationToken())
            with PreviewProxy("127.0.0.1:0") as proxy:
                proxy.start()
                with proxy.serving(PreviewTarget(HOST, server.socket, tree)):
                    if b"<html" not in _get(proxy, "/") or b"used.ts" not in _get(proxy, "/src/menu.ts"):
                        raise RuntimeError("the preview does not show what the page uses")
                    body = _get(proxy, target.replace("{tree}", str(tree)), headers)
                proxy.shutdown()
        finally:
            server.end()
    if SECRET.encode() in body:
        raise AttackSucceededError("it read a file of the repository")


def _write_site(tree: Path, user: int | None) -> None:
    manifest = {
        "name": "astro",
        "version": "9.9.9",
        "exports": {".": "./index.mjs", "./package.json": "./package.json"},
    }
    astro = {
        "node_modules/astro/package.json": json.dumps(manifest),
        "node_modules/astro/index.mjs": SERVER.read_text(),
    }
    private = {name: json.dumps({"word": SECRET}) for name in PRIVATE}
    for name, text in {**PUBLIC, **astro, **private}.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    if user is not None:
        for folder, _, _ in os.walk(tree):
            Path(folder).chmod(0o755)


def _get(proxy: PreviewProxy, target: str, headers: dict[str, str] | None = None) -> bytes:
    connection = http.client.HTTPConnection(proxy.endpoint, timeout=300)
    try:
        connection.request("GET", target, headers={"Host": HOST, **(headers or {})})
        response = connection.getresponse()
        return response.read() if response.status < 500 else b""
    finally:
        connection.close()
