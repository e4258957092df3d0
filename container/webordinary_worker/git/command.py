"""Runs git on a repository that is not trusted.

The git folder lies outside the work tree and is named in every call. The work tree belongs to the worker: confined
users get copies of it, and only files are copied back. A nested `.git` would be a repository with its own
configuration, which can make git run programs, so it is removed before git runs. No hooks, no system or user
configuration, no submodules, no prompts. Filters and merge drivers named by the repository's attributes have no effect,
because only configuration can define them, and the configuration is ours.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL

from webordinary.contract.errors import WebordinaryError
from webordinary_worker.confinement.processes import Launcher
from webordinary_worker.confinement.safe_copy import is_git_folder, open_folder, remove
from webordinary_worker.git.credentials import CONTENT_COMMANDS, REMOTE_COMMANDS, GitCredentials

TIMEOUT_SECONDS = 120
# Large enough for whole lists of names: a truncated list would name a wrong file.
MAX_OUTPUT_BYTES = 64 * 1024 * 1024
SAFE = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "core.quotePath=false",
    "safe.directory=*",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
    "credential.helper=",
    "http.followRedirects=false",  # a server must not redirect a credential to another host
    "gc.auto=0",
    "maintenance.auto=false",  # otherwise every fetch starts a program that finds nothing to do
)


class GitError(WebordinaryError):
    """A git command failed. `output` is its output."""

    def __init__(self, arguments: tuple[str, ...], output: str) -> None:
        super().__init__(f"git {arguments[0]} failed: {output.strip()[-2000:]}")
        self.output = output


@dataclass(frozen=True)
class Identity:
    name: str
    email: str


@dataclass(frozen=True)
class Git:
    """Git with one git folder, and optionally a work tree."""

    git_folder: Path
    identity: Identity
    work_tree: Path | None = None
    local_remote: bool = False
    credentials: GitCredentials | None = None
    network: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, stdin_file: Path | None = None) -> str:
        code, output = self.run(*arguments, stdin_file=stdin_file)
        if code != 0:
            raise GitError(arguments, output)
        return output

    def succeeds(self, *arguments: str) -> bool:
        return self.run(*arguments)[0] == 0

    def run(self, *arguments: str, stdin_file: Path | None = None) -> tuple[int, str]:
        uses_network = arguments[0] in REMOTE_COMMANDS | CONTENT_COMMANDS
        settings = [*SAFE, f"protocol.file.allow={'always' if self.local_remote else 'never'}"]
        command = ["git", *(part for setting in settings for part in ("-c", setting)), *arguments]
        with ExitStack() as stack:
            stdin = DEVNULL if stdin_file is None else stack.enter_context(stdin_file.open("rb")).fileno()
            finished = Launcher().run(
                command,
                folder=self.work_tree or self.git_folder.parent,
                environment={**self._environment(), **(self._access(arguments[0]) if uses_network else {})},
                seconds=TIMEOUT_SECONDS,
                max_output_bytes=MAX_OUTPUT_BYTES,
                separate_stderr=True,
                stdin=stdin,
            )
        if finished.timed_out:
            raise GitError(arguments, f"timed out after {TIMEOUT_SECONDS} seconds")
        if finished.code != 0 and uses_network and self.credentials is not None:
            self.credentials.check(finished.errors)
        return finished.code, finished.output if finished.code == 0 else finished.output + finished.errors

    def _access(self, command: str) -> dict[str, str]:
        """Proxy settings and credential for the remote."""
        if self.credentials is None:
            return dict(self.network)
        return {**self.network, **self.credentials.environment(refresh=command in REMOTE_COMMANDS)}

    def _environment(self) -> dict[str, str]:
        environment = {
            "HOME": "/nonexistent",
            "GIT_DIR": str(self.git_folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_AUTHOR_NAME": self.identity.name,
            "GIT_AUTHOR_EMAIL": self.identity.email,
            "GIT_COMMITTER_NAME": self.identity.name,
            "GIT_COMMITTER_EMAIL": self.identity.email,
        }
        if self.work_tree is not None:
            environment["GIT_WORK_TREE"] = str(self.work_tree)
        return environment


def remove_repositories(tree: Path) -> None:
    """Removes every `.git` below a work tree: folder, file or link."""
    for parent, folders, files in os.walk(tree):
        for name in filter(is_git_folder, [*folders, *files]):
            with open_folder(parent) as folder:
                remove(name, folder)
        folders[:] = [name for name in folders if not is_git_folder(name)]
