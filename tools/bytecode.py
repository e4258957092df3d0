"""Compiles the modules of a package to bytecode for the Python version of Lambda.

Lambda's folders are read-only: without bytecode, every cold start compiles all imports, which takes a quarter of its
time. Bytecode fits one Python version only, so the packaging machine needs that version; if it is missing, the package
is built without bytecode and a warning is printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

MISSING = (
    "Python {version} was not found, so the packages contain no bytecode and cold starts take about a third longer. "
    "Install it with: uv python install {version}"
)

# Runs in the target Python. Tracebacks show the path in the package, not on this machine.
COMPILE = """
import json, pathlib, py_compile, sys
for source, compiled, shown in json.load(sys.stdin):
    pathlib.Path(compiled).parent.mkdir(parents=True, exist_ok=True)
    py_compile.compile(source, compiled, shown, quiet=2,
                       invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
"""


def interpreter(version: str) -> str | None:
    """Path of a Python of this version, such as 3.13: the running one, or one that uv finds."""
    if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
        return sys.executable
    command = [sys.executable, "-m", "uv", "python", "find", "--no-python-downloads", version]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() if found.returncode == 0 else None


def compiled(files: Mapping[str, Path], python: str, version: str, folder: Path) -> dict[str, Path]:
    """Compiles a package's modules into `folder`; returns them by name in the package. The output is reproducible.

    `files` maps names in the package to files. Files that this Python cannot compile are skipped.
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
