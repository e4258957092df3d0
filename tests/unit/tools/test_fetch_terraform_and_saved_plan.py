"""Installing Terraform, saved plans, and the architecture of packages."""

from __future__ import annotations

import hashlib
import io
import urllib.error
import zipfile
from pathlib import Path
from typing import Any, cast

import pytest

from tools import fetch_terraform
from tools.errors import DownloadError
from tools.fetch_terraform import WrongArchiveError, install
from tools.package import PackagingError, lambda_target
from tools.saved_plan import SavedPlan, StalePlanError
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


def test_pinned_terraform_is_installed_as_executable(tmp_path: Path, pinned: bytes) -> None:
    requested: list[str] = []

    def fetch(address: str) -> bytes:
        requested.append(address)
        return pinned

    program = install(tmp_path, {}, fetch, MACHINE)

    assert program.stat().st_mode & 0o111
    assert requested == ["https://releases.hashicorp.com/terraform/1.11.4/terraform_1.11.4_linux_amd64.zip"]


def test_releases_setting_selects_the_mirror(tmp_path: Path, pinned: bytes) -> None:
    requested: list[str] = []
    setting = {"WEBORDINARY_TERRAFORM_RELEASES": "https://mirror.example.com/tf/"}

    def fetch(address: str) -> bytes:
        requested.append(address)
        return pinned

    install(tmp_path, setting, fetch, MACHINE)

    assert requested[0].startswith("https://mirror.example.com/tf/1.11.4/")


def test_archive_with_other_hash_is_not_installed(tmp_path: Path) -> None:
    with pytest.raises(WrongArchiveError):
        install(tmp_path, {}, lambda _: archive(b"evil"), MACHINE)
    assert list(tmp_path.iterdir()) == []


def test_unreachable_releases_error_names_the_setting(tmp_path: Path) -> None:
    def fetch(_: str) -> bytes:
        raise urllib.error.URLError("no route")

    with pytest.raises(DownloadError, match="WEBORDINARY_TERRAFORM_RELEASES"):
        install(tmp_path, {}, fetch, MACHINE)


class TerraformStandIn:
    """Records its calls; a plan writes its file."""

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
def saved(tmp_path: Path) -> SavedPlan:
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages/reply.zip").write_bytes(b"code")
    return SavedPlan(tmp_path, tmp_path / "packages")


def plan(saved: SavedPlan, terraform: TerraformStandIn) -> int:
    return saved.plan(cast(TerraformWorkspace, terraform), ["name=value"])


def test_saved_plan_is_applied_once_and_unchanged(saved: SavedPlan) -> None:
    terraform = TerraformStandIn()
    assert plan(saved, terraform) == 0

    saved.apply(cast(TerraformWorkspace, terraform))

    assert terraform.calls[0][0] == "plan"
    assert terraform.calls[1][0] == "apply"
    assert terraform.calls[1][-1] == str(saved.file)
    assert "-var-file=dev.tfvars" not in terraform.calls[1]  # the plan already holds the variables
    assert not saved.exists


def test_saved_plan_with_changed_packages_is_rejected(saved: SavedPlan) -> None:
    terraform = TerraformStandIn()
    plan(saved, terraform)
    (saved.packages / "reply.zip").write_bytes(b"other code")

    with pytest.raises(StalePlanError, match="make plan ENV=dev"):
        saved.apply(cast(TerraformWorkspace, terraform))
    assert [call[0] for call in terraform.calls] == ["plan"]
    assert not saved.exists


def test_failed_plan_is_not_saved(saved: SavedPlan) -> None:
    plan(saved, TerraformStandIn())
    assert plan(saved, TerraformStandIn(status=1)) == 1
    assert not saved.exists


@pytest.mark.parametrize(("architecture", "platform"), [("arm64", "aarch64"), ("x86_64", "x86_64")])
def test_lambda_target_selects_the_platform(architecture: str, platform: str) -> None:
    assert f"{platform}-manylinux_2_34" in lambda_target(architecture).installer_options


def test_lambda_target_rejects_unknown_architecture() -> None:
    with pytest.raises(PackagingError, match="arm64, x86_64"):
        lambda_target("sparc")
