"""Runs programs that are not trusted: the agent and the site's own code.

They see only the environment that is handed to them, have a process group of their own that is killed as a whole, and
end when the worker ends, however it ends. Where `agent_uid` is set (the image does, and starts the worker with the
capabilities that this needs) they also run as that user, without capabilities and without a way to new ones.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from webordinary.protocol.worker.run import CancelReason
from webordinary_worker.cancellation import CancellationToken

OUTPUT_BYTES_KEPT = 64_000
MARKER = "WEBORDINARY_CONFINED_BY"


@dataclass(frozen=True)
class Finished:
    code: int
    output: str
    timed_out: bool = False


@dataclass(frozen=True)
class Confinement:
    """How this worker confines. `worker` marks its processes, so that what escapes its group is still found."""

    worker: str
    uid: int | None = None

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
            env={**environment, MARKER: self.worker},
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
        cancellation: CancellationToken,
        seconds: float,
    ) -> Finished:
        """Runs a program to its end, to its cancellation or to its time limit. Its whole group is gone afterwards."""
        with tempfile.TemporaryFile() as output:
            process = self.start(command, folder=folder, environment=environment, stdout=output)
            timed_out = threading.Event()

            def out_of_time() -> None:
                timed_out.set()
                kill_group(process)

            def stopped(_: CancelReason) -> None:
                kill_group(process)

            timer = threading.Timer(seconds, out_of_time)
            timer.start()
            try:
                with cancellation.reacting(stopped):
                    process.wait()
            finally:
                timer.cancel()
                kill_group(process)
            return Finished(process.returncode, _tail(output), timed_out.is_set())

    def give(self, folder: Path, *, files_too: bool = True) -> None:
        """Makes a folder the confined user's own. Links are not followed."""
        if self.uid is None:
            return
        os.chown(folder, self.uid, self.uid)
        for parent, folders, files in os.walk(folder):
            for name in [*folders, *(files if files_too else [])]:
                os.lchown(Path(parent) / name, self.uid, self.uid)

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


def kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _tail(output: IO[bytes]) -> str:
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - OUTPUT_BYTES_KEPT))
    return output.read().decode(errors="replace")
