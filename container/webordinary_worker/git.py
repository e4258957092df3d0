"""Git over a repository that is not trusted.

The git folder lies outside the work tree and is named in every call, so a `.git` that somebody puts into the tree means
nothing. No hooks, no system or user configuration, no submodules, no prompts. Filters and merge drivers that the
repository's attributes name do nothing, because only configuration can define them, and the configuration is ours.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from webordinary.platform.errors import WebordinaryError

TIMEOUT_SECONDS = 120
SAFE = ("core.hooksPath=/dev/null", "safe.directory=*", "submodule.recurse=false", "gc.auto=0", "core.quotePath=false")


class GitError(WebordinaryError):
    """Git refused. `output` is what it said."""

    def __init__(self, arguments: tuple[str, ...], output: str) -> None:
        super().__init__(f"git {arguments[0]} failed: {output.strip()[-2000:]}")
        self.output = output


@dataclass(frozen=True)
class Identity:
    name: str
    email: str


@dataclass(frozen=True)
class Git:
    """Git with one git folder, and a work tree where there is one."""

    git_folder: Path
    identity: Identity
    work_tree: Path | None = None
    local_remote: bool = False

    def __call__(self, *arguments: str) -> str:
        code, output = self.run(*arguments)
        if code != 0:
            raise GitError(arguments, output)
        return output

    def succeeds(self, *arguments: str) -> bool:
        return self.run(*arguments)[0] == 0

    def run(self, *arguments: str) -> tuple[int, str]:
        settings = [*SAFE, f"protocol.file.allow={'always' if self.local_remote else 'never'}"]
        command = ["git", *(part for setting in settings for part in ("-c", setting)), *arguments]
        try:
            finished = subprocess.run(
                command,
                cwd=self.work_tree or self.git_folder.parent,
                env=self._environment(),
                capture_output=True,
                timeout=TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise GitError(arguments, f"no end after {TIMEOUT_SECONDS} seconds") from error
        output = finished.stdout if finished.returncode == 0 else finished.stdout + finished.stderr
        return finished.returncode, output.decode(errors="replace")

    def _environment(self) -> dict[str, str]:
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": "/nonexistent",
            "LANG": "C.UTF-8",
            "GIT_DIR": str(self.git_folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_AUTHOR_NAME": self.identity.name,
            "GIT_AUTHOR_EMAIL": self.identity.email,
            "GIT_COMMITTER_NAME": self.identity.name,
            "GIT_COMMITTER_EMAIL": self.identity.email,
        }
        if self.work_tree is not None:
            environment["GIT_WORK_TREE"] = str(self.work_tree)
        return environment
