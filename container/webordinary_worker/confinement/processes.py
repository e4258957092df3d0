"""Starts and ends all programs of the worker.

A `Launcher` runs trusted programs (git, the worker's own Node.js) with the worker's rights. A `Confinement` runs
untrusted ones: the agent, the site's own code, package installations. Both pass only the given environment, start a
process group that is killed as a whole, and limit run time and output.

Confined programs start through `sandbox`, or confine themselves with it; it sets resource limits and can deny the
network. When a program ends, everything that it left running is killed before its output is read. It is also killed
when the worker ends, for whatever reason. With a separate user (the image has one for the agent and one for the sites'
code, and starts the worker with the capabilities for that) it runs as that user, without capabilities and without a way
to gain new ones.
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

MAX_OUTPUT_BYTES = 64_000
MARKER = "WEBORDINARY_CONFINED_BY"
CONFINEMENT = "WEBORDINARY_CONFINEMENT"
SANDBOX = (sys.executable, "-I", "-S", str(Path(__file__).with_name("sandbox.py")))
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
# The environment of every program; callers add to it.
ENVIRONMENT = {"PATH": SYSTEM_PATH, "LANG": "C.UTF-8"}


@dataclass(frozen=True)
class ProcessResult:
    """A finished program. `output` includes its stderr, unless that was requested separately."""

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
        """Starts a program, to be ended with `end`. A confined program also ends with the OS thread that started it."""
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
        max_output_bytes: int = MAX_OUTPUT_BYTES,
        separate_stderr: bool = False,
        network: bool = True,
        stdin: int = subprocess.DEVNULL,
    ) -> ProcessResult:
        """Runs a program until it ends, is cancelled or times out. Its whole process group is dead afterwards."""
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
            stderr_text = tail(errors, max_output_bytes) if errors is not None else ""
            return ProcessResult(process.returncode, tail(output, max_output_bytes), stderr_text, timed_out)

    def end(self, process: subprocess.Popen[bytes]) -> None:
        kill_group(process)

    def _prefix(self, network: bool) -> list[str]:  # noqa: ARG002  Confinement uses it
        return []

    def _mark(self) -> dict[str, str]:
        return {}


@dataclass(frozen=True)
class Confinement(Launcher):
    """Starts confined programs. `worker` marks their environment, so that escaped processes are found."""

    worker: str
    uid: int | None = None
    limits: Limits = field(default_factory=Limits)
    _own_marker: str = field(default_factory=lambda: secrets.token_hex(8), compare=False)

    def as_user(self, uid: int | None) -> Confinement:
        return replace(self, uid=uid)

    def with_own_marker(self) -> Confinement:
        """A copy with another marker, so that ending its programs does not kill those of this one."""
        return replace(self, _own_marker=secrets.token_hex(8))

    def with_worker_user(self) -> Confinement:
        """For programs that must own the files they write, but need no other rights."""
        return self.as_user(None)

    def start_self_confining(
        self, command: Sequence[str], *, folder: Path, environment: Mapping[str, str], errors: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        """Starts a program of ours that confines itself, with the options appended to its arguments (`sandbox.become`).

        It loads with the worker's rights, so that no confined process can tamper with it, and must confine itself
        before it processes any input. It kills its whole process group when its stdin closes. The kernel's parent-death
        signal would not do: it reaches one process only, and is sent when the OS thread ends that started it.
        """
        user = [] if self.uid is None else [f"{USER}={self.uid}"]
        bounds = [*self._bounds(), *user] if shutil.which("setpriv") is not None else []  # as in _prefix
        return self._open(
            [*command, *bounds],
            folder=folder,
            environment=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )

    def suspend(self) -> None:
        """Suspends all processes of the confined user until `resume` or `end`.

        Does nothing without a separate user: processes could be missed, and stay suspended if the worker died.
        """
        if self.uid is not None:
            reaper.suspend_user(self.uid)

    def resume(self) -> None:
        if self.uid is not None:
            reaper.resume_user(self.uid)

    def give_folder(self, folder: Path) -> None:
        """Makes the confined user the owner of a folder, not of its contents.

        Trees are copied (see `safe_copy`) and never change their owner: a recursive chown could be redirected by a link
        as soon as a process of the new owner can write to the tree.
        """
        if self.uid is not None:
            with open_folder(folder) as descriptor:
                os.fchown(descriptor, self.uid, self.uid)

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """Kills a program and everything that it left running."""
        super().end(process)
        if self.uid is not None:
            reaper.kill_user(self.uid)
        else:
            reaper.kill_marked(f"{CONFINEMENT}={self._own_marker}".encode(), session=process.pid)

    def kill_leftovers(self) -> int:
        """Kills all confined processes of this worker, those before a restart included. Returns their number."""
        of_user = 0 if self.uid is None else reaper.kill_user(self.uid)
        return of_user + reaper.kill_marked(f"{MARKER}={self.worker}".encode())

    def _prefix(self, network: bool) -> list[str]:
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            return []  # only on developers' machines without Linux
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
            # The kernel counts per user, so this needs a separate user.
            *([] if self.uid is None else [f"RLIMIT_NPROC={limits.processes}"]),
        ]

    def _mark(self) -> dict[str, str]:
        return {MARKER: self.worker, CONFINEMENT: self._own_marker}


def search_path(*folders: Path) -> str:
    """A PATH with these folders before the system's."""
    return ":".join((*map(str, folders), SYSTEM_PATH))


def kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _wait(process: subprocess.Popen[bytes], seconds: float, cancellation: CancellationToken) -> bool:
    """Waits until a program ends. Returns whether it timed out."""
    timed_out = threading.Event()

    def on_timeout() -> None:
        timed_out.set()
        kill_group(process)

    def kill(_: CancelReason) -> None:
        kill_group(process)

    timer = threading.Timer(seconds, on_timeout)
    timer.start()
    try:
        with cancellation.on_cancel(kill):
            process.wait()
    finally:
        timer.cancel()
        kill_group(process)
    return timed_out.is_set()


def tail(output: IO[bytes], max_output_bytes: int) -> str:
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - max_output_bytes))
    return output.read().decode(errors="replace")
