"""The sandbox: resource limits and network filter, child processes included."""

from __future__ import annotations

import errno
import os
import platform
import struct
import sys
from pathlib import Path

import pytest

from webordinary_worker.confinement import sandbox
from webordinary_worker.confinement.limits import MEBIBYTE, Limits
from webordinary_worker.confinement.processes import Confinement, ProcessResult

TIMEOUT_SECONDS = 120.0  # only a hang reaches it
LITTLE = Limits(memory_bytes=256 * MEBIBYTE, file_bytes=MEBIBYTE, open_files=32, cpu_seconds=1)
ALLOWED, KILLED, DENIED = sandbox.ALLOW, sandbox.KILL_PROCESS, sandbox.DENY


def python(folder: Path, text: str, *, limits: Limits = LITTLE, network: bool = True) -> ProcessResult:
    command = [sys.executable, "-I", "-S", "-c", text]
    return Confinement("test", limits=limits).run(
        command, folder=folder, environment={}, seconds=TIMEOUT_SECONDS, network=network
    )


def verdict(machine: str, call: int, first_argument: int = 0, architecture: int | None = None) -> int:
    """Runs the filter as the kernel would."""
    program = list(struct.iter_unpack("=HBBI", sandbox.no_network_filter(machine)))
    known = sandbox.NUMBERS[machine][0] if architecture is None else architecture
    data = struct.pack("=IIQQ", call, known, 0, first_argument)
    at, word = 0, 0
    while True:
        code, if_true, if_false, value = program[at]
        at += 1
        if code == sandbox.RETURN:
            return int(value)
        if code == sandbox.LOAD:
            (word,) = struct.unpack_from("=I", data, value)
        else:
            holds = word == value if code == sandbox.IF_EQUAL else word >= value
            at += if_true if holds else if_false


@pytest.mark.parametrize("machine", sandbox.NUMBERS)
class TestFilter:
    def test_filter_allows_only_unix_sockets(self, machine: str) -> None:
        _, socket, _ = sandbox.NUMBERS[machine]

        verdicts = {family: verdict(machine, socket, family) for family in range(64)}

        assert verdicts.pop(sandbox.AF_UNIX) == ALLOWED
        assert set(verdicts.values()) == {DENIED}

    def test_filter_denies_io_uring_message_queues_and_keys(self, machine: str) -> None:
        _, _, denied = sandbox.NUMBERS[machine]

        assert len(denied) == 5
        assert {verdict(machine, call) for call in denied} == {DENIED}

    def test_filter_allows_other_calls(self, machine: str) -> None:
        _, socket, denied = sandbox.NUMBERS[machine]
        checked = {socket, *denied}

        assert {verdict(machine, call) for call in range(460) if call not in checked} == {ALLOWED}

    def test_filter_denies_x32_calls(self, machine: str) -> None:
        assert verdict(machine, sandbox.X32_BIT + sandbox.NUMBERS[machine][1], 2) == DENIED

    def test_filter_kills_calls_of_another_architecture(self, machine: str) -> None:
        assert verdict(machine, 102, architecture=0x40000003) == KILLED


@pytest.mark.skipif(platform.machine() not in sandbox.NUMBERS, reason="no filter for this architecture")
class TestNetwork:
    OPEN = (
        "import socket\ntry:\n socket.socket(socket.AF_INET)\nexcept OSError as e:\n print(e.errno)\nelse:\n print(0)"
    )

    def test_program_without_network_cannot_open_a_socket(self, tmp_path: Path) -> None:
        assert int(python(tmp_path, self.OPEN, network=False).output) == errno.EACCES

    def test_program_with_network_can_open_a_socket(self, tmp_path: Path) -> None:
        assert int(python(tmp_path, self.OPEN).output) == 0

    def test_children_of_a_program_without_network_have_none(self, tmp_path: Path) -> None:
        nested = f"import subprocess, sys\nsubprocess.run([sys.executable, '-I', '-S', '-c', {self.OPEN!r}])"

        assert int(python(tmp_path, nested, network=False).output) == errno.EACCES

    def test_unix_sockets_work_without_network(self, tmp_path: Path) -> None:
        assert python(tmp_path, "import socket; socket.socketpair(); print('fine')", network=False).code == 0


class TestLimits:
    def test_memory_is_limited(self, tmp_path: Path) -> None:
        assert "MemoryError" in python(tmp_path, f"bytearray({512 * MEBIBYTE})").output

    @pytest.mark.parametrize("write", ["truncate(50 << 30)", "write(bytes(2 << 20))"])
    def test_file_size_is_limited_for_sparse_files_too(self, tmp_path: Path, write: str) -> None:
        finished = python(tmp_path, f"file = open('large', 'wb'); file.{write}; file.flush()")

        assert finished.code != 0
        assert (tmp_path / "large").stat().st_size <= MEBIBYTE

    def test_open_files_are_limited(self, tmp_path: Path) -> None:
        assert "Too many open files" in python(tmp_path, "import os\nwhile True: os.dup(0)").output

    def test_cpu_time_is_limited(self, tmp_path: Path) -> None:
        assert python(tmp_path, "while True: pass").code != 0

    def test_confined_program_is_the_first_for_the_oom_killer(self, tmp_path: Path) -> None:
        assert python(tmp_path, "print(open('/proc/self/oom_score_adj').read())").output.strip() == "1000"

    def test_lower_limit_is_kept(self, tmp_path: Path) -> None:
        text = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))"
        nested = Confinement("test", limits=Limits(open_files=64))

        inner = [*nested._prefix(network=True), sys.executable, "-I", "-S", "-c", text]
        finished = Confinement("test", limits=LITTLE).run(
            inner, folder=tmp_path, environment={}, seconds=TIMEOUT_SECONDS
        )

        assert finished.output.strip() == "(32, 32)"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start processes as another user")
def test_processes_of_a_separate_user_are_limited() -> None:
    uid = 30_000 + os.getpid() % 20_000
    # Children end when their parent does.
    text = (
        "import os\nends, parent = os.pipe()\n"
        "for _ in range(40):\n  if os.fork() == 0: os.close(parent); os.read(ends, 1); os._exit(0)"
    )

    finished = Confinement("test", uid=uid, limits=Limits(processes=20)).run(
        ["/usr/bin/env", "python3", "-I", "-S", "-c", text], folder=Path("/"), environment={}, seconds=TIMEOUT_SECONDS
    )

    assert "Resource temporarily unavailable" in finished.output
