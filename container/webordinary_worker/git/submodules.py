"""Submodules: repositories that a repository wants in some of its folders, fetched so that its site builds.

A worker reads them and never changes them. Their addresses are written in the repository, which is not trusted: only
the project's own host is asked, over https, and gets the project's credential; a name in `.gitmodules` is never part of
a path, and git's own submodule commands are not used. What is not fetched is said.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from posixpath import normpath
from urllib.parse import urlsplit

from webordinary.contract.errors import WebordinaryError
from webordinary.contract.messages.outcome import EmptyFolders
from webordinary.contract.values import limit
from webordinary_worker.confinement.safe_copy import SafeCopy, is_git_folder
from webordinary_worker.git.command import Git, GitError
from webordinary_worker.git.credentials import REFUSED

MAX_DEPTH = 3
MOST = 50
MOST_TOLD = 10
FILE = ".gitmodules"
_COMMIT = re.compile(r"^[0-9a-f]{40,64}$")
_PATH = re.compile(r"^/[\w.~+@ -]+(/[\w.~+@ -]+)*/?$")
_SHORT_FORM = re.compile(r"^(?:[\w.-]+@)?(?P<host>[\w.-]+):(?!//)(?P<path>.+)$")
_NOT_GIVEN_BY_ID = ("not our ref", "unadvertised object")


@dataclass(frozen=True)
class Submodule:
    path: str
    commit: str
    address: str  # as it is written down; empty where it is not


@dataclass(frozen=True)
class MissingSubmodule:
    path: str
    address: str
    why: str

    def describe(self) -> str:
        return f"submodule {self.path} ({self.address or 'no address'}) is not fetched: {self.why}"


def empty_folders(missing: Sequence[MissingSubmodule]) -> EmptyFolders | None:
    """What there is to be told of submodules without which a site was built."""
    if not missing:
        return None
    lines = "\n".join(one.describe() for one in missing)
    return EmptyFolders(
        folders=tuple(one.path[: limit("phrase_characters")] for one in missing[:MOST_TOLD]),
        detail=lines[: limit("summary_characters")],
        digest=hashlib.sha256(lines.encode()).hexdigest()[:32],
    )


class SubmoduleError(WebordinaryError):
    """A submodule cannot be had, today or tomorrow; the sentence says why."""


@dataclass(frozen=True)
class Submodules:
    """The submodules of one repository. `store` is a folder of the worker's, in which they are kept once fetched."""

    store: Path
    repository: str

    def bring(self, git: Git, revision: str, folder: Path) -> tuple[MissingSubmodule, ...]:
        """Puts the files of each submodule of a revision where they belong below a folder. Returns what is missing."""
        if git.credentials is not None:
            git = replace(git, credentials=replace(git.credentials, is_site_repository=False))
        return tuple(self._bring(git, revision, self.repository, folder, 1))

    def _bring(self, git: Git, revision: str, repository: str, folder: Path, depth: int) -> Iterator[MissingSubmodule]:
        for number, wanted in enumerate(submodules_of(git, revision)):
            try:
                _check(wanted, number, depth)
                address = resolve_url(wanted.address, repository)
                files = self._fetched(git, address, wanted.commit)
            except SubmoduleError as error:
                yield MissingSubmodule(wanted.path, wanted.address, str(error))
                continue
            SafeCopy().run_below(files, folder, wanted.path.split("/"))
            inner = replace(git, git_folder=files.with_name("git"), work_tree=None)
            for missing in self._bring(inner, wanted.commit, address, folder / wanted.path, depth + 1):
                yield replace(missing, path=f"{wanted.path}/{missing.path}")

    def _fetched(self, git: Git, address: str, commit: str) -> Path:
        """The files of a commit, fetched once."""
        kept = self.store / hashlib.sha256(f"{address}\0{commit}".encode()).hexdigest()[:32]
        files = kept / "files"
        if files.is_dir():
            return files
        shutil.rmtree(kept, ignore_errors=True)
        being_made = kept / "being-made"
        being_made.mkdir(parents=True, mode=0o700)
        inner = replace(git, git_folder=kept / "git", work_tree=None)
        try:
            inner("init", "--bare", "--quiet", str(kept / "git"))
            _fetch(inner, address, commit)
            replace(inner, work_tree=being_made)("checkout", "--quiet", "--force", "--detach", commit)
        except GitError as error:
            if any(words in error.output for words in REFUSED):
                raise SubmoduleError("its host does not let us in") from error
            raise
        being_made.rename(files)
        return files


