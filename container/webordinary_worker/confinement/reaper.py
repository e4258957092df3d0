"""Kills everything that confined programs leave running, before any of their files are read.

The processes of a user are killed as that user: `kill -1` signals all of them at once, under the kernel's lock, so even
a chain of forking processes cannot escape. The killer drops the worker's capabilities first; otherwise it would reach
the processes of all users. Then the worker checks whether any process is left, and repeats the kill if so.

Without separate users, processes are found by a marker in their environment and killed one by one. A process that
removes the marker and leaves its session is not found, which is why the image has separate users.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from webordinary.contract.errors import WebordinaryError

TIMEOUT_SECONDS = 10.0
MAX_PAUSE_SECONDS = 0.05
ENDED = b"ZX"
STOPPED = b"Tt"
_STATE_AND_USERS = re.compile(rb"^State:\t(\w).*^Uid:\t([\d\t]+)$", re.MULTILINE | re.DOTALL)


class StillRunningError(WebordinaryError):
    """Confined processes could not be killed, so their files must not be used."""

    def __init__(self, processes: list[int]) -> None:
        super().__init__(f"confined processes could not be killed: {processes[:10]}; their files are not used")


def kill_user(uid: int) -> int:
    """Kills all processes of a user. Returns how many there were."""
    if uid in (0, os.geteuid()):
        raise ValueError("the worker must not kill its own processes")
    return _signal_until_none(lambda: list(processes_of(uid)), lambda _: _signal_as(uid))


def kill_marked(*marks: bytes, session: int | None = None) -> int:
    """Kills all processes with one of these entries in their environment, or in a session. Returns their number."""
    return _signal_until_none(lambda: list(marked_processes(marks, session)), _kill_each)


def suspend_user(uid: int) -> None:
    """Suspends all processes of a user. Until they are resumed, they can only be killed."""
    if uid in (0, os.geteuid()):
        raise ValueError("the worker must not suspend its own processes")
    _signal_until_none(lambda: list(processes_of(uid, STOPPED)), lambda _: _signal_as(uid, "STOP"))


def resume_user(uid: int) -> None:
    _signal_as(uid, "CONT")


def processes_of(uid: int, ignored_states: bytes = b"") -> Iterator[int]:
    # By the status file, not by the owner of the /proc folder: that is root for a non-dumpable process.
    uid_text = str(uid).encode()
    for process_id, users in _running(ignored_states):
        if uid_text in users:
            yield process_id


def marked_processes(marks: tuple[bytes, ...], session: int | None) -> Iterator[int]:
    for process_id, _ in _running():
        with suppress(OSError):  # it has just ended, or belongs to another user
            entries = Path(f"/proc/{process_id}/environ").read_bytes().split(b"\0")
            if any(mark in entries for mark in marks) or os.getsid(process_id) == session:
                yield process_id


def _signal_until_none(find: Callable[[], list[int]], send: Callable[[list[int]], None]) -> int:
    deadline, pause = time.monotonic() + TIMEOUT_SECONDS, 0.001
    found = find()
    signalled = set(found)
    while True:
        send(found)
        found = find()
        if not found:
            return len(signalled)
        if time.monotonic() > deadline:
            raise StillRunningError(found)
        signalled.update(found)
        time.sleep(pause)  # polling: the kernel notifies only the parent
        pause = min(2 * pause, MAX_PAUSE_SECONDS)


def _signal_as(uid: int, name: str = "KILL") -> None:
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise FileNotFoundError("setpriv is missing: install util-linux")
    drop = [f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--inh-caps=-all", "--ambient-caps=-all"]
    # Without capabilities, kill reaches only processes of the same user.
    subprocess.run(
        [setpriv, *drop, "--no-new-privs", "--", "/bin/sh", "-c", f"kill -{name} -1"],
        env={},
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,  # it fails if there is no process
    )


def _kill_each(processes: list[int]) -> None:
    for process_id in processes:
        with suppress(ProcessLookupError):
            os.kill(process_id, signal.SIGKILL)


def _running(ignored_states: bytes = b"") -> Iterator[tuple[int, list[bytes]]]:
    """Processes with their real, effective, saved and file system users, without zombies."""
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208  faster for many processes
        with suppress(OSError):  # it has just ended
            with open(f"/proc/{name}/status", "rb", buffering=0) as file:  # noqa: PTH123
                found = _STATE_AND_USERS.search(file.read(4096))
            if found and found[1] not in ENDED + ignored_states:
                yield int(name), found[2].split()
