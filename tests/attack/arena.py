"""The environment of attacks: a worker's folders with a secret, and its confinement."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.attack.cases import AttackSucceededError
from tests.support import images_worker
from webordinary_worker.confinement.limits import MEBIBYTE, Limits
from webordinary_worker.confinement.processes import Confinement, ProcessResult

SECRET = "only-for-the-worker-7f3a"
SECONDS = 300.0  # only a hang reaches it
STARTED = ".started"
LIMITS = Limits(
    processes=200,
    memory_bytes=1024 * MEBIBYTE,
    file_bytes=8 * MEBIBYTE,
    open_files=256,
    cpu_seconds=4,
    tree_files=500,
    tree_bytes=16 * MEBIBYTE,
    site_files=500,
    site_bytes=16 * MEBIBYTE,
)


@dataclass(frozen=True)
class Arena:
    folder: Path
    agent: Confinement
    site: Confinement

    @property
    def has_users(self) -> bool:
        return self.site.uid is not None

    @property
    def secret(self) -> Path:
        return self.folder / "worker" / "secret.txt"

    def placeholders(self) -> dict[str, object]:
        """The placeholders of scripts."""
        return {"secret": self.secret, "arena": self.folder, "worker": os.getpid(), "python": sys.executable}

    def fill_in(self, text: str, **more: object) -> str:
        for name, value in {**self.placeholders(), **more}.items():
            text = text.replace("{" + name + "}", str(value))
        return text

    def confinement(self, who: str) -> Confinement:
        return {"agent": self.agent, "site": self.site}[who]

    def own_folder(self, who: str) -> Path:
        """A new folder of a confined user."""
        folder = Path(tempfile.mkdtemp(prefix=f"{who}-", dir=self.folder))
        self.confinement(who).give_folder(folder)
        return folder

    def run(
        self, who: str, script: str, *, folder: Path | None = None, seconds: float = SECONDS, **more: object
    ) -> ProcessResult:
        """Runs a script as a build or an agent: Python if it begins with an import, else sh."""
        text = self.fill_in(script, **more)
        folder = folder or self.own_folder(who)
        program = [shutil.which("python3", path="/usr/bin:/bin") or sys.executable, "-I", "-c"]
        if text.startswith("import "):
            command = [*program, f"open({STARTED!r}, 'w').close()\n{text}"]
        else:
            command = ["/bin/sh", "-c", f": > {STARTED}\n{text}"]
        while True:
            finished = self.confinement(who).run(
                command, folder=folder, environment={}, seconds=seconds, network=who == "agent"
            )
            if (folder / STARTED).exists():
                return finished
            # An attack that did not start proves nothing. A busy machine may need longer than a short limit.
            if not finished.timed_out or seconds >= SECONDS:
                raise RuntimeError(f"the script did not start: {finished.output[-300:]}")
            seconds *= 8

    def expect_not_leaked(self, text: str) -> None:
        if SECRET in text:
            raise AttackSucceededError("it read the worker's secret")

    def expect_unchanged(self) -> None:
        if self.secret.read_text() != SECRET:
            raise AttackSucceededError("it changed the worker's file")


@contextmanager
def opened() -> Iterator[Arena]:
    """Uses the users of the image if this process runs as its worker, else the current user."""
    users = (images_worker.AGENT_UID, images_worker.SITE_UID) if images_worker.is_worker_user() else (None, None)
    with tempfile.TemporaryDirectory(prefix="attack-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        (folder / "worker").mkdir(mode=0o700)
        arena = Arena(folder, *(Confinement(name, uid, LIMITS) for uid in users))
        arena.secret.write_text(SECRET)
        arena.secret.chmod(0o600)
        yield arena


def git(folder: Path, *arguments: str) -> str:
    person = ["-c", "user.name=Eve", "-c", "user.email=eve@example.com", "-c", "core.hooksPath=/dev/null"]
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *person, *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout
