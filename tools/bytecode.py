"""Compiles what a package holds with the Python that will run it.

Lambda's folders are read-only: without compiled files every cold start compiles all that it imports anew, which is a
quarter of its time. Compiled files fit one version of Python only, so they need that version on the machine that
packages; where it is missing, the package is made without them, and that is said.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

MISSING = (
    "Python {version} was not found, so the packages hold no compiled files and each cold start takes about a third "
    "longer. Where it can be installed: uv python install {version}"
)

# Runs in the other Python. A name in a traceback is where Lambda unpacks the file, whatever this machine is.
COMPILE = """
import json, pathlib, py_compile, sys
for source, compiled, shown in json.load(sys.stdin):
    pathlib.Path(compiled).parent.mkdir(parents=True, exist_ok=True)
    py_compile.compile(source, compiled, shown, quiet=2,
                       invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
"""


def interpreter(version: str) -> str | None:
    """A Python of this version, such as 3.13: the one that runs this, or one that uv finds."""
    if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
        return sys.executable
    command = [sys.executable, "-m", "uv", "python", "find", "--no-python-downloads", version]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() if found.returncode == 0 else None


def compiled(files: Mapping[str, Path], python: str, version: str, folder: Path) -> dict[str, Path]:
    """Puts a package's compiled modules below `folder`; returns them by name in the package. Same input, same bytes.

    `files` are the package's files by their names in it. A file that this Python cannot read stays as it is.
    """
    tag = f"cpython-{version.replace('.', '')}"
    names = {
        name: f"{Path(name).parent.as_posix()}/__pycache__/{Path(name).stem}.{tag}.pyc".removeprefix("./")
        for name in sorted(files)
        if name.endswith(".py")
    }
    order = [[str(files[name]), str(folder / made), name] for name, made in names.items()]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    subprocess.run([python, "-P", "-s", "-c", COMPILE], input=json.dumps(order), text=True, env=environment, check=True)
    return {made: folder / made for made in names.values() if (folder / made).is_file()}
