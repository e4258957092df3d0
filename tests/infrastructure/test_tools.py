"""The Terraform wrapper: finding the provider, errors, and isolation of the emulator."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tools import terraform, terraform_workspace
from tools.provider_source import PROVIDER, ProviderNotFoundError, WrongPluginFolderError, find_mirror
from tools.terraform_workspace import TerraformFailedError, TerraformMissingError, TerraformWorkspace


def mirror_in(folder: Path) -> Path:
    (folder / PROVIDER).mkdir(parents=True)
    return folder


def answers() -> bool:
    return True


def is_silent() -> bool:
    return False


def test_plugin_dir_takes_precedence_over_the_registry(tmp_path: Path) -> None:
    named = mirror_in(tmp_path / "named")

    assert find_mirror({"TF_PLUGIN_DIR": str(named)}, tmp_path, registry=answers) == named


def test_plugin_dir_without_provider_fails(tmp_path: Path) -> None:
    with pytest.raises(WrongPluginFolderError, match="TF_PLUGIN_DIR"):
        find_mirror({"TF_PLUGIN_DIR": str(tmp_path)}, tmp_path, registry=answers)


def test_registry_takes_precedence_over_mirrors(tmp_path: Path) -> None:
    mirror_in(tmp_path / ".terraform.d/plugins")

    assert find_mirror({}, tmp_path, registry=answers) is None


def test_mirror_of_the_cli_configuration_is_found(tmp_path: Path) -> None:
    mirror = mirror_in(tmp_path / "company-mirror")
    configuration = tmp_path / "terraform.rc"
    configuration.write_text(f'provider_installation {{\n  filesystem_mirror {{\n    path = "{mirror}"\n  }}\n}}\n')

    found = find_mirror({"TF_CLI_CONFIG_FILE": str(configuration)}, tmp_path, registry=is_silent, search_roots=[])

    assert found == mirror


def test_mirror_in_a_conventional_folder_is_found(tmp_path: Path) -> None:
    mirror = mirror_in(tmp_path / ".terraform.d/plugins")

    assert find_mirror({}, tmp_path, registry=is_silent, search_roots=[]) == mirror


def test_mirror_in_a_subfolder_is_found(tmp_path: Path) -> None:
    mirror = mirror_in(tmp_path / "software/terraform/mirror")

    assert find_mirror({}, tmp_path / "home", registry=is_silent, search_roots=[tmp_path]) == mirror


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_folders_of_other_users_are_skipped(tmp_path: Path) -> None:
    closed, mirror = tmp_path / "a/closed", mirror_in(tmp_path / "b")
    closed.mkdir(parents=True)
    environment = {"TF_CLI_CONFIG_FILE": str(closed / "terraform.rc"), "XDG_DATA_HOME": str(closed)}
    closed.chmod(0)

    found = find_mirror(environment, closed / "home", registry=is_silent, search_roots=[closed, tmp_path])

    assert found == mirror


def test_missing_provider_error_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(ProviderNotFoundError, match="set TF_PLUGIN_DIR to a folder"):
        find_mirror({}, tmp_path, registry=is_silent, search_roots=[])


def test_missing_terraform_error_names_the_download_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(TerraformMissingError, match="install version"):
        TerraformWorkspace(terraform.ROOT, tmp_path, "local").prepare(print)


def test_plan_without_credentials_prints_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "missing")
    monkeypatch.setenv("AWS_CONFIG_FILE", "missing")

    status = terraform.main(["plan", "--env", "dev"])

    assert (status, capsys.readouterr().err.count("\n")) == (1, 1)


def test_local_terraform_gets_no_real_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "production")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "made-up")

    environment = TerraformWorkspace(tmp_path, tmp_path, "local", "http://127.0.0.1:1").process_environment()

    assert {name for name in environment if name.startswith("AWS_")} == {
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_ENDPOINT_URL",
        "AWS_EC2_METADATA_DISABLED",
    }


def test_terraform_leaves_no_files_in_the_repository() -> None:
    terraform.init("local")

    left = {path.name for path in (terraform.ROOT / "terraform").rglob(".terraform*")}
    assert left == {".terraform.lock.hcl"}  # which is ours
    lock = (terraform.ROOT / "terraform/.terraform.lock.hcl").read_bytes()
    assert (terraform.CACHE / "terraform/local/terraform/.terraform.lock.hcl").read_bytes() == lock


def test_provider_missing_from_the_lock_file_is_rejected(tmp_path: Path) -> None:
    for name in (terraform_workspace.SHIPPED, terraform_workspace.LOCAL_OVERRIDES):
        shutil.copytree(terraform.ROOT / name, tmp_path / name)
    lock = tmp_path / terraform_workspace.SHIPPED / terraform_workspace.LOCK_FILE
    others = f'hashes = ["h1:{"A" * 43}=", "zh:{"0" * 64}"]'  # one for an unpacked provider, one for its package
    lock.write_text(re.sub(r"hashes = \[.*\]", others, lock.read_text(), flags=re.DOTALL))

    with pytest.raises(TerraformFailedError, match="checksums"):
        TerraformWorkspace(tmp_path, tmp_path / "workspace", terraform_workspace.CHECKS).prepare(lambda _: None)
