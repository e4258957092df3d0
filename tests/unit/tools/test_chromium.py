"""The browser package: downloaded, verified and unpacked once."""

from __future__ import annotations

import tarfile
import urllib.error
from pathlib import Path

import brotli
import pytest

from tools import chromium
from tools.errors import DownloadError
from tools.package import TARGETS
from webordinary.browser.chromium import FILES, IncompletePackageError, unpack


def test_package_with_other_content_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(chromium.IntegrityError, match=r"does not match the pinned integrity hash"):
        chromium.packed(tmp_path, {}, lambda _: b"something else")
    assert list(tmp_path.iterdir()) == []


def test_unreachable_registry_error_names_the_setting(tmp_path: Path) -> None:
    def unreachable(address: str) -> bytes:
        raise urllib.error.URLError(f"no route to {address}")

    with pytest.raises(DownloadError, match="NPM_CONFIG_REGISTRY"):
        chromium.packed(tmp_path, {}, unreachable)


def test_registry_setting_selects_the_download_url(tmp_path: Path) -> None:
    requested: list[str] = []

    def fetch(address: str) -> bytes:
        requested.append(address)
        return b""

    with pytest.raises(chromium.IntegrityError):
        chromium.packed(tmp_path, {"npm_config_registry": "https://npm.company.example/"}, fetch)
    version = chromium.BROWSER.version
    assert requested == [f"https://npm.company.example/@sparticuz/chromium/-/chromium-{version}.tgz"]


def test_existing_package_is_not_downloaded_again(tmp_path: Path) -> None:
    (tmp_path / chromium.FOLDER).mkdir()

    def fetch(address: str) -> bytes:
        raise AssertionError(address)

    assert chromium.packed(tmp_path, {}, fetch) == tmp_path / chromium.FOLDER


def test_incomplete_package_is_not_unpacked(tmp_path: Path) -> None:
    (tmp_path / FILES[0]).write_bytes(brotli.compress(b"program"))
    with pytest.raises(IncompletePackageError, match=FILES[1]):
        unpack(tmp_path, tmp_path / "unpacked")


def test_failed_unpacking_leaves_no_folder(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).write_bytes(brotli.compress(b"no archive"))
    with pytest.raises(tarfile.ReadError):
        unpack(tmp_path, tmp_path / "unpacked")
    assert list((tmp_path / "unpacked").iterdir()) == []


def test_picture_function_is_packaged_for_x86_64() -> None:
    deployed, here = TARGETS["lambda"], TARGETS["local"]

    assert "x86_64-manylinux_2_34" in deployed.of("picture").installer_options
    assert deployed.of("reply") == deployed
    assert here.of("picture") == here
