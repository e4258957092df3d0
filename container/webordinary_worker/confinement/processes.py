"""The one way in which this worker starts programs.

A `Launcher` runs what the worker trusts (git, its own Node.js) with the worker's rights. A `Confinement` runs what it
does not trust: the agent, the site's own code, packages that are being installed. Both hand a program nothing but the
environment that it is given, put it into a process group that is killed as a whole, and bound its time and its output.

What is confined starts through `sandbox`, or bounds itself by it, which limits what it may use; it may be without a
network. When it is over, everything that it left running is ended before its output is read. It also ends when the
worker ends, however that ends. Where it has a user of its own (the image has one for the agent and one for the sites'
code, and starts the worker with the capabilities that this needs) it runs as that user, without capabilities and
without a way to new ones.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from webordinary.protocol.worker.run import CancelReason
from webordinary_worker.confinement import reaper
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.confinement.safe_copy import open_folder
from webordinary_worker.confinement.sandbox import NO_NETWORK, USER

OUTPUT_BYTES_KEPT = 64_000
MARKER = "WEBORDINARY_CONFINED_BY"
CONFINEMENT = "WEBORDINARY_CONFINEMENT"
SANDBOX = (sys.executable, "-I", "-S", str(Path(__file__).with_name("sandbox.py")))
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
# What every program sees; whoever starts it says what else.
ENVIRONMENT = {"PATH": SYSTEM_PATH, "LANG": "C.UTF-8"}


@dataclass(frozen=True)
class ProcessResult:
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
        network: bool = True,
        pass_fds: Sequence[int] = (),
    ) -> subprocess.Popen[bytes]:
        """Starts a program, to be ended with `end`; what is confined also ends with the thread that has started it.
        `pass_fds` are descriptors that the program gets besides."""
        return self._open(
            [*self._prefix(network), *map(str, command)],
            folder=folder,
            environment=environment,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=pass_fds,
        )

    def _open(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        stdin: int,
        stdout: int | IO[bytes],
        stderr: int | IO[bytes],
        pass_fds: Sequence[int] = (),
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            cwd=folder,
            env={**ENVIRONMENT, **environment, **self._mark()},
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            pass_fds=pass_fds,
        )

    def run(
        self,
        command: Sequence[str | Path],
        *,
        folder: Path,
        environment: Mapping[str, str],
        seconds: float,
        cancellation: CancellationToken | None = None,
        max_output_bytes: int = OUTPUT_BYTES_KEPT,
        separate_stderr: bool = False,
        network: bool = True,
        stdin: int = subprocess.DEVNULL,
    ) -> ProcessResult:
        """Runs a program to its end, to its cancellation or to its time limit. Its whole group is gone afterwards."""
        with ExitStack() as stack:
            output = stack.enter_context(tempfile.TemporaryFile())
            errors = stack.enter_context(tempfile.TemporaryFile()) if separate_stderr else None
            stderr = errors or subprocess.STDOUT
            process = self.start(
                command,
                folder=folder,
                environment=environment,
                stdin=stdin,
                stdout=output,
                stderr=stderr,
                network=network,
            )
            try:
                timed_out = _wait(process, seconds, cancellation or CancellationToken())
            finally:
                self.end(process)
            said_apart = tail(errors, max_output_bytes) if errors is not None else ""
            return ProcessResult(process.returncode, tail(output, max_output_bytes), said_apart, timed_out)

    def end(self, process: subprocess.Popen[bytes]) -> None:
        kill_group(process)

    def _prefix(self, network: bool) -> list[str]:  # noqa: ARG002  a confinement uses it
        return []

    def _mark(self) -> dict[str, str]:
        return {}


@dataclass(frozen=True)
class Confinement(Launcher):
    """How this worker confines. `worker` marks its processes, so that what escapes its group is still found."""

    worker: str
    uid: int | None = None
    limits: Limits = field(default_factory=Limits)
    _mark_of_this: str = field(default_factory=lambda: secrets.token_hex(8), compare=False)

    def as_user(self, uid: int | None) -> Confinement:
        return replace(self, uid=uid)

    def with_own_marker(self) -> Confinement:
        """The same for programs that must not end with those of this one, where users do not tell them apart."""
        return replace(self, _mark_of_this=secrets.token_hex(8))

    def with_worker_user(self) -> Confinement:
        """For programs that must own what they write, and are to have no more rights than that."""
        return self.as_user(None)

    def start_self_confining(
        self, command: Sequence[str], *, folder: Path, environment: Mapping[str, str], errors: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        """Starts a program of ours that bounds itself by what it is told behind its own arguments (`sandbox.become`).

        Until then it has the worker's rights, so that nothing confined can touch it while it loads; it must have done
        nothing for anybody by then. It talks through its input and output, and ends its whole group with its input: the
        kernel's signal would reach it alone, and already when the thread ends that has started it.
        """
        user = [] if self.uid is None else [f"{USER}={self.uid}"]
        bounds = [*self._bounds(), *user] if shutil.which("setpriv") is not None else []  # as with all others
        return self._open(
            [*command, *bounds],
            folder=folder,
            environment=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )

    def suspend(self) -> None:
        """Stops everything of this confinement's user: nothing of it does anything until it goes on, or is ended.

        Without a user of its own it goes on: it could not be found for certain, and nobody would end it if this worker
        died while it is stopped.
        """
        if self.uid is not None:
            reaper.suspend_user(self.uid)

    def resume(self) -> None:
        if self.uid is not None:
            reaper.resume_user(self.uid)

    def give_folder(self, folder: Path) -> None:
        """Makes a folder of the worker's the confined user's own: the folder itself, not what is in it.

        Trees are copied (see `folder_copies`) and never given away: whoever walks through a tree to change owners can
        be led elsewhere by a link, once one of the new owner's processes gets into it.
        """
        if self.uid is not None:
            with open_folder(folder) as descriptor:
                os.fchown(descriptor, self.uid, self.uid)

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """Ends a program and everything that it left running, wherever that went. None of it runs afterwards."""
        super().end(process)
        if self.uid is not None:
            reaper.kill_user(self.uid)
        else:
            reaper.kill_marked(f"{CONFINEMENT}={self._mark_of_this}".encode(), session=process.pid)

    def kill_leftovers(self) -> int:
        """Ends whatever this worker has confined, also before it was started anew. Returns how many there were."""
        of_the_user = 0 if self.uid is None else reaper.kill_user(self.uid)
        return of_the_user + reaper.kill_marked(f"{MARKER}={self.worker}".encode())

    def _prefix(self, network: bool) -> list[str]:
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            return []  # only on a developer's machine that is no Linux
        drop = [] if self.uid is None else [f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups"]
        unprivileged = ["--inh-caps=-all", "--ambient-caps=-all", "--no-new-privs"]
        options = [*self._bounds(), *([] if network else [NO_NETWORK])]
        return [*SANDBOX, *options, "--", setpriv, *drop, *unprivileged, "--pdeathsig=KILL", "--"]

    def _bounds(self) -> list[str]:
        limits = self.limits
        return [
            "RLIMIT_CORE=0",
            f"RLIMIT_CPU={limits.cpu_seconds}",
            f"RLIMIT_DATA={limits.memory_bytes}",
            f"RLIMIT_FSIZE={limits.file_bytes}",
            f"RLIMIT_NOFILE={limits.open_files}",
            # It counts all that a user runs, so it makes sense for a user of its own only.
            *([] if self.uid is None else [f"RLIMIT_NPROC={limits.processes}"]),
        ]

    def _mark(self) -> dict[str, str]:
        return {MARKER: self.worker, CONFINEMENT: self._mark_of_this}


def search_path(*folders: Path) -> str:
    """A search path on which folders come before those of the system."""
    return ":".join((*map(str, folders), SYSTEM_PATH))


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
        with cancellation.on_cancel(cancelled):
            process.wait()
    finally:
        timer.cancel()
        kill_group(process)
    return timed_out.is_set()


def tail(output: IO[bytes], max_output_bytes: int) -> str:
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - max_output_bytes))
    return output.read().decode(errors="replace")
