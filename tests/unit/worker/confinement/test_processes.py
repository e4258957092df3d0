"""Programs: their environment, limits, cancellation and cleanup."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.cancelling import cancel_once_there
from webordinary.protocol.worker.run import CancelReason
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import (
    CONFINEMENT,
    ENVIRONMENT,
    MARKER,
    Confinement,
    Launcher,
    ProcessResult,
    search_path,
)

TIMEOUT_SECONDS = 120.0  # only a hang reaches it
LAUNCHERS = [Launcher(), Confinement("test")]
# Starts a child in the same group and prints its process id.
WITH_A_CHILD = "sleep 600 & echo $!; "


def shell(launcher: Launcher, folder: Path, text: str, **options: object) -> ProcessResult:
    arguments = {"folder": folder, "environment": {}, "seconds": TIMEOUT_SECONDS, **options}
    return launcher.run(["/bin/sh", "-c", text], **arguments)  # type: ignore[arg-type]


def is_running(process_id: str) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        state = Path(f"/proc/{int(process_id)}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until_gone(process_id: str) -> bool:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while is_running(process_id) and time.monotonic() < deadline:
        time.sleep(0.02)  # only the parent is notified
    return not is_running(process_id)


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_program_gets_only_the_given_environment(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")

    finished = launcher.run(["/usr/bin/env"], folder=tmp_path, environment={"GIVEN": "yes"}, seconds=TIMEOUT_SECONDS)

    names = {line.partition("=")[0] for line in finished.output.splitlines()}
    assert names - {MARKER, CONFINEMENT} == {*ENVIRONMENT, "GIVEN"}


def test_only_confined_programs_are_marked(tmp_path: Path) -> None:
    output = [shell(launcher, tmp_path, f"echo ${MARKER}").output.strip() for launcher in LAUNCHERS]

    assert output == ["", "test"]


def test_given_environment_cannot_replace_the_marker(tmp_path: Path) -> None:
    finished = shell(Confinement("test"), tmp_path, f"echo ${MARKER}", environment={MARKER: "another"})

    assert finished.output.strip() == "test"


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_program_runs_in_its_folder_and_returns_its_exit_code(launcher: Launcher, tmp_path: Path) -> None:
    finished = shell(launcher, tmp_path, "pwd; exit 3")

    assert (finished.code, finished.output.strip(), finished.timed_out) == (3, str(tmp_path), False)


def test_stderr_is_part_of_the_output_unless_requested_separately(tmp_path: Path) -> None:
    merged, separate = (
        shell(Launcher(), tmp_path, "echo out; echo error >&2", separate_stderr=option) for option in (False, True)
    )

    assert (merged.output, merged.errors) == ("out\nerror\n", "")
    assert (separate.output, separate.errors) == ("out\n", "error\n")


def test_long_output_is_cut_to_its_end(tmp_path: Path) -> None:
    finished = shell(Launcher(), tmp_path, "seq 1 1000; seq 1 1000 >&2", max_output_bytes=9, separate_stderr=True)

    assert (finished.output, finished.errors) == ("999\n1000\n", "999\n1000\n")
    assert len(shell(Launcher(), tmp_path, "seq 1 100000").output) == 64_000


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_program_that_times_out_is_killed_with_its_children(launcher: Launcher, tmp_path: Path) -> None:
    for seconds in (0.5, 4, 32):  # on a busy machine the program may need longer to start its child
        finished = shell(launcher, tmp_path, WITH_A_CHILD + "sleep 600", seconds=seconds)
        assert finished.timed_out
        if finished.output:
            break

    assert finished.code != 0
    assert wait_until_gone(finished.output)


@pytest.mark.parametrize("reason", CancelReason)
def test_cancelled_program_is_killed_with_its_children(reason: CancelReason, tmp_path: Path) -> None:
    cancellation = CancellationToken()
    cancel_once_there(tmp_path / "started", cancellation, reason)

    finished = shell(Launcher(), tmp_path, WITH_A_CHILD + "> started; sleep 600", cancellation=cancellation)

    assert not finished.timed_out
    assert wait_until_gone(finished.output)


def test_children_are_killed_when_the_program_ends(tmp_path: Path) -> None:
    finished = shell(Launcher(), tmp_path, WITH_A_CHILD + "exit 0")

    assert finished.code == 0
    assert wait_until_gone(finished.output)


def test_program_has_its_own_group_and_no_stdin(tmp_path: Path) -> None:
    finished = shell(Launcher(), tmp_path, "cat; ps -o pgid= -p $$ 2>/dev/null || cut -d' ' -f5 /proc/$$/stat")

    assert int(finished.output) != os.getpgid(0)


def test_confined_program_cannot_gain_privileges(tmp_path: Path) -> None:
    output = [
        shell(launcher, tmp_path, "grep NoNewPrivs /proc/self/status").output.split()[1] for launcher in LAUNCHERS
    ]

    assert output == ["0", "1"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start processes as another user")
def test_confined_program_runs_as_its_user() -> None:
    confined = Confinement("test", uid=12345)

    users = [
        shell(launcher, Path("/"), "id -u; id -g; id -G").output.split()
        for launcher in (confined, confined.with_worker_user())
    ]

    assert users[0] == ["12345"] * 3
    assert users[1][0] == "0"


def test_confinement_with_the_worker_user_is_still_confined(tmp_path: Path) -> None:
    confined = Confinement("test", uid=12345).with_worker_user()

    assert confined == Confinement("test")


def test_confined_program_is_killed_when_the_worker_dies(tmp_path: Path) -> None:
    process = Confinement("test").start(["/bin/sleep", "60"], folder=tmp_path, environment={})
    try:
        assert "--pdeathsig=KILL" in list(process.args)  # type: ignore[arg-type]
    finally:
        process.kill()
        process.wait()


def test_output_can_be_read_while_a_program_runs(tmp_path: Path) -> None:
    process = Launcher().start(
        ["/bin/cat"], folder=tmp_path, environment={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    output, _ = process.communicate(b"hello", timeout=TIMEOUT_SECONDS)

    assert output == b"hello"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change owners")
def test_give_folder_leaves_contents_and_rejects_links(tmp_path: Path) -> None:
    (tmp_path / "given/below").mkdir(parents=True)
    (tmp_path / "link").symlink_to("given/below")
    confined = Confinement("test", uid=12345)

    confined.give_folder(tmp_path / "given")
    Confinement("test").give_folder(tmp_path)

    with pytest.raises(OSError, match="Not a directory"):
        confined.give_folder(tmp_path / "link")
    users = [path.stat().st_uid for path in (tmp_path, tmp_path / "given", tmp_path / "given/below")]
    assert users == [os.geteuid(), 12345, os.geteuid()]


def test_search_path_puts_given_folders_first() -> None:
    assert search_path(Path("/opt/node")) == "/opt/node:/usr/local/bin:/usr/bin:/bin"
