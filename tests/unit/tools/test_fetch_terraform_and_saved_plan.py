"""Terraform on a machine that has none; and the plan that was looked at is the one that is carried out."""

from __future__ import annotations

import hashlib
import io
import urllib.error
import zipfile
from pathlib import Path
from typing import Any, cast

import pytest

from tools import fetch_terraform
from tools.fetch_terraform import NotFetchedError, WrongArchiveError, install
from tools.saved_plan import SavedPlan, StalePlanError
from tools.package import PackagingError, lambda_target
from tools.terraform_workspace import TerraformWorkspace

MACHINE = "linux_amd64"


def archive(content: bytes = b"#!/bin/sh\n") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as opened:
        opened.writestr("terraform", content)
    return packed.getvalue()


@pytest.fixture
def pinned(monkeypatch: pytest.MonkeyPatch) -> bytes:
    content = archive()
    monkeypatch.setitem(fetch_terraform.SHA256, MACHINE, hashlib.sha256(content).hexdigest())
    return content


def test_the_pinned_terraform_is_installed_and_can_be_run(tmp_path: Path, pinned: bytes) -> None:
    asked: list[str] = []

    def fetch(address: str) -> bytes:
        asked.append(address)
        return pinned

    program = install(tmp_path, {}, fetch, MACHINE)

    assert program.stat().st_mode & 0o111
    assert asked == ["https://releases.hashicorp.com/terraform/1.11.4/terraform_1.11.4_linux_amd64.zip"]


def test_another_address_is_asked_where_one_is_set(tmp_path: Path, pinned: bytes) -> None:
    asked: list[str] = []
    setting = {"WEBORDINARY_TERRAFORM_RELEASES": "https://mirror.example.com/tf/"}

    def fetch(address: str) -> bytes:
        asked.append(address)
        return pinned

    install(tmp_path, setting, fetch, MACHINE)

    assert asked[0].startswith("https://mirror.example.com/tf/1.11.4/")


def test_an_archive_that_is_another_is_not_installed(tmp_path: Path) -> None:
    with pytest.raises(WrongArchiveError):
        install(tmp_path, {}, lambda _: archive(b"evil"), MACHINE)
    assert list(tmp_path.iterdir()) == []


def test_without_a_network_it_says_what_to_do(tmp_path: Path) -> None:
    def fetch(_: str) -> bytes:
        raise urllib.error.URLError("no route")

    with pytest.raises(NotFetchedError, match="WEBORDINARY_TERRAFORM_RELEASES"):
        install(tmp_path, {}, fetch, MACHINE)


class TerraformStandIn:
    """Notes what it is called with; a plan leaves its file."""

    environment = "dev"

    def __init__(self, status: int = 0) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.status = status

    def variables(self, _: Any) -> list[str]:
        return ["-var-file=dev.tfvars"]

    def show(self, *call: str) -> int:
        self.calls.append(call)
        for argument in call:
            if argument.startswith("-out=") and self.status == 0:
                Path(argument.removeprefix("-out=")).write_text("plan")
        return self.status


@pytest.fixture
def kept(tmp_path: Path) -> SavedPlan:
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages/reply.zip").write_bytes(b"code")
    return SavedPlan(tmp_path, tmp_path / "packages")


def plan(kept: SavedPlan, terraform: TerraformStandIn) -> int:
    return kept.plan(cast(TerraformWorkspace, terraform), ["name=value"])


def test_the_kept_plan_is_applied_as_it_is_and_once(kept: SavedPlan) -> None:
    terraform = TerraformStandIn()
    assert plan(kept, terraform) == 0

    kept.apply(cast(TerraformWorkspace, terraform))

    assert terraform.calls[0][0] == "plan"
    assert terraform.calls[1][0] == "apply"
    assert terraform.calls[1][-1] == str(kept.file)
    assert "-var-file=dev.tfvars" not in terraform.calls[1]  # what was planned counts, not what the file says now
    assert not kept.exists


def test_code_that_has_changed_since_the_plan_is_not_applied(kept: SavedPlan) -> None:
    terraform = TerraformStandIn()
    plan(kept, terraform)
    (kept.packages / "reply.zip").write_bytes(b"other code")

    with pytest.raises(StalePlanError, match="make plan ENV=dev"):
        kept.apply(cast(TerraformWorkspace, terraform))
    assert [call[0] for call in terraform.calls] == ["plan"]
    assert not kept.exists


def test_a_plan_that_fails_is_not_kept(kept: SavedPlan) -> None:
    plan(kept, TerraformStandIn())
    assert plan(kept, TerraformStandIn(status=1)) == 1
    assert not kept.exists


@pytest.mark.parametrize(("architecture", "platform"), [("arm64", "aarch64"), ("x86_64", "x86_64")])
def test_functions_are_packaged_for_the_architecture_that_they_run_on(architecture: str, platform: str) -> None:
    assert f"{platform}-manylinux_2_34" in lambda_target(architecture).installer_options


def test_an_unknown_architecture_is_refused() -> None:
    with pytest.raises(PackagingError, match="arm64, x86_64"):
        lambda_target("sparc")
