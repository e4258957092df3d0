"""Attacks by confined programs: on files, processes, resources and the network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.attack.arena import SECONDS, SECRET, STARTED, Arena
from tests.attack.cases import AttackSucceededError, attack
from webordinary_worker.confinement import sandbox
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.leftover_files import remove_files_of
from webordinary_worker.confinement.processes import MARKER
from webordinary_worker.confinement.reaper import STOPPED, marked_processes, processes_of
from webordinary_worker.runtime import process_hardening
from webordinary_worker.site.build.build_process import BuildProcess

SEEN = "SEEN"


@attack
def tries(arena: Arena, who: str, script: str) -> None:
    """Runs a script that must not read or change the worker's secret, and must not print SEEN."""
    os.environ.setdefault("ATTACK_SECRET", SECRET)
    process_hardening.make_undumpable()
    finished = arena.run(who, script)
    arena.expect_not_leaked(finished.output)
    arena.expect_unchanged()
    if SEEN in finished.output:
        raise AttackSucceededError(f"its output: {finished.output.strip()[-200:]}")


@attack
def leaves_for_clean_build(arena: Arena, script: str) -> None:
    """A build leaves something outside its folders that a later, clean build finds."""
    folder = arena.own_folder("site")
    arena.run("site", script, folder=folder)
    remove_files_of(arena.site.uid or 0)
    left = arena.run(
        "site",
        "find /tmp /var /run /dev/shm -xdev -user {uid} ! -path '{folder}*' 2>/dev/null; "
        "cat /proc/sysvipc/* | grep -v key || true",
        folder=folder,
        uid=arena.site.uid,
    ).output
    if left.strip():
        raise AttackSucceededError(f"it left {left.strip()[:200]}")


@attack
def tries_after_loading(arena: Arena, script: str) -> None:
    """Runs a script from a process that started with the worker's privileges and dropped them, like the agent's."""
    folder = arena.own_folder("agent")
    with _loading(arena, folder, arena.fill_in(script)) as process:
        output, _ = process.communicate(b"the setup\n", SECONDS)
    said = output.decode(errors="replace")
    if not (folder / STARTED).exists():
        raise RuntimeError(f"the script did not start: {said[-300:]}")
    arena.expect_not_leaked(said)
    arena.expect_unchanged()
    if SEEN in said:
        raise AttackSucceededError(f"its output: {said.strip()[-200:]}")


@attack
def attacks_preloaded_agent(arena: Arena, script: str) -> None:
    """A running agent attacks the process that is preloaded for the next agent."""
    with _loading(arena, arena.own_folder("agent"), "true") as process:
        finished = arena.run("agent", script, loading=process.pid)
        alive = process.poll() is None
    if not alive:
        raise AttackSucceededError("it ended the next agent's process")
    if SEEN in finished.output:
        raise AttackSucceededError(f"its output: {finished.output.strip()[-200:]}")


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
    """Runs a script that leaves background processes; none may survive the run."""
    arena.run(who, script, seconds=6)
    if left := _left(arena, who):
        raise AttackSucceededError(f"{len(left)} processes are still running")


@attack
def works_between_builds(arena: Arena, script: str) -> None:
    """Background processes of a build must be stopped while the build process waits."""
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
            raise RuntimeError("the build has no processes")
        if running := list(processes_of(uid, STOPPED)):
            raise AttackSucceededError(f"{len(running)} processes are not stopped")
    finally:
        process.end()
    if left := _left(arena, "site"):
        raise AttackSucceededError(f"{len(left)} processes survived")


@attack
def outlives_its_build(arena: Arena) -> None:
    """A background process of a build reads the environment of the next agent."""
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
        raise AttackSucceededError("it read the next agent's environment")


@attack
def uses_up(arena: Arena, script: str, who: str = "site", seconds: float = SECONDS, said: str = "") -> None:
    """Runs a script that exceeds a limit: it must fail in time, with the expected error."""
    folder = arena.own_folder(who)
    finished = arena.run(who, script, folder=folder, seconds=seconds)
    if finished.code == 0:
        raise AttackSucceededError("no limit stopped it")
    if said and said not in finished.output:
        raise AttackSucceededError(f"unexpected error: {finished.output.strip()[-200:]}")
    if any(path.stat().st_size > arena.site.limits.file_bytes for path in folder.rglob("*") if path.is_file()):
        raise AttackSucceededError("it created a file over the limit")
    if len(finished.output) > 64_000:
        raise AttackSucceededError("its output exceeds the limit")


@attack
def reaches_out(arena: Arena, script: str) -> None:
    """Runs a script that tries to open a network connection; it prints OPEN on success."""
    finished = arena.run("site", script)
    if "OPEN" in finished.output:
        raise AttackSucceededError("it opened a socket")
    if "refused" not in finished.output and finished.code == 0:
        raise AttackSucceededError(f"no refusal in its output: {finished.output.strip()[-200:]}")


@attack
def kills_the_worker(arena: Arena, who: str) -> None:
    """Also targets a witness process of the worker's user, because this process could not report its own end."""
    with subprocess.Popen(["sleep", "60"]) as witness:
        arena.run(who, "kill -9 {worker} {witness} 1 -1", witness=witness.pid)
        killed = witness.poll() is not None
        witness.kill()
    if killed:
        raise AttackSucceededError("it killed a process of the worker's user")


def _left(arena: Arena, who: str) -> list[int]:
    uid = arena.confinement(who).uid
    if uid is not None:
        return list(processes_of(uid))
    return list(marked_processes((f"{MARKER}={arena.site.worker}".encode(),), None))
