"""The one way in which this worker starts programs.

A `Launcher` runs what the worker trusts (git, its own Node.js) with the worker's rights. A `Confinement` runs what it
does not trust: the agent, the site's own code, packages that are being installed. Both hand a program nothing but the
environment that it is given, put it into a process group that is killed as a whole, and bound its time and its output.

What is confined also ends when the worker ends, however it ends. Where `agent_uid` is set (the image does, and starts
the worker with the capabilities that this needs) it runs as that user, without capabilities and without a way to new
ones.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from webordinary.protocol.worker.run import CancelReason
from webordinary_worker.cancellation import CancellationToken
from webordinary_worker.folder_copies import opened

OUTPUT_BYTES_KEPT = 64_000
MARKER = "WEBORDINARY_CONFINED_BY"
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
# What every program sees; whoever starts it says what else.
ENVIRONMENT = {"PATH": SYSTEM_PATH, "LANG": "C.UTF-8"}


@dataclass(frozen=True)
class Finished:
    """A program that has ended. `output` has its errors as well, unless they were asked for apart."""

    code: int
    output: str
    errors: str = ""
    timed_out: bool = False


@dataclass(frozen=True)
class Launcher:
    """Starts programs with the worker's own rights."""

    def start(
        self,
        command: Sequence[str | Path],
        *,
        folder: Path,
        environment: Mapping[str, str],
        stdin: int = subprocess.DEVNULL,
        stdout: int | IO[bytes] = subprocess.DEVNULL,
        stderr: int | IO[bytes] = subprocess.STDOUT,
        ends_with_its_input: bool = False,
    ) -> subprocess.Popen[bytes]:
        """Starts a program. One that `ends_with_its_input` takes its whole group along when the worker is gone, which
        the signal that the kernel sends to a single process cannot do."""
        return subprocess.Popen(
            [*self._prefix("clear" if ends_with_its_input else "KILL"), *map(str, command)],
            cwd=folder,
            env={**ENVIRONMENT, **environment, **self._mark()},
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )

    def run(
        self,
        command: Sequence[str | Path],
        *,
        folder: Path,
        environment: Mapping[str, str],
        seconds: float,
        cancellation: CancellationToken | None = None,
        kept_bytes: int = OUTPUT_BYTES_KEPT,
        errors_apart: bool = False,
    ) -> Finished:
        """Runs a program to its end, to its cancellation or to its time limit. Its whole group is gone afterwards."""
        with ExitStack() as stack:
            output = stack.enter_context(tempfile.TemporaryFile())
            errors = stack.enter_context(tempfile.TemporaryFile()) if errors_apart else None
            stderr = errors or subprocess.STDOUT
            process = self.start(command, folder=folder, environment=environment, stdout=output, stderr=stderr)
            timed_out = _wait(process, seconds, cancellation or CancellationToken())
            said_apart = _tail(errors, kept_bytes) if errors is not None else ""
            return Finished(process.returncode, _tail(output, kept_bytes), said_apart, timed_out)

    def _prefix(self, signal_at_death: str) -> list[str]:  # noqa: ARG002  a confinement uses it
        return []

    def _mark(self) -> dict[str, str]:
        return {}


@dataclass(frozen=True)
class Confinement(Launcher):
    """How this worker confines. `worker` marks its processes, so that what escapes its group is still found."""

    worker: str
    uid: int | None = None

    def as_user(self, uid: int | None) -> Confinement:
        return replace(self, uid=uid)

    def with_worker_user(self) -> Confinement:
        """For programs that must own what they write, and are to have no more rights than that."""
        return self.as_user(None)

    def give(self, folder: Path) -> None:
        """Makes a folder of the worker's the confined user's own: the folder itself, not what is in it.

        Trees are copied (see `folder_copies`) and never given away: whoever walks through a tree to change owners can
        be led elsewhere by a link, once one of the new owner's processes gets into it.
        """
        if self.uid is not None:
            with opened(folder) as descriptor:
                os.fchown(descriptor, self.uid, self.uid)

    def kill_leftovers(self) -> int:
        """Kills confined processes that left their group. Returns how many there were."""
        leftovers = list(self._leftovers())
        for process_id in leftovers:
            with suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)
        return len(leftovers)

    def _leftovers(self) -> Iterator[int]:
        mark = f"{MARKER}={self.worker}".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it ended while we looked, or is none of ours
                confined_user = self.uid is not None and folder.stat().st_uid == self.uid
                if confined_user or mark in (folder / "environ").read_bytes().split(b"\0"):
                    yield int(folder.name)

    def _prefix(self, signal_at_death: str) -> list[str]:
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            return []  # only on a developer's machine that is no Linux
        drop = [] if self.uid is None else [f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups"]
        unprivileged = ["--inh-caps=-all", "--ambient-caps=-all", "--no-new-privs"]
        return [setpriv, *drop, *unprivileged, f"--pdeathsig={signal_at_death}", "--"]

    def _mark(self) -> dict[str, str]:
        return {MARKER: self.worker}


def path_behind(folder: Path) -> str:
    """A search path on which a folder comes before those of the system."""
    return f"{folder}:{SYSTEM_PATH}"


def kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _wait(process: subprocess.Popen[bytes], seconds: float, cancellation: CancellationToken) -> bool:
    """Waits for the end of a program. Returns whether its time was over."""
    timed_out = threading.Event()

    def out_of_time() -> None:
        timed_out.set()
        kill_group(process)

    def cancelled(_: CancelReason) -> None:
        kill_group(process)

    timer = threading.Timer(seconds, out_of_time)
    timer.start()
    try:
        with cancellation.reacting(cancelled):
            process.wait()
    finally:
        timer.cancel()
        kill_group(process)
    return timed_out.is_set()


def _tail(output: IO[bytes], kept_bytes: int) -> str:
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - kept_bytes))
    return output.read().decode(errors="replace")
