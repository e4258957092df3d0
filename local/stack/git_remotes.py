"""The git remotes of the local projects: bare repositories, each seeded with the example site."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from local.errors import LocalError
from local.paths import site_of

NOT_IN_A_REPOSITORY = shutil.ignore_patterns("node_modules", "dist", ".astro")


class GitRemoteError(LocalError):
    def __init__(self, arguments: tuple[str, ...], said: str) -> None:
        super().__init__(f"git {' '.join(arguments)} failed: {said.strip()}")


class Remote:
    """One bare repository. Works the same whatever the user's own git settings are."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def seed(cls, folder: Path, site: Path) -> Remote:
        """Makes a remote whose `main` holds the site."""
        remote = cls(folder)
        folder.mkdir(parents=True)
        remote.git("init", "--quiet", "--bare", "--initial-branch=main")
        with tempfile.TemporaryDirectory() as scratch:
            tree = Path(scratch) / "site"
            shutil.copytree(site, tree, ignore=NOT_IN_A_REPOSITORY)
            remote.git("--work-tree", str(tree), "add", "--all")
            remote.git("--work-tree", str(tree), "commit", "--quiet", "--message", "The site as it was handed over")
        (folder / "index").unlink()
        return remote

    @property
    def url(self) -> str:
        return self.folder.resolve().as_uri()

    def branches(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()

    def commits(self, branch: str, beyond: str = "main") -> list[str]:
        """The subjects of what a branch has beyond another, newest first."""
        return self.git("log", "--format=%s", f"{beyond}..{branch}").splitlines()

    def head(self, branch: str = "main") -> str:
        return self.git("rev-parse", branch).strip()

    def diff(self, branch: str, base: str = "main") -> str:
        return self.git("diff", "--no-color", f"{base}...{branch}")

    def show(self, branch: str, path: str) -> str:
        return self.git("show", f"{branch}:{path}")

    def git(self, *arguments: str) -> str:
        person = {"NAME": "The example bakery", "EMAIL": "site@example.com"}
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            **{f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in person.items()},
        }
        done = subprocess.run(
            ["git", "--git-dir", str(self.folder), *arguments], env=environment, capture_output=True, check=False
        )
        if done.returncode != 0:
            raise GitRemoteError(arguments, done.stderr.decode(errors="replace"))
        return done.stdout.decode(errors="replace")


def seed_all(folder: Path, projects: list[str]) -> dict[str, Remote]:
    return {project: Remote.seed(folder / f"{project}.git", site_of(project)) for project in projects}
