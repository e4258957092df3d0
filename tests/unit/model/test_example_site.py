"""The example site's lockfile: exact versions, no registry, both processor architectures."""

import json
from pathlib import Path

import pytest

SITE = Path(__file__).parents[3] / "sites" / "example"
LOCK = json.loads((SITE / "package-lock.json").read_text())


def test_every_dependency_has_an_exact_version() -> None:
    dependencies = json.loads((SITE / "package.json").read_text())["dependencies"]

    assert all(version[0].isdigit() for version in dependencies.values())


def test_lockfile_names_no_registry() -> None:
    assert not [name for name, package in LOCK["packages"].items() if "resolved" in package]


def test_every_locked_package_has_an_integrity_hash() -> None:
    assert not [name for name, package in LOCK["packages"].items() if name and "integrity" not in package]


@pytest.mark.parametrize("processor", ["arm64", "x64"])
@pytest.mark.parametrize("package", ["@rolldown/binding-linux-{}-gnu", "@astrojs/compiler-binding-linux-{}-gnu"])
def test_native_packages_are_locked_for_laptops_and_for_fargate(package: str, processor: str) -> None:
    assert f"node_modules/{package.format(processor)}" in LOCK["packages"]
