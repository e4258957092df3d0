"""Starts a program as the image starts the worker: same user, capabilities and process namespace."""

from __future__ import annotations

import os
import shutil
import sys

WORKER_UID, AGENT_UID, SITE_UID, LIVE_UID, INSTALL_UID = 10001, 10002, 10003, 10004, 10005
CAPABILITIES = "-all,+chown,+dac_override,+fowner,+kill,+setgid,+setuid"


def can_run_as_worker() -> bool:
    return os.geteuid() == 0 and shutil.which("unshare") is not None and shutil.which("setpriv") is not None


def is_worker_user() -> bool:
    return os.geteuid() == WORKER_UID


def command(*arguments: str) -> list[str]:
    """Python with these arguments, in a process namespace, as the worker's user."""
    return [
        *("unshare", "--pid", "--fork", "--mount-proc", "--kill-child"),
        *("setpriv", f"--reuid={WORKER_UID}", f"--regid={WORKER_UID}", "--clear-groups"),
        *(f"--inh-caps={CAPABILITIES}", f"--ambient-caps={CAPABILITIES}", "--"),
        *(sys.executable, *arguments),
    ]


def reap() -> None:
    """As process 1, forks and reaps orphans until the child ends; only the child returns."""
    child = os.fork() if os.getpid() == 1 else 0
    while child != 0:
        process_id, status = os.wait()
        if process_id == child:
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
