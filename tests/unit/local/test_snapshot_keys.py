"""The key of a snapshot: what decides the resources changes it, nothing else does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from local.stack.snapshots import Inputs, key
from tools.terraform_workspace import TerraformWorkspace

FILES = (
    "terraform/main.tf",
    "terraform/environments/local.tfvars",
    "terraform/.terraform.lock.hcl",
    "local/terraform_overrides/main_override.tf",
    "local/emulator/gaps/sqs.py",
    "layers/webordinary/python/webordinary/contract/contract.json",
    "statemachine/email_processor.asl.json",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in (*FILES, "packages/functions/reply.zip"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("first", encoding="utf-8")
    return tmp_path


def key_of(root: Path, *, page: str = "localhost:8025", **variables: Any) -> str:
    packages = root / "packages"
    inputs = Inputs({"package_dir": str(packages), "sites_domain": page, **variables}, packages, {"page": page})
    return key(TerraformWorkspace(root, root / "workspace", "local"), inputs)


@pytest.mark.parametrize("name", FILES)
def test_changed_file_changes_the_key(root: Path, name: str) -> None:
    before = key_of(root)

    (root / name).write_text("second", encoding="utf-8")

    assert key_of(root) != before


def test_changed_variable_changes_the_key(root: Path) -> None:
    assert key_of(root, max_workers=2) != key_of(root, max_workers=3)


def test_changed_package_keeps_the_key(root: Path) -> None:
    before = key_of(root)

    (root / "packages/functions/reply.zip").write_text("second", encoding="utf-8")

    assert key_of(root) == before


def test_another_port_keeps_the_key(root: Path) -> None:
    assert key_of(root, page="localhost:1") == key_of(root, page="localhost:2")
