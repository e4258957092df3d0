"""Removes what a confined user left outside its own folders: temporary files, and System V objects.

It runs as that user, so it cannot remove anything else. Builds cannot create POSIX message queues or kernel keys (see
`sandbox`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from webordinary.contract.errors import WebordinaryError

SHARED_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/run/lock")  # noqa: S108
SHARED_MEMORY = (sys.executable, "-I", "-S", str(Path(__file__).with_name("shared_memory.py")))
TIMEOUT_SECONDS = 60
# Folders may have been made unreadable.
SCRIPT = """
find {folders} -xdev -mindepth 1 -user {uid} -type d ! -perm -700 -exec chmod u+rwx {{}} + 2>/dev/null
find {folders} -xdev -mindepth 1 -depth -user {uid} -delete 2>/dev/null
test -z "$(find {folders} -xdev -mindepth 1 -user {uid} 2>/dev/null | head -n 1)"
"""


class LeftoverFilesError(WebordinaryError):
    """Files or System V objects of a confined user could not be removed; nothing is built."""

    def __init__(self, uid: int) -> None:
        super().__init__(f"files or shared memory of user {uid} could not be removed; the clean build is not started")


def remove_files_of(uid: int, folders: tuple[str, ...] = SHARED_FOLDERS) -> None:
    """Removes the user's files in folders that all users share. No process of the user may be running."""
    if uid in (0, os.geteuid()):
        raise ValueError("the worker must not remove its own files")
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise FileNotFoundError("setpriv is missing: install util-linux")
    drop = [f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--inh-caps=-all", "--ambient-caps=-all"]
    existing = " ".join(folder for folder in folders if os.path.isdir(folder))  # noqa: PTH112
    as_user = [setpriv, *drop, "--no-new-privs", "--", "/bin/sh", "-c", SCRIPT.format(folders=existing, uid=uid)]
    for command in (as_user, [*SHARED_MEMORY, str(uid)]):
        finished = subprocess.run(
            command,
            env={"PATH": "/usr/bin:/bin"},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        if finished.returncode != 0:
            raise LeftoverFilesError(uid)
