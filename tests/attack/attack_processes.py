"""Attacks by a program that runs confined: what it reads, what it leaves running, what it uses up, whom it calls."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.attack.arena import SECONDS, SECRET, STARTED, Arena
from tests.attack.cases import GotThroughError, attack
from webordinary_worker.confinement import sandbox
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import MARKER
from webordinary_worker.confinement.reaper import STOPPED, marked_processes, processes_of
from webordinary_worker.runtime import process_hardening
from webordinary_worker.site.build.build_process import BuildProcess

SEEN = "SEEN"


@attack
def tries(arena: Arena, who: str, script: str) -> None:
    """Runs a script that must neither be told the worker's secret nor change it, nor print the word SEEN."""
    os.environ.setdefault("ATTACK_SECRET", SECRET)
    process_hardening.make_undumpable()
    finished = arena.run(who, script)
    arena.expect_untold(finished.output)
    arena.expect_unchanged()
    if SEEN in finished.output:
        raise GotThroughError(f"it said {finished.output.strip()[-200:]}")


@attack
def tries_after_loading(arena: Arena, script: str) -> None:
    """A program that loaded with the worker's rights and gave them up, as the agent's does, runs a script."""
    folder = arena.own_folder("agent")
    with _loading(arena, folder, arena.fill_in(script)) as process:
        output, _ = process.communicate(b"the setup\n", SECONDS)
    said = output.decode(errors="replace")
    if not (folder / STARTED).exists():
        raise RuntimeError(f"the script did not start: {said[-300:]}")
    arena.expect_untold(said)
    arena.expect_unchanged()
    if SEEN in said:
        raise GotThroughError(f"it said {said.strip()[-200:]}")


@attack
def touches_the_one_that_loads(arena: Arena, script: str) -> None:
    """An agent at work gets at the process that loads meanwhile, which will be the next agent's."""
    with _loading(arena, arena.own_folder("agent"), "true") as process:
        finished = arena.run("agent", script, loading=process.pid)
        alive = process.poll() is None
    if not alive:
        raise GotThroughError("it ended the next agent's process")
    if SEEN in finished.output:
        raise GotThroughError(f"it said {finished.output.strip()[-200:]}")


@contextmanager
def _loading(arena: Arena, folder: Path, script: str) -> Iterator[subprocess.Popen[bytes]]:
    program = (
        f"import sys, subprocess; sys.path.insert(0, {str(Path(sandbox.__file__).parent)!r}); import sandbox\n"
        "if sys.stdin.readline():\n"
        "  sandbox.become(sys.argv[1:])\n"
        f"  subprocess.call(['/bin/sh', '-c', {f': > {STARTED}; {script}'!r}], stderr=subprocess.STDOUT)\n"
    )
    python = shutil.which("python3", path="/usr/bin:/bin") or sys.executable
    with tempfile.TemporaryFile() as errors:
        process = arena.agent.start_self_confining(
            [python, "-I", "-c", program], folder=folder, environment={}, errors=errors
        )
        try:
            yield process
        finally:
            arena.agent.end(process)
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()


@attack
def leaves_running(arena: Arena, script: str, who: str = "site") -> None:
    """Runs a script that leaves processes behind; none may be left when the run is over."""
    arena.run(who, script, seconds=6)
    if left := _left(arena, who):
        raise GotThroughError(f"{len(left)} processes still run")


@attack
def works_between_builds(arena: Arena, script: str) -> None:
    """What a build leaves running beside the process that waits for the next one; all of it must stand still."""
    answer = (
        "import sys\nsys.stdin.readline()\n" + script + "\nprint('{\"ok\":true}', flush=True)\nsys.stdin.readline()"
    )
    command = [shutil.which("python3", path="/usr/bin:/bin") or sys.executable, "-I", "-c", answer]
    process = BuildProcess(arena.site, command, arena.own_folder("site"), {})
    try:
        if process.build("{}", SECONDS, CancellationToken()) is None:
            raise RuntimeError(f"the build did not answer: {process.log()[-300:]}")
        uid = arena.site.uid or 0
        if not list(processes_of(uid)):
            raise RuntimeError("there was nothing to stop")
        if running := list(processes_of(uid, STOPPED)):
            raise GotThroughError(f"{len(running)} processes run on")
    finally:
        process.end()
    if left := _left(arena, "site"):
        raise GotThroughError(f"{len(left)} processes are left")


@attack
def outlives_its_build(arena: Arena) -> None:
    """What a build leaves running reads the environment of the agent that comes next."""
    trace = arena.own_folder("site") / "trace"
    watch = (
        "import glob, os, time\n"
        "if os.fork() == 0:\n"
        "  os.setsid()\n"
        "  until = time.time() + 4\n"
        "  while time.time() < until:\n"
        "    for path in glob.glob('/proc/[0-9]*/environ'):\n"
        "      try:\n"
        "        if b'{token}' in open(path, 'rb').read(): open('{trace}', 'w')\n"
        "      except OSError: pass\n"
    )
    token = "token-of-the-next-turn"
    arena.run("site", watch, token=token, trace=trace)
    arena.agent.run(["/bin/sleep", "1"], folder=arena.folder, environment={"KEY": token}, seconds=5)
    if trace.exists():
        raise GotThroughError("it read the next agent's environment")


@attack
def uses_up(arena: Arena, script: str, who: str = "site", seconds: float = 12, said: str = "") -> None:
    """Runs a script that wants more than it may have: it must fail, in time, and say why where that is known."""
    folder = arena.own_folder(who)
    begun = time.monotonic()
    finished = arena.run(who, script, folder=folder, seconds=seconds)
    if finished.code == 0:
        raise GotThroughError("it got all it wanted")
    if time.monotonic() - begun > seconds + 12:
        raise GotThroughError("it took more time than it has")
    if said and said not in finished.output:
        raise GotThroughError(f"it ended otherwise: {finished.output.strip()[-200:]}")
    if any(path.stat().st_size > arena.site.limits.file_bytes for path in folder.rglob("*") if path.is_file()):
        raise GotThroughError("it made a file that is too large")
    if len(finished.output) > 64_000:
        raise GotThroughError("it said more than is kept")


@attack
def reaches_out(arena: Arena, script: str) -> None:
    """Runs a script that opens a way out of the machine; it prints OPEN if it could."""
    finished = arena.run("site", script)
    if "OPEN" in finished.output:
        raise GotThroughError("it opened a socket")
    if "refused" not in finished.output and finished.code == 0:
        raise GotThroughError(f"it was not refused: {finished.output.strip()[-200:]}")


@attack
def kills_the_worker(arena: Arena, who: str) -> None:
    """The worker is this process, which would not live to tell; a process of its user stands for the rest."""
    with subprocess.Popen(["sleep", "60"]) as witness:
        arena.run(who, "kill -9 {worker} {witness} 1 -1", witness=witness.pid)
        killed = witness.poll() is not None
        witness.kill()
    if killed:
        raise GotThroughError("it killed a process of the worker's user")


def _left(arena: Arena, who: str) -> list[int]:
    uid = arena.confinement(who).uid
    if uid is not None:
        return list(processes_of(uid))
    return list(marked_processes((f"{MARKER}={arena.site.worker}".encode(),), None))
