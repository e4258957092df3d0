"""Removes what a confined user left outside its own folders: temporary files and shared memory.

It runs as that user, without capabilities, so it cannot remove anything else.
"""

from __future__ import annotations

import os
import shutil
import subprocess

from webordinary.contract.errors import WebordinaryError

SHARED_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108
TIMEOUT_SECONDS = 60
# Folders may have been made unreadable. `ipcrm` fails for what belongs to others.
SCRIPT = """
find {folders} -xdev -mindepth 1 -user {uid} -type d ! -perm -700 -exec chmod u+rwx {{}} + 2>/dev/null
find {folders} -xdev -mindepth 1 -depth -user {uid} -delete 2>/dev/null
command -v ipcrm >/dev/null && ipcrm --all >/dev/null 2>&1
test -z "$(find {folders} -xdev -mindepth 1 -user {uid} 2>/dev/null | head -n 1)"
"""


class LeftoverFilesError(WebordinaryError):
    """Files of a confined user could not be removed; nothing is built."""

    def __init__(self, uid: int) -> None:
        super().__init__(f"temporary files of user {uid} could not be removed; the clean build is not started")


def remove_files_of(uid: int, folders: tuple[str, ...] = SHARED_FOLDERS) -> None:
    """Removes the user's files in folders that all users share. No process of the user may be running."""
    if uid in (0, os.geteuid()):
        raise ValueError("the worker must not remove its own files")
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise FileNotFoundError("setpriv is missing: install util-linux")
    drop = [f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--inh-caps=-all", "--ambient-caps=-all"]
    existing = " ".join(folder for folder in folders if os.path.isdir(folder))  # noqa: PTH112
    finished = subprocess.run(
        [setpriv, *drop, "--no-new-privs", "--", "/bin/sh", "-c", SCRIPT.format(folders=existing, uid=uid)],
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
