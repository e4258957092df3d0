"""Between two pairs: nothing of the one before may be left for the next.

Work trees, the repository's clone, the agent's homes and sessions, and processes that outlived their job all go. What
stays is the cache of installed packages, which is kept per project.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from webordinary.platform import observability
from webordinary_worker.processes import Confinement


def clean(workspace: Path, confinement: Confinement) -> None:
    killed = confinement.kill_leftovers()
    if killed:
        observability.logger().warning("Processes of a job outlived it and were killed.", extra={"processes": killed})
    if workspace.is_dir():
        for entry in workspace.iterdir():
            shutil.rmtree(entry)
    workspace.mkdir(parents=True, exist_ok=True, mode=0o711)
