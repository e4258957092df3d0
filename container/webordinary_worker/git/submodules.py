"""Submodules, fetched so that the site builds. Workers read them and never change them.

Their URLs come from the repository, which is not trusted: only the project's own host is contacted, over HTTPS, with
the project's credential. A name from `.gitmodules` is never part of a path, and git's submodule commands are not used.
Submodules that cannot be fetched are reported.
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
from webordinary_worker.git.credentials import ACCESS_DENIED

MAX_DEPTH = 3
MAX_SUBMODULES = 50
MAX_REPORTED = 10
FILE = ".gitmodules"
_COMMIT = re.compile(r"^[0-9a-f]{40,64}$")
_PATH = re.compile(r"^/[\w.~+@ -]+(/[\w.~+@ -]+)*/?$")
_SHORT_FORM = re.compile(r"^(?:[\w.-]+@)?(?P<host>[\w.-]+):(?!//)(?P<path>.+)$")
# The project's credential may be valid for other owners too; editors of this site must not read those repositories.
_OTHER_OWNER = "its owner is not the repository's owner"
_NO_FETCH_BY_ID = ("not our ref", "unadvertised object")


@dataclass(frozen=True)
class Submodule:
    path: str
    commit: str
    url: str  # as written in .gitmodules; empty if missing


@dataclass(frozen=True)
class MissingSubmodule:
    path: str
    url: str
    reason: str

    def describe(self) -> str:
        return f"submodule {self.path} ({self.url or 'no URL'}) was not fetched: {self.reason}"


def empty_folders(missing: Sequence[MissingSubmodule]) -> EmptyFolders | None:
    """The report about submodules without which the site was built."""
    if not missing:
        return None
    lines = "\n".join(one.describe() for one in missing)
    return EmptyFolders(
        folders=tuple(one.path[: limit("phrase_characters")] for one in missing[:MAX_REPORTED]),
        detail=lines[: limit("summary_characters")],
        digest=hashlib.sha256(lines.encode()).hexdigest()[:32],
    )


class SubmoduleError(WebordinaryError):
    """A submodule cannot be fetched, and retrying would not help. The text is the reason."""


@dataclass(frozen=True)
class Submodules:
    """The submodules of one repository. `store` is the worker's folder for fetched submodules."""

    store: Path
    repository: str

    def checkout(self, git: Git, revision: str, folder: Path) -> tuple[MissingSubmodule, ...]:
        """Copies the files of a revision's submodules into a tree. Returns the submodules that are missing."""
        if git.credentials is not None:
            git = replace(git, credentials=replace(git.credentials, is_site_repository=False))
        return tuple(self._checkout(git, revision, self.repository, folder, 1))

    def _checkout(
        self, git: Git, revision: str, repository: str, folder: Path, depth: int
    ) -> Iterator[MissingSubmodule]:
        for number, submodule in enumerate(submodules_of(git, revision)):
            try:
                _check(submodule, number, depth)
                url = resolve_url(submodule.url, repository)
                files = self._fetch_files(git, url, submodule.commit)
            except SubmoduleError as error:
                yield MissingSubmodule(submodule.path, submodule.url, str(error))
                continue
            SafeCopy().run_below(files, folder, submodule.path.split("/"))
            inner = replace(git, git_folder=files.with_name("git"), work_tree=None)
            for missing in self._checkout(inner, submodule.commit, url, folder / submodule.path, depth + 1):
                yield replace(missing, path=f"{submodule.path}/{missing.path}")

    def _fetch_files(self, git: Git, url: str, commit: str) -> Path:
        """The folder with the files of a commit, which is fetched only once."""
        stored = self.store / hashlib.sha256(f"{url}\0{commit}".encode()).hexdigest()[:32]
        files = stored / "files"
        if files.is_dir():
            return files
        shutil.rmtree(stored, ignore_errors=True)
        staging = stored / "staging"
        staging.mkdir(parents=True, mode=0o700)
        inner = replace(git, git_folder=stored / "git", work_tree=None)
        try:
            inner("init", "--bare", "--quiet", str(stored / "git"))
            _fetch(inner, url, commit)
            replace(inner, work_tree=staging)("checkout", "--quiet", "--force", "--detach", commit)
        except GitError as error:
            if any(message in error.output for message in ACCESS_DENIED):
                raise SubmoduleError("its host denies access") from error
            raise
        staging.rename(files)
        return files


