"""Packages for Lambda contain bytecode that Python loads without reading the source."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools import bytecode, package

THIS = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    folder = tmp_path / "modules"
    (folder / "shop").mkdir(parents=True)
    (folder / "shop/__init__.py").write_text("WORDS = {'bread', 'rolls', 'cake'}\n")
    (folder / "shop/hours.py").write_text("def opening():\n    return 'eight'\n")
    (folder / "shop/template.py").write_text("print 'for another language'\n")
    (folder / "handler.py").write_text("from shop import hours\n")
    return folder


def zipped(modules: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(package, "DEPLOYED", THIS)
    return package.write_zip(path, {"": modules}, compiler=bytecode.interpreter(THIS))


def test_zip_contains_bytecode_of_compilable_modules(
    modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(zipped(modules, tmp_path / "made.zip", monkeypatch)) as archive:
        names = archive.namelist()

    tag = sys.implementation.cache_tag
    assert sorted(name for name in names if name.endswith(".pyc")) == [
        f"__pycache__/handler.{tag}.pyc",
        f"shop/__pycache__/__init__.{tag}.pyc",
        f"shop/__pycache__/hours.{tag}.pyc",
    ]
    assert "shop/template.py" in names


def test_python_loads_the_bytecode(modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(zipped(modules, tmp_path / "made.zip", monkeypatch)) as archive:
        archive.extractall(unpacked)
    (unpacked / "shop/hours.py").write_text("raise SystemExit('the source was read')\n")

    result = subprocess.run(
        [sys.executable, "-c", "import handler; print(handler.hours.opening(), handler.__file__)"],
        cwd=unpacked,
        capture_output=True,
        text=True,
        check=True,
    )

    assert result.stdout.split()[0] == "eight"


def test_zip_is_reproducible(modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (zipped(modules, tmp_path / name, monkeypatch).read_bytes() for name in ("a.zip", "b.zip"))

    assert first == second
    assert str(tmp_path).encode() not in first


def test_interpreter_of_missing_version_is_none() -> None:
    assert bytecode.interpreter("3.99") is None
