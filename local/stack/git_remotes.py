"""The git remotes of the local projects: bare repositories that are created from a site."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from local.errors import LocalError
from local.paths import site_of

IGNORED_FILES = shutil.ignore_patterns("node_modules", "dist", ".astro")


class GitRemoteError(LocalError):
    def __init__(self, arguments: tuple[str, ...], stderr: str) -> None:
        super().__init__(f"git {' '.join(arguments)} failed: {stderr.strip()}")


class Remote:
    """One bare repository, independent of the user's git settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def seed(cls, folder: Path, site: Path) -> Remote:
        """Creates a remote whose branch `main` contains the site."""
        remote = cls(folder)
        folder.mkdir(parents=True)
        remote.git("init", "--quiet", "--bare", "--initial-branch=main")
        with tempfile.TemporaryDirectory() as scratch:
            tree = Path(scratch) / "site"
            shutil.copytree(site, tree, ignore=IGNORED_FILES)
            remote.git("--work-tree", str(tree), "add", "--all")
            remote.git("--work-tree", str(tree), "commit", "--quiet", "--message", "Initial site")
        (folder / "index").unlink()
        return remote

    @property
    def url(self) -> str:
        return self.folder.resolve().as_uri()

    def branches(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()

    def commits(self, branch: str, beyond: str = "main") -> list[str]:
        """The subjects of the commits of a branch that another branch lacks, newest first."""
        return self.git("log", "--format=%s", f"{beyond}..{branch}").splitlines()

    def head(self, branch: str = "main") -> str:
        return self.git("rev-parse", branch).strip()

    def diff(self, branch: str, base: str = "main") -> str:
        return self.git("diff", "--no-color", f"{base}...{branch}")

    def show(self, branch: str, path: str) -> str:
        return self.git("show", f"{branch}:{path}")

    def git(self, *arguments: str) -> str:
        identity = {"NAME": "The example bakery", "EMAIL": "site@example.com"}
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            **{f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in identity.items()},
        }
        result = subprocess.run(
            ["git", "--git-dir", str(self.folder), *arguments], env=environment, capture_output=True, check=False
        )
        if result.returncode != 0:
            raise GitRemoteError(arguments, result.stderr.decode(errors="replace"))
        return result.stdout.decode(errors="replace")


def seed_all(folder: Path, projects: list[str]) -> dict[str, Remote]:
    return {project: Remote.seed(folder / f"{project}.git", site_of(project)) for project in projects}
