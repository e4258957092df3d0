"""Independent implementations of AWS services, installed on demand into .cache/peers."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from pathlib import Path

import pytest

from local.paths import ROOT

LOCKED = Path(__file__).with_name("npm")
FOLDER = ROOT / ".cache/peers"


@pytest.fixture(scope="session")
def packages() -> Path:
    """The folder with the locked npm packages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    lock = LOCKED / "package-lock.json"
    installed = FOLDER / "installed-lock.json"
    with (FOLDER / "installing").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not installed.exists() or installed.read_bytes() != lock.read_bytes():
            for one in LOCKED.iterdir():
                shutil.copyfile(one, FOLDER / one.name)
            install = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
            subprocess.run(install, cwd=FOLDER, check=True)
            shutil.copyfile(lock, installed)
    return FOLDER / "node_modules"
