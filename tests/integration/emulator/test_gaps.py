"""Runs every probe against the emulator, which must behave like AWS, and against moto alone, which must not.

A failure of the second means that moto has fixed a gap and its patch can be removed. Both servers sleep between a check
and the following write, so that rare races happen every time.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from local.aws import EmulatedAws
from local.emulator.gaps.patching import GAPS
from local.paths import ROOT
from tests.integration.emulator import (  # noqa: F401 (register their probes)
    probes,
    probes_of_new_accounts,
    probes_of_tasks,
    probes_of_versions,
)
from tests.integration.emulator.probes import PROBES

# Some gaps are races. On a busy machine not every attempt meets them.
ATTEMPTS = 5
SLEEPS = """
import os, runpy, time
from moto.dynamodb.models.table import Table
from moto.s3.models import S3Backend
from moto.stepfunctions.models import StateMachine
from moto.stepfunctions.parser.asl.eval.callback.callback import CallbackEndpoint

def add_sleep(owner, name, before=0, after=0):
    act = getattr(owner, name)
    def act_slowly(*arguments, **named):
        time.sleep(before)
        result = act(*arguments, **named)
        time.sleep(after)
        return result
    setattr(owner, name, act_slowly)

add_sleep(S3Backend, "get_object", after=0.1)
add_sleep(StateMachine, "_handle_name_input_idempotency", after=0.1)
add_sleep(Table, "get_item", after=0.1)
add_sleep(CallbackEndpoint, "setup_heartbeat_endpoint", before=0.5)
"""
EMULATOR = 'runpy.run_module("local.emulator", run_name="__main__")'
MOTO = """
import json
from moto.core.config import default_user_config
from moto.server import ThreadedMotoServer
default_user_config["stepfunctions"] = {"execute_state_machine": True}
server = ThreadedMotoServer(port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
os.environ["MOTO_PORT"] = str(port)
print(json.dumps({"endpoint": f"http://127.0.0.1:{port}"}), flush=True)
server._thread.join()
"""


@contextmanager
def slowed(program: str, *arguments: str) -> Iterator[EmulatedAws]:
    command = [sys.executable, "-c", SLEEPS + program, *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield EmulatedAws(json.loads(process.stdout.readline())["endpoint"])
        process.terminate()


@pytest.fixture(scope="module")
def patched_emulator(tmp_path_factory: pytest.TempPathFactory, runtime: Path) -> Iterator[EmulatedAws]:
    state = tmp_path_factory.mktemp("slowed")
    with slowed(EMULATOR, f"--state={state}", f"--runtime={runtime}") as running:
        yield running


@pytest.fixture(scope="module")
def unpatched_moto() -> Iterator[EmulatedAws]:
    with slowed(MOTO) as running:
        yield running


def test_every_gap_has_a_probe() -> None:
    assert PROBES.keys() == GAPS.keys()


@pytest.mark.parametrize("name", PROBES)
def test_emulator_behaves_like_aws(name: str, patched_emulator: EmulatedAws) -> None:
    assert PROBES[name].run(patched_emulator) == PROBES[name].on_aws


@pytest.mark.parametrize("name", PROBES)
def test_moto_alone_still_has_the_gap(name: str, unpatched_moto: EmulatedAws, monkeypatch: pytest.MonkeyPatch) -> None:
    # What moto never does need not be awaited for long.
    monkeypatch.setattr(probes, "LONGEST_POLL_SECONDS", 2)
    monkeypatch.setattr(probes_of_tasks, "LOG_SECONDS", 2.0)
    for _ in range(ATTEMPTS):
        try:
            answer = PROBES[name].run(unpatched_moto)
        except Exception as error:  # moto lacks the call
            answer = error
        if answer != PROBES[name].on_aws:
            return
        urlopen(Request(f"{unpatched_moto.endpoint}/moto-api/reset", method="POST")).close()  # noqa: S310

    pytest.fail(f"moto has fixed {name}: remove the patch")