def submodules_of(git: Git, revision: str) -> list[Submodule]:
    """The submodules of a revision."""
    listed = git("ls-tree", "-r", "-z", "--full-tree", revision).split("\0")
    links = [line.split("\t", 1) for line in listed if line.startswith("160000 ")]
    urls = _urls(git, revision) if links else {}
    return [Submodule(path, facts.split()[2], urls.get(path, "")) for facts, path in links]


def resolve_url(written: str, repository: str) -> str:
    """The URL to fetch from. Raises SubmoduleError for URLs of other hosts than the repository's."""
    if not written.isprintable() or {"?", "#"} & set(written):
        raise SubmoduleError("unsupported URL")
    if written.startswith(("./", "../")):
        base = urlsplit(repository)
        path = normpath(f"{base.path}/{written}")
        if base.scheme == "https" and _owner(path) != _owner(base.path):
            raise SubmoduleError(_OTHER_OWNER)
        if base.scheme in ("https", "file") or not base.scheme:
            return repository[: len(repository) - len(base.path)] + _checked(path)
    base = urlsplit(repository)
    host, path = _host_and_path(written)
    own = (base.netloc.rpartition("@")[2].lower(), base.hostname)
    if base.scheme != "https" or not host or host.lower() not in own:
        raise SubmoduleError("its host is not the repository's host")
    path = _checked(normpath(path))
    if _owner(path) != _owner(base.path):
        raise SubmoduleError(_OTHER_OWNER)
    return f"https://{base.netloc}{path}"


def _owner(path: str) -> str:
    """The account or group that a repository belongs to."""
    return path.strip("/").partition("/")[0].casefold()


def _check(submodule: Submodule, number: int, depth: int) -> None:
    if number >= MAX_SUBMODULES or depth > MAX_DEPTH:  # a repository may contain itself
        raise SubmoduleError(f"more than {MAX_SUBMODULES} submodules, or nested more than {MAX_DEPTH} deep")
    if any(part in ("", ".", "..") or is_git_folder(part) for part in submodule.path.split("/")):
        raise SubmoduleError("invalid folder")
    if not _COMMIT.match(submodule.commit):
        raise SubmoduleError("invalid commit id")


def _checked(path: str) -> str:
    if not _PATH.match(path) or ".." in path.split("/"):
        raise SubmoduleError("unsupported URL")
    return path


def _host_and_path(written: str) -> tuple[str, str]:
    """Host and path of a URL in any of git's notations; SSH URLs are fetched over HTTPS instead."""
    if "://" in written:
        url = urlsplit(written)
        if url.scheme not in ("https", "http", "ssh", "git", "git+ssh"):
            return "", ""
        plain = url.netloc.rpartition("@")[2]
        return (url.hostname or "" if url.scheme != "https" else plain), url.path
    found = _SHORT_FORM.match(written)
    return (found["host"], f"/{found['path'].lstrip('/')}") if found else ("", "")


def _urls(git: Git, revision: str) -> dict[str, str]:
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


def _fetch(git: Git, url: str, commit: str) -> None:
    by_id = ("fetch", "--quiet", "--depth=1", "--no-recurse-submodules", url, commit)
    code, output = git.run(*by_id)
    if code == 0:
        return
    if not any(message in output for message in _NO_FETCH_BY_ID):
        raise GitError(by_id, output)
    # Some servers only serve commits that a branch or tag reaches.
    git("fetch", "--quiet", "--no-recurse-submodules", url, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
    if not git.succeeds("cat-file", "-e", f"{commit}^{{commit}}"):
        raise SubmoduleError("its commit no longer exists")
