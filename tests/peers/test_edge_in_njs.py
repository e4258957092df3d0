"""The CloudFront function in njs, which CloudFront's engine is believed to be. Debian's package `njs` is an old one."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.unit.sites.edge import ask, viewer_code
from tests.unit.sites.test_edge_functions import LIVE_HOST, PREVIEW_HOST, THREAD, basic
from tests.unit.sites.test_hosting import CASES, PIECES

NJS = os.environ.get("WEBORDINARY_NJS") or shutil.which("njs")
REMEMBERED = {
    "password/bakery": hashlib.sha256(b"bakery:open: sesame").hexdigest(),
    "domain/www.bakery.example": "bakery",
}
HOSTS = (PREVIEW_HOST, LIVE_HOST, "www.bakery.example", f"{'b' * 26}--garden.preview.example.com", "-.example.com")
PROGRAM = """
const ASKED = {asked};
const STORED = {stored};
async function run() {{
  for (let i = 0; i < ASKED.length; i++) {{
    const request = ASKED[i].request;
    const query = ASKED[i].query;
    request.rawQueryString = () => query;
    const answer = await handler({{ request: request }});
    delete answer.rawQueryString;
    console.log(JSON.stringify(answer));
  }}
}}
run();
"""
KVS = """
async function get(key) {
  if (!(key in STORED)) {
    throw new Error(key);
  }
  return STORED[key];
}
async function exists(key) {
  return key in STORED;
}
const cf = { kvs: () => ({ get: get, exists: exists }) };
"""


def requests() -> list[dict[str, Any]]:
    chance = random.Random(7)  # noqa: S311  the same requests every time
    paths = [case["path"] for case in CASES if "path" in case]
    paths += ["/" + "".join(chance.choices(PIECES, k=chance.randint(0, 7))) for _ in range(1000)]
    paths += [f"/session/{THREAD}/menu/", "/@fs/etc/passwd"]
    credentials = (None, basic("x:open: sesame"), basic("x:wrong"), "Bearer x")
    found = []
    for path in paths:
        headers = {"host": chance.choice(HOSTS), "authorization": chance.choice(credentials)}
        values = {name: {"value": value} for name, value in headers.items() if value}
        found.append({"method": "GET", "uri": path, "querystring": {"a": {"value": "b"}}, "headers": values})
    return found


@pytest.mark.skipif(NJS is None, reason="njs is missing: apt install njs, or set WEBORDINARY_NJS")
@pytest.mark.parametrize("live", [False, True], ids=["plain", "live previews"])
def test_njs_and_node_answer_alike(tmp_path: Path, *, live: bool) -> None:
    code, query = viewer_code(live=live), "v=1&t=%20x"
    asked = [{"request": request, "query": query} for request in requests()]
    program = tmp_path / "viewer.js"
    program.write_text(
        code.replace("import cf from 'cloudfront';", KVS)
        + PROGRAM.format(asked=json.dumps(asked), stored=json.dumps(REMEMBERED)),
        encoding="utf-8",
    )

    done = subprocess.run([str(NJS), program], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    in_njs = [json.loads(line) for line in done.stdout.splitlines()]
    question = {"remembered": REMEMBERED, "code": code, "query": query}
    in_node = ask("viewer", [{"event": {"request": one["request"]}, **question} for one in asked])
    assert len(in_njs) == len(asked) > 1000
    assert in_njs == in_node
