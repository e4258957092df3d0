"""Git over a repository that is not trusted.

The git folder lies outside the work tree and is named in every call, and the work tree is the worker's own: others get
copies of it, from which only files come back. A `.git` at its top would mean nothing; one further down would be a
repository with a configuration of its own, which git asks for programs to run, so it is removed before git looks.
No hooks, no system or user configuration, no submodules, no prompts. Filters and merge drivers that the repository's
attributes name do nothing, because only configuration can define them, and the configuration is ours.
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
from webordinary_worker.git.credentials import NEEDS_CONTENTS, REACHES_THE_REMOTE, GitCredentials

TIMEOUT_SECONDS = 120
# Lists of names are read whole: one that is cut would name a file that is none.
OUTPUT_BYTES_KEPT = 64 * 1024 * 1024
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
    "http.followRedirects=false",  # to whom a credential is shown is not for a server to say
    "gc.auto=0",
)


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
    credentials: GitCredentials | None = None
    network: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, given: Path | None = None) -> str:
        code, output = self.run(*arguments, given=given)
        if code != 0:
            raise GitError(arguments, output)
        return output

    def succeeds(self, *arguments: str) -> bool:
        return self.run(*arguments)[0] == 0

    def run(self, *arguments: str, given: Path | None = None) -> tuple[int, str]:
        """`given` is a file that git reads as its input."""
        reaches_out = arguments[0] in REACHES_THE_REMOTE | NEEDS_CONTENTS
        settings = [*SAFE, f"protocol.file.allow={'always' if self.local_remote else 'never'}"]
        command = ["git", *(part for setting in settings for part in ("-c", setting)), *arguments]
        with ExitStack() as stack:
            stdin = DEVNULL if given is None else stack.enter_context(given.open("rb")).fileno()
            finished = Launcher().run(
                command,
                folder=self.work_tree or self.git_folder.parent,
                environment={**self._environment(), **(self._access(arguments[0]) if reaches_out else {})},
                seconds=TIMEOUT_SECONDS,
                max_output_bytes=OUTPUT_BYTES_KEPT,
                separate_stderr=True,
                stdin=stdin,
            )
        if finished.timed_out:
            raise GitError(arguments, f"no end after {TIMEOUT_SECONDS} seconds")
        if finished.code != 0 and reaches_out and self.credentials is not None:
            self.credentials.check(finished.errors)
        return finished.code, finished.output if finished.code == 0 else finished.output + finished.errors

    def _access(self, command: str) -> dict[str, str]:
        """How the remote is reached, and what it wants to know."""
        if self.credentials is None:
            return dict(self.network)
        return {**self.network, **self.credentials.environment(anew=command in REACHES_THE_REMOTE)}

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
    """Removes every `.git` below a work tree, be it a folder, a file or a link. Ours lies elsewhere."""
    for parent, folders, files in os.walk(tree):
        for name in filter(is_git_folder, [*folders, *files]):
            with open_folder(parent) as folder:
                remove(name, folder)
        folders[:] = [name for name in folders if not is_git_folder(name)]
