"""The browser of this machine: fetched by a pinned name, checked, and unpacked once."""

from __future__ import annotations

import tarfile
import urllib.error
from pathlib import Path

import brotli
import pytest

from tools import chromium
from tools.package import TARGETS
from webordinary.browser.chromium import FILES, IncompletePackageError, unpack


def test_another_package_than_the_pinned_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(chromium.IntegrityError, match=r"not the package that is pinned"):
        chromium.packed(tmp_path, {}, lambda _: b"something else")
    assert list(tmp_path.iterdir()) == []


def test_without_a_network_it_says_what_to_do(tmp_path: Path) -> None:
    def unreachable(address: str) -> bytes:
        raise urllib.error.URLError(f"no route to {address}")

    with pytest.raises(chromium.NotFetchedError, match="NPM_CONFIG_REGISTRY"):
        chromium.packed(tmp_path, {}, unreachable)


def test_a_registry_of_ones_own_is_asked(tmp_path: Path) -> None:
    asked: list[str] = []

    def fetch(address: str) -> bytes:
        asked.append(address)
        return b""

    with pytest.raises(chromium.IntegrityError):
        chromium.packed(tmp_path, {"npm_config_registry": "https://npm.company.example/"}, fetch)
    version = chromium.BROWSER.version
    assert asked == [f"https://npm.company.example/@sparticuz/chromium/-/chromium-{version}.tgz"]


def test_what_was_fetched_before_is_not_fetched_again(tmp_path: Path) -> None:
    (tmp_path / chromium.FOLDER).mkdir()

    def fetch(address: str) -> bytes:
        raise AssertionError(address)

    assert chromium.packed(tmp_path, {}, fetch) == tmp_path / chromium.FOLDER


def test_half_a_package_is_not_unpacked(tmp_path: Path) -> None:
    (tmp_path / FILES[0]).write_bytes(brotli.compress(b"program"))
    with pytest.raises(IncompletePackageError, match=FILES[1]):
        unpack(tmp_path, tmp_path / "unpacked")


def test_an_unpacking_that_breaks_off_leaves_nothing_that_looks_finished(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).write_bytes(brotli.compress(b"no archive"))
    with pytest.raises(tarfile.ReadError):
        unpack(tmp_path, tmp_path / "unpacked")
    assert list((tmp_path / "unpacked").iterdir()) == []


def test_the_function_with_the_browser_is_packaged_for_the_processor_that_it_needs() -> None:
    deployed, here = TARGETS["lambda"], TARGETS["local"]

    assert "x86_64-manylinux_2_34" in deployed.of("picture").installer_options
    assert deployed.of("reply") == deployed
    assert here.of("picture") == here
