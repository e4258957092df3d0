"""The agent's folders on the worker's disk."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from webordinary_worker.confinement.safe_copy import make_folder


@dataclass(frozen=True)
class AgentHome:
    """One set of folders per thread. `owner` is the agent's user id, if it has its own."""

    root: Path
    owner: int | None = None

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def config(self) -> Path:
        return self.root / "claude"

    @property
    def temporary(self) -> Path:
        return self.root / "tmp"

    @property
    def tree(self) -> Path:
        """The agent's copy of the thread's tree."""
        return self.root / "tree"

    @property
    def context(self) -> Path:
        """The mail's documents: the agent may read them, only the worker may write them."""
        return self.root / "context"

    def clear(self) -> None:
        """Removes everything the agent wrote, except its copy of the tree. No process of it may run."""
        for folder in (self.home, self.config, self.temporary):
            shutil.rmtree(folder, ignore_errors=True)

    def make(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        if self.owner is not None:
            os.chown(self.root, -1, self.owner)
        self.root.chmod(0o710)  # for the worker and the agent only
        for folder in (self.home, self.config, self.temporary):
            make_folder(folder, self.owner)
        self.context.mkdir(exist_ok=True, mode=0o755)
