"""Starts child processes that do not outlive this one.

Linux sends a "parent death" signal when the *thread* that forked a child ends, not only its process. One
thread that lives as long as the program therefore starts all children.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
_starter = ThreadPoolExecutor(max_workers=1, thread_name_prefix="process-starter")


def die_with_parent(signal_number: int = signal.SIGKILL) -> None:
    """Asks the kernel to signal this process when its parent ends. Does nothing except on Linux."""
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, int(signal_number))


def start(
    command: Sequence[str], *, environment: Mapping[str, str], folder: Path, output: int
) -> subprocess.Popen[bytes]:
    """Starts a program in its own process group, with exactly the given environment."""

    def spawn() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=_before_exec(),
        )

    return _starter.submit(spawn).result()


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kills the process group of a process from `start` and waits for the process."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        # The group has ended already; for a group of zombies some systems report a lack of permission.
        process.kill()
    process.wait()


def _before_exec() -> Callable[[], None] | None:
    return die_with_parent if _libc is not None else None
