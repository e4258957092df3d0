"""Ends whatever confined programs leave running, before anything that they could still change is read.

A user's processes are ended by that user: `kill -1` reaches all of them at once, under the kernel's own lock, so that
not even a chain of processes that fork and end gets away. The one who does it has dropped the worker's capabilities
first, or it would reach everybody. Then the worker looks whether any is left, and does it again if so.

Without users of their own, programs are known by a mark in their environment and ended one by one; one that removes the
mark and leaves its session is not found. That is why the image has users.
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

PATIENCE_SECONDS = 10.0
LONGEST_PAUSE_SECONDS = 0.05
ENDED = b"ZX"
STOPPED = b"Tt"
_STATE_AND_USERS = re.compile(rb"^State:\t(\w).*^Uid:\t([\d\t]+)$", re.MULTILINE | re.DOTALL)


class StillRunningError(WebordinaryError):
    """What was confined could not be ended; nothing that it left may be used."""

    def __init__(self, processes: list[int]) -> None:
        super().__init__(f"confined processes do not end: {processes[:10]}; nothing of theirs is used")


def kill_user(uid: int) -> int:
    """Ends everything that a user runs. Returns how many processes were found besides."""
    if uid in (0, os.geteuid()):
        raise ValueError("the worker must not end its own processes")
    return _end(lambda: list(processes_of(uid)), lambda _: _kill_as(uid))


def kill_marked(*marks: bytes, session: int | None = None) -> int:
    """Ends everything that has one of these entries in its environment, and a session. Returns how many there were."""
    return _end(lambda: list(marked_processes(marks, session)), _kill_each)


def suspend_user(uid: int) -> None:
    """Stops everything that a user runs: none of it does anything until it is told to go on. It can only be ended."""
    if uid in (0, os.geteuid()):
        raise ValueError("the worker must not stop its own processes")
    _end(lambda: list(processes_of(uid, STOPPED)), lambda _: _kill_as(uid, "STOP"))


def resume_user(uid: int) -> None:
    _kill_as(uid, "CONT")


def processes_of(uid: int, besides: bytes = b"") -> Iterator[int]:
    """`besides` are states of processes that do not count."""
    # By the status, not by the owner of the folder: a process that forbids to be looked at seems to be root's.
    wanted = str(uid).encode()
    for process_id, users in _running(besides):
        if wanted in users:
            yield process_id


def marked_processes(marks: tuple[bytes, ...], session: int | None) -> Iterator[int]:
    for process_id, _ in _running():
        with suppress(OSError):  # it ended while we looked, or is none of ours
            entries = Path(f"/proc/{process_id}/environ").read_bytes().split(b"\0")
            if any(mark in entries for mark in marks) or os.getsid(process_id) == session:
                yield process_id


def _end(find: Callable[[], list[int]], strike: Callable[[list[int]], None]) -> int:
    until, pause = time.monotonic() + PATIENCE_SECONDS, 0.001
    found = find()
    ended = set(found)
    while True:
        strike(found)
        found = find()
        if not found:
            return len(ended)
        if time.monotonic() > until:
            raise StillRunningError(found)
        ended.update(found)
        time.sleep(pause)  # the kernel is still at it, and tells nobody but the parent
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


def _kill_as(uid: int, name: str = "KILL") -> None:
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise FileNotFoundError("setpriv is missing: install util-linux")
    drop = [f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--inh-caps=-all", "--ambient-caps=-all"]
    # Nobody else's processes: without capabilities, only those of the same user can be reached.
    subprocess.run(
        [setpriv, *drop, "--no-new-privs", "--", "/bin/sh", "-c", f"kill -{name} -1"],
        env={},
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,  # there may be nobody to kill
    )


def _kill_each(processes: list[int]) -> None:
    for process_id in processes:
        with suppress(ProcessLookupError):
            os.kill(process_id, signal.SIGKILL)


def _running(besides: bytes = b"") -> Iterator[tuple[int, list[bytes]]]:
    """Processes with their real, effective, saved and file system users; not those that only wait to be collected."""
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208  there may be many, and this is done often
        with suppress(OSError):  # it ended while we looked
            with open(f"/proc/{name}/status", "rb", buffering=0) as file:  # noqa: PTH123
                found = _STATE_AND_USERS.search(file.read(4096))
            if found and found[1] not in ENDED + besides:
                yield int(name), found[2].split()
