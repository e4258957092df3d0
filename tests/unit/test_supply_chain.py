"""All third-party code is pinned by hash."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tools import fetch_terraform
from tools.package import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
REQUIREMENTS = sorted(
    path
    for folder in ("requirements", "layers/dependencies", "functions", "container")
    for path in (ROOT / folder).rglob("*.in")
    if "node_modules" not in path.parts
)
LOCKS = sorted([*(ROOT / "sites").glob("*/package-lock.json"), ROOT / "tools/asl/package-lock.json"])


def relative_name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_base_images_are_pinned_by_digest() -> None:
    dockerfile = (ROOT / "container/Dockerfile").read_text()
    arguments = dict(re.findall(r"^ARG (\w+)=(\S+)$", dockerfile, re.MULTILINE))
    stages = re.findall(r"^FROM \$\{(\w+)\}", dockerfile, re.MULTILINE)

    assert len(stages) == len(re.findall(r"^FROM (?!scratch$)", dockerfile, re.MULTILINE))
    assert stages
    for stage in stages:
        assert re.fullmatch(r"docker\.io/library/\w+:[\w.-]+@sha256:[0-9a-f]{64}", arguments[stage]), stage


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=relative_name)
def test_workflow_actions_are_pinned_by_commit(workflow: Path) -> None:
    used = re.findall(r"uses: (\S+)", workflow.read_text())

    assert used
    assert [action for action in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)] == []


def test_workflows_use_the_terraform_version_of_setup() -> None:
    used = {version for file in WORKFLOWS for version in re.findall(r'terraform_version: "(.+?)"', file.read_text())}

    assert used == {fetch_terraform.VERSION}


@pytest.mark.parametrize("requirements", REQUIREMENTS, ids=relative_name)
def test_every_python_package_is_locked_with_its_hashes(requirements: Path) -> None:
    locked = re.split(r"\n(?=\S)", requirements.with_suffix(".txt").read_text().strip())

    assert [package for package in locked if not re.match(r"\S+==\S+ .*\n\s+--hash=sha256:", package)] == []


@pytest.mark.parametrize("platform", ["x86_64", "aarch64"])
def test_every_image_package_has_a_locked_wheel_for_the_platform(platform: str) -> None:
    """The lock file has no file names for its hashes, so they are looked up in the package index."""
    lock = ROOT / "container/requirements.txt"
    uv = str(Path(sys.executable).with_name("uv"))
    command = [uv, "pip", "compile", "--quiet", "--no-deps", "--no-header", "--format", "pylock.toml", str(lock)]
    command += ["--python-version", "3.13", "--python-platform", f"{platform}-manylinux_2_36"]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    if completed.returncode != 0 and "Failed to fetch" in completed.stderr:
        pytest.skip("the Python package index is unreachable")
    assert completed.returncode == 0, completed.stderr
    hashes = set(re.findall(r"sha256:([0-9a-f]{64})", lock.read_text()))
    packages = tomllib.loads(completed.stdout)["packages"]

    assert len(packages) > 10
    assert [
        package["name"]
        for package in packages
        if hashes.isdisjoint(wheel["hashes"]["sha256"] for wheel in package.get("wheels", []))
    ] == []


@pytest.mark.parametrize("lock", LOCKS, ids=relative_name)
def test_every_npm_package_is_locked_with_its_hash(lock: Path) -> None:
    packages = json.loads(lock.read_text())["packages"]

    assert [name for name, package in packages.items() if name and not package.get("integrity")] == []


def test_terraform_providers_are_locked_for_every_platform() -> None:
    """The lock has a hash of the archive for each platform (`zh`), not only for this machine's."""
    providers = re.findall(
        r'provider "(.+?)" \{(.*?)^\}', (ROOT / "terraform/.terraform.lock.hcl").read_text(), re.S | re.M
    )

    assert providers
    for name, lock in providers:
        assert len(re.findall(r'"zh:[0-9a-f]{64}"', lock)) > 10, name
