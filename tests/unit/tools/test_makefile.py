"""The Makefile checks what it needs first, and says what to do next."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from local.settings import StackSettings

ROOT = Path(__file__).resolve().parents[3]
CERTIFICATES = ("SSL_CERT_FILE", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO")


def make(*arguments: str, folder: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    of_this_run = ("AWS_", "MAKE", "ARGS", *CERTIFICATES)
    clean = {name: value for name, value in os.environ.items() if not name.startswith(of_this_run)}
    clean |= {"AWS_EC2_METADATA_DISABLED": "true", "HOME": str(folder), **environment}
    return subprocess.run(["make", *arguments], cwd=folder, env=clean, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("program", "says"),
    [
        (None, "was not found"),
        ("exit 127  # a library is missing", "does not start"),
        ("echo 3.10", "is older"),
        ("echo 3.09", "is older"),
    ],
)
def test_setup_says_what_is_wrong_with_python(tmp_path: Path, program: str | None, says: str) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    python = tmp_path / "python-of-the-test"
    if program is not None:
        python.write_text(f"#!/bin/sh\n{program}\n")
        python.chmod(0o755)

    done = make("setup", f"PYTHON={python}", folder=tmp_path)

    assert done.returncode != 0
    assert f"{python} {says}" in done.stdout
    assert [one for one in ("was not found", "does not start", "is older") if one in done.stdout] == [says]


def test_setup_ends_with_the_next_step() -> None:
    lines = make("--dry-run", "setup").stdout.splitlines()

    assert "make demo" in lines[-1]


def test_only_the_fast_tests_leave_out_exhaustive_ones() -> None:
    commands = {
        "fast": make("--dry-run", "test"),
        "named": make("--dry-run", "test", "ARGS=tests/unit/mail"),
        "all": make("--dry-run", "test-all"),
    }

    left_out = {name for name, command in commands.items() if "not exhaustive" in command.stdout}
    assert left_out == {"fast"}


@pytest.mark.parametrize("target", ["plan", "apply", "drift"])
def test_credentials_are_checked_before_packaging(target: str) -> None:
    commands = make("--dry-run", "--no-print-directory", target, "ENV=prod").stdout.splitlines()

    ready = next(number for number, line in enumerate(commands) if "tools.terraform --env prod ready" in line)
    packaging = next(number for number, line in enumerate(commands) if "make package " in line)
    assert ready < packaging


def test_company_ca_is_passed_to_all_tools(tmp_path: Path) -> None:
    probe = tmp_path / "probe.mk"
    probe.write_text(
        f"include {ROOT}/Makefile\nprobe:\n\t@echo $$PIP_CERT $$NODE_EXTRA_CA_CERTS $$AWS_CA_BUNDLE $$GIT_SSL_CAINFO\n"
    )

    assert make("-f", str(probe), "probe", SSL_CERT_FILE="/ca.pem").stdout.split() == ["/ca.pem"] * 4
    assert make("-f", str(probe), "probe", SSL_CERT_FILE="/ca.pem", PIP_CERT="/own.pem").stdout.startswith("/own.pem")
    assert make("-f", str(probe), "probe").stdout.split() == []


def test_dev_container_forwards_the_ports_of_the_local_stack() -> None:
    container = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))

    assert container["forwardPorts"] == [StackSettings.page_port, StackSettings.smtp_port]
    assert container["postCreateCommand"] == "make setup"
