"""The import contracts in pyproject.toml: each reports a forbidden import.

`make check` checks that the code follows them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "webordinary": "layers/webordinary/python",
    "webordinary_worker": "container",
    "webordinary_ops": "ops",
    "local": ".",
    "tools": ".",
}


FORBIDDEN = [
    ("rooms", "webordinary.contract", "webordinary.aws"),
    ("rooms", "webordinary.aws", "webordinary.tables"),
    ("rooms", "webordinary.tables", "webordinary.repositories"),
    ("mail", "webordinary.mail.vocabulary", "webordinary.mail.mime"),
    ("mail", "webordinary.mail.closing", "webordinary.mail.history"),
    ("mail", "webordinary.mail.history", "webordinary.mail.commands"),
    ("worker-rooms", "webordinary_worker.git", "webordinary_worker.warm_start"),
    ("worker-rooms", "webordinary_worker.deploy", "webordinary_worker.jobs"),
    ("worker-rooms", "webordinary_worker.deploy", "webordinary_worker.agent"),
    ("worker-rooms", "webordinary_worker.confinement", "webordinary_worker.settings"),
    ("worker-rooms", "webordinary_worker.jobs", "webordinary_worker.wiring"),
    ("site-rooms", "webordinary_worker.site.packages", "webordinary_worker.site.build"),
    ("site-rooms", "webordinary_worker.site.build", "webordinary_worker.site.inspect"),
    ("local-rooms", "local.page", "local.stack"),
    ("rooms", "webordinary.tables", "webordinary.protocol"),
    ("rooms", "webordinary.tables", "webordinary.mail"),
    ("rooms", "webordinary.protocol", "webordinary.steps"),
    ("rooms", "webordinary.protocol", "webordinary.answers"),
    ("rooms", "webordinary.mail", "webordinary.answers"),
    ("texts", "webordinary.answers", "webordinary.tables"),
    ("texts", "webordinary.mail", "webordinary.tables"),
    ("protocol", "webordinary.protocol", "threading"),
    ("protocol", "webordinary.protocol", "time"),
    ("domain", "webordinary.steps", "webordinary_worker"),
    ("domain", "webordinary.steps", "local"),
    ("domain", "webordinary.steps", "tools"),
    ("worker", "webordinary_worker", "local"),
    ("worker", "webordinary_worker", "tools"),
    ("domain", "webordinary.steps", "webordinary_ops"),
    ("worker", "webordinary_worker", "webordinary_ops"),
    ("ops", "webordinary_ops", "local"),
    ("ops", "webordinary_ops", "tools"),
    ("tools", "tools", "local"),
]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of links to all packages, into which tests add forbidden imports."""
    folder = tmp_path_factory.mktemp("sources")
    for package, parent in PACKAGES.items():
        source = ROOT / parent / package
        for file in source.rglob("*.py"):
            target = folder / package / file.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(file)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


@pytest.fixture(scope="module")
def reports(sources: Path) -> dict[str, str]:
    """What the linter says about each contract when every forbidden import is there."""
    lines: dict[Path, list[str]] = {}
    for _, importer, imported in FORBIDDEN:
        lines.setdefault(wrong_module(sources, importer), []).append(f"import {imported}\n")
    for file, imports in lines.items():
        file.write_text("".join(dict.fromkeys(imports)))
    try:
        return {contract: lint_imports(sources, contract) for contract in dict.fromkeys(one for one, *_ in FORBIDDEN)}
    finally:
        for file in lines:
            file.unlink()


def wrong_module(sources: Path, importer: str) -> Path:
    return sources.joinpath(*importer.split("."), "wrong.py")


def lint_imports(sources: Path, contract: str) -> str:
    """The linter's report. Fails unless the contract is broken."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo", "--contract", contract]
    environment = {**os.environ, "PYTHONPATH": str(sources)}
    completed = subprocess.run(command, cwd=sources, env=environment, capture_output=True, text=True, check=False)
    assert completed.returncode == 1, completed.stdout
    return completed.stdout


@pytest.mark.parametrize(("contract", "importer", "imported"), FORBIDDEN)
def test_forbidden_import_breaks_its_contract_and_is_named(
    reports: dict[str, str], contract: str, importer: str, imported: str
) -> None:
    assert f"{importer}.wrong -> {imported} (l." in reports[contract]


def test_room_missing_from_the_layers_is_reported(sources: Path) -> None:
    room = sources / "webordinary/attic.py"
    room.touch()
    try:
        assert "attic" in lint_imports(sources, "rooms")
    finally:
        room.unlink()
