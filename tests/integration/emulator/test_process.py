"""The emulator as a process: startup errors, and its end."""

import json
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from botocore.exceptions import BotoCoreError

from local.emulator.process import EmulatorProcess, client
from local.errors import ChildFailedError
from local.runtime.children import HANG_SECONDS
from tests.integration.emulator.support import archive, eventually, is_gone, role

ROOT = Path(__file__).resolve().parents[3]
SLEEPER = """
import os, time

def handler(event, context):
    print(os.getpid())
    time.sleep(60)
"""
# Starts the emulator and waits.
STARTER = """
import subprocess, sys
emulator = subprocess.Popen([sys.executable, "-m", "local.emulator", *sys.argv[1:]])
print(emulator.pid, flush=True)
emulator.wait()
"""


def test_port_in_use_is_reported(tmp_path: Path, runtime: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as other,
        pytest.raises(ChildFailedError, match="the port is in use"),
    ):
        EmulatorProcess(state=tmp_path, runtime=runtime, port=other.getsockname()[1])


def test_missing_runtime_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ChildFailedError, match="No Lambda runtime in"):
        EmulatorProcess(state=tmp_path, runtime=tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="parent death signals are Linux only")
def test_emulator_and_functions_end_with_their_parent(tmp_path: Path, runtime: Path) -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, f"--state={tmp_path}", f"--runtime={runtime}"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert starter.stdout is not None
    emulator = int(starter.stdout.readline())
    endpoint = json.loads(starter.stdout.readline())["endpoint"]
    threading.Thread(target=invoke_sleeper, args=(endpoint,), daemon=True).start()
    function = int(json.loads(starter.stdout.readline())["line"])

    starter.send_signal(signal.SIGKILL)
    starter.wait()

    assert eventually(lambda: (is_gone(emulator) and is_gone(function)) or None)


def invoke_sleeper(endpoint: str) -> None:
    lambdas = client(endpoint, "lambda")
    lambdas.create_function(
        FunctionName="sleeper",
        Runtime="python3.13",
        Role=role(endpoint, "sleeper"),
        Handler="handler.handler",
        Code={"ZipFile": archive({"handler.py": SLEEPER})},
        Timeout=60,
    )
    with suppress(BotoCoreError):  # the connection ends with the emulator
        lambdas.invoke(FunctionName="sleeper")


def test_death_is_reported_and_a_stop_is_not(tmp_path: Path, runtime: Path) -> None:
    deaths: list[str] = []
    died = threading.Event()
    stopped = EmulatorProcess(state=tmp_path / "stopped", runtime=runtime, on_death=lambda: deaths.append("stopped"))
    stopped.restart()
    stopped.stop()

    with EmulatorProcess(state=tmp_path / "killed", runtime=runtime, on_death=died.set) as killed:
        killed.kill()
        assert died.wait(HANG_SECONDS)

    assert deaths == []
