"""Packages of a tree, and what is told of a build that failed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from webordinary_worker.astro import excerpt_of, link_packages

TREE = Path("/sites/tree")


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    installed = tmp_path / "installed-1"
    (installed / "node_modules").mkdir(parents=True)
    (installed / "node_modules/module.js").write_text("code")
    return installed


def test_linked_packages_take_no_room(installed: Path, tmp_path: Path) -> None:
    link_packages(installed, tmp_path)

    assert (tmp_path / "node_modules/module.js").samefile(installed / "node_modules/module.js")


def test_packages_stay_as_long_as_the_lockfile_does(installed: Path, tmp_path: Path) -> None:
    link_packages(installed, tmp_path)
    (tmp_path / "node_modules/.vite").mkdir()

    link_packages(installed, tmp_path)

    assert (tmp_path / "node_modules/.vite").is_dir()


def test_packages_are_replaced_with_their_lockfile(installed: Path, tmp_path: Path) -> None:
    link_packages(installed, tmp_path)
    (tmp_path / "node_modules/left.js").write_text("of before")
    newer = installed.rename(tmp_path / "installed-2")

    link_packages(newer, tmp_path)

    assert not (tmp_path / "node_modules/left.js").exists()


def test_a_link_in_place_of_packages_is_removed_and_not_followed(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/keep").write_text("me")
    (tmp_path / "node_modules").symlink_to(tmp_path / "elsewhere")

    link_packages(installed, tmp_path)

    assert not (tmp_path / "node_modules").is_symlink()
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["keep"]


def test_packages_are_copied_where_the_disk_cannot_link(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object, **__: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", no_links)
    link_packages(installed, tmp_path)

    assert (tmp_path / "node_modules/module.js").read_text() == "code"


def test_an_excerpt_begins_with_the_error_and_has_no_stack() -> None:
    output = (
        "12:00:00 building\n\nall is well\n[ERROR] Unexpected }\n  file: /sites/tree/a.astro\n    at parse (x.js)\n"
    )

    assert excerpt_of(output, TREE) == "[ERROR] Unexpected }\n  file: a.astro"


def test_an_excerpt_has_no_colours() -> None:
    assert excerpt_of("\x1b[31merror\x1b[0m in /sites/tree", TREE) == "error in ."


def test_an_error_with_a_time_in_front_is_one() -> None:
    assert excerpt_of("12:00:00 [ERROR] broken", TREE) == "12:00:00 [ERROR] broken"


def test_without_an_error_the_last_lines_tell_most() -> None:
    output = "\n".join(f"line {number}" for number in range(20))

    assert excerpt_of(output, TREE).splitlines()[::11] == ["line 8", "line 19"]


def test_an_excerpt_is_short() -> None:
    output = "error\n" + "\n".join("x" * 300 for _ in range(20))

    assert len(excerpt_of("error\n" * 20, TREE).splitlines()) == 12
    assert len(excerpt_of(output, TREE)) == 1500


def test_a_build_that_says_nothing_has_none() -> None:
    assert excerpt_of("\n  \n", TREE) == ""
