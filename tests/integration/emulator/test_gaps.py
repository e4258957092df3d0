"""Every gap is asked about twice: the emulator answers as AWS does, and moto alone does not.

When the second fails, moto has closed a gap: its patch can go. Both servers hesitate between looking whether something
exists and changing it, so that threads which would meet only now and then always do.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from local.aws import EmulatedAws
from local.emulator.gaps.patching import GAPS
from local.paths import ROOT
from tests.integration.emulator import probes_of_tasks, probes_of_versions  # noqa: F401 (register their probes)
from tests.integration.emulator.probes import PROBES

HESITATION = """
import os, runpy, time
from moto.dynamodb.models.table import Table
from moto.s3.models import S3Backend
from moto.stepfunctions.models import StateMachine
from moto.stepfunctions.parser.asl.eval.callback.callback import CallbackEndpoint

def hesitate(owner, name, before=0, after=0):
    act = getattr(owner, name)
    def act_slowly(*arguments, **named):
        time.sleep(before)
        result = act(*arguments, **named)
        time.sleep(after)
        return result
    setattr(owner, name, act_slowly)

hesitate(S3Backend, "get_object", after=0.1)
hesitate(StateMachine, "_handle_name_input_idempotency", after=0.1)
hesitate(Table, "get_item", after=0.1)
hesitate(CallbackEndpoint, "setup_heartbeat_endpoint", before=0.5)
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
def hesitant(program: str, *arguments: str) -> Iterator[EmulatedAws]:
    command = [sys.executable, "-c", HESITATION + program, *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield EmulatedAws(json.loads(process.stdout.readline())["endpoint"])
        process.terminate()


@pytest.fixture(scope="module")
def closed_gaps(tmp_path_factory: pytest.TempPathFactory, runtime: Path) -> Iterator[EmulatedAws]:
    state = tmp_path_factory.mktemp("hesitant")
    with hesitant(EMULATOR, f"--state={state}", f"--runtime={runtime}") as running:
        yield running


@pytest.fixture(scope="module")
def moto_as_it_is() -> Iterator[EmulatedAws]:
    with hesitant(MOTO) as running:
        yield running


def test_every_gap_has_a_probe() -> None:
    assert PROBES.keys() == GAPS.keys()


@pytest.mark.parametrize("name", PROBES)
def test_the_emulator_does_as_aws_does(name: str, closed_gaps: EmulatedAws) -> None:
    assert PROBES[name].ask(closed_gaps) == PROBES[name].on_aws


@pytest.mark.parametrize("name", PROBES)
def test_moto_alone_still_has_the_gap(name: str, moto_as_it_is: EmulatedAws) -> None:
    try:
        answer = PROBES[name].ask(moto_as_it_is)
    except Exception as error:  # whatever moto cannot do at all
        answer = error

    assert answer != PROBES[name].on_aws, f"moto has closed {name} by itself: the patch can go"