def submodules_of(git: Git, revision: str) -> list[Submodule]:
    """The folders of a revision that are other repositories, and where those are."""
    listed = git("ls-tree", "-r", "-z", "--full-tree", revision).split("\0")
    links = [line.split("\t", 1) for line in listed if line.startswith("160000 ")]
    addresses = _addresses(git, revision) if links else {}
    return [Submodule(path, facts.split()[2], addresses.get(path, "")) for facts, path in links]


def resolve_url(written: str, repository: str) -> str:
    """The address to fetch from. Raises SubmoduleError for one that is not the repository's own host."""
    if not written.isprintable() or {"?", "#"} & set(written):
        raise SubmoduleError("its address is none that is fetched from")
    if written.startswith(("./", "../")):
        base = urlsplit(repository)
        path = normpath(f"{base.path}/{written}")
        if base.scheme in ("https", "file") or not base.scheme:
            return repository[: len(repository) - len(base.path)] + _checked(path)
    base = urlsplit(repository)
    host, path = _host_and_path(written)
    own = (base.netloc.rpartition("@")[2].lower(), base.hostname)
    if base.scheme != "https" or not host or host.lower() not in own:
        raise SubmoduleError("it is not on the same host as the repository")
    return f"https://{base.netloc}{_checked(normpath(path))}"


def _check(wanted: Submodule, number: int, depth: int) -> None:
    if number >= MOST or depth > MAX_DEPTH:  # a repository that contains itself has no end
        raise SubmoduleError(f"there are more than {MOST}, or they are more than {MAX_DEPTH} deep")
    if any(part in ("", ".", "..") or is_git_folder(part) for part in wanted.path.split("/")):
        raise SubmoduleError("its folder is none that may be written to")
    if not _COMMIT.match(wanted.commit):
        raise SubmoduleError("its commit is none")


def _checked(path: str) -> str:
    if not _PATH.match(path) or ".." in path.split("/"):
        raise SubmoduleError("its address is none that is fetched from")
    return path


def _host_and_path(written: str) -> tuple[str, str]:
    """What an address leads to, whichever way of git's it is written in. SSH is asked over https instead."""
    if "://" in written:
        address = urlsplit(written)
        if address.scheme not in ("https", "http", "ssh", "git", "git+ssh"):
            return "", ""
        plain = address.netloc.rpartition("@")[2]
        return (address.hostname or "" if address.scheme != "https" else plain), address.path
    found = _SHORT_FORM.match(written)
    return (found["host"], f"/{found['path'].lstrip('/')}") if found else ("", "")


def _addresses(git: Git, revision: str) -> dict[str, str]:
    code, listed = git.run("config", "--blob", f"{revision}:{FILE}", "--no-includes", "--null", "--list")
    if code != 0:
        return {}
    paths: dict[str, str] = {}
    urls: dict[str, str] = {}
    for entry in filter(None, listed.split("\0")):
        key, _, value = entry.partition("\n")
        name, _, field = key.removeprefix("submodule.").rpartition(".")
        if key.startswith("submodule.") and field in ("path", "url"):
            (paths if field == "path" else urls)[name] = value
    return {normpath(path): urls[name] for name, path in paths.items() if name in urls}


def _fetch(git: Git, address: str, commit: str) -> None:
    one = ("fetch", "--quiet", "--depth=1", "--no-recurse-submodules", address, commit)
    code, said = git.run(*one)
    if code == 0:
        return
    if not any(words in said for words in _NOT_GIVEN_BY_ID):
        raise GitError(one, said)
    # Some servers give only what a branch leads to.
    git(
        "fetch", "--quiet", "--no-recurse-submodules", address, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"
    )
    if not git.succeeds("cat-file", "-e", f"{commit}^{{commit}}"):
        raise SubmoduleError("the commit that is wanted of it is not there any more")
