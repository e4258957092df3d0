"""The parts of the CI workflow together are make test-all, on the oldest Python that the README promises too."""

from __future__ import annotations

import http.server
import json
import os
import re
import subprocess
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from moto.server import ThreadedMotoServer

ROOT = Path(__file__).resolve().parents[2]


def parts() -> list[dict[str, Any]]:
    workflow = yaml.safe_load((ROOT / ".github/workflows/check.yml").read_text(encoding="utf-8"))
    return list(workflow["jobs"]["test"]["strategy"]["matrix"]["include"])


def test_every_test_folder_is_in_one_part() -> None:
    folders = {file.relative_to(ROOT / "tests").parts[0] for file in (ROOT / "tests").rglob("test_*.py")}
    divided = [name for part in parts() if part["python"] != "3.11.0" for name in part["tests"].split()]

    assert sorted(divided) == sorted(f"tests/{folder}" for folder in folders)


def test_units_run_on_the_oldest_promised_python() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = f"{project['requires-python'].removeprefix('>=')}.0"

    assert [part["part"] for part in parts() if part["python"] == oldest] == ["unit"]


def test_make_targets_of_workflows_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for file in (ROOT / ".github/workflows").glob("*.yml"):
        text = file.read_text(encoding="utf-8")
        for command in re.findall(r"^\s*(?:- )?run: make ([a-z -]+)", text, re.MULTILINE):
            for target in command.split():
                assert f"\n{target}: " in makefile, (file.name, target)


def deliver() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/deliver.yml").read_text(encoding="utf-8"))
    return found


def test_failed_plan_fails_its_step() -> None:
    """The default shell of a step has no pipefail; `shell: bash` has."""
    assert deliver()["defaults"]["run"]["shell"] == "bash"


def test_plan_needs_no_right_to_write_the_lock() -> None:
    assert deliver()["jobs"]["plan"]["env"]["TF_CLI_ARGS_plan"] == "-lock=false"


class _Token(http.server.BaseHTTPRequestHandler):
    """GitHub's endpoint for OIDC tokens."""

    def do_GET(self) -> None:
        body = json.dumps({"value": "short-lived-token"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def github() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Token)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/?x=1"
    server.shutdown()


@pytest.fixture
def sts() -> Iterator[str]:
    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def test_sign_in_exchanges_the_token_for_a_session(github: str, sts: str, tmp_path: Path) -> None:
    exported = tmp_path / "env"
    given = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment = {
        **given,
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "x",
        "ACTIONS_ID_TOKEN_REQUEST_URL": github,
        "AWS_ENDPOINT_URL": sts.replace("0.0.0.0", "127.0.0.1"),  # noqa: S104
        "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/plan",
        "GITHUB_ENV": str(exported),
        "GITHUB_RUN_ID": "1",
        "no_proxy": "127.0.0.1",
        "NO_PROXY": "127.0.0.1",
    }

    done = subprocess.run([ROOT / ".ci/sign-in"], env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    session = dict(line.split("=", 1) for line in exported.read_text(encoding="utf-8").splitlines())
    assert set(session) == {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}
    assert all(f"::add-mask::{value}" in done.stderr for value in session.values())
    assert "short-lived-token" not in exported.read_text(encoding="utf-8")


def test_operators_on_macos_install_no_linux_runtime() -> None:
    for file in ("requirements/runtime.txt", "requirements/development.txt"):
        (line,) = [
            one for one in (ROOT / file).read_text(encoding="utf-8").splitlines() if one.startswith("awslambdaric")
        ]
        assert "sys_platform == 'linux'" in line
