"""Function sandboxes without the emulator."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from local.emulator.environment import lambda_environment
from local.emulator.fleet import FunctionPool
from local.emulator.functions import Sandbox
from tests.integration.emulator.support import eventually, is_gone, run_concurrently

ROOT = Path(__file__).resolve().parents[3]
HANDLER = """
import os, subprocess, time

print("loading")

def handler(event, context):
    print("handling", event.get("name"))
    if event.get("child"):
        child = subprocess.Popen(["sleep", "600"])
        print("child", child.pid)
        time.sleep(600)
    if event.get("seconds"):
        time.sleep(event["seconds"])
    if event.get("meeting"):  # until three processes have come
        open(f"{event['meeting']}/{os.getpid()}", "w").close()
        while len(os.listdir(event["meeting"])) < 3:
            time.sleep(0.02)
    return {"arn": context.invoked_function_arn, "name": context.function_name, "process": os.getpid()}
"""
OWNER = """
import sys
from pathlib import Path
from local.emulator.functions import Sandbox

task_root, runtime = map(Path, sys.argv[1:])
show = lambda line: print(line, flush=True)
sandbox = Sandbox(task_root=task_root, python_path=[runtime], environment={}, timeout=60, on_log=show)
sandbox.invoke({"seconds": 60})
"""


@pytest.fixture
def task_root(tmp_path: Path) -> Path:
    (tmp_path / "handler.py").write_text(HANDLER)
    return tmp_path


@pytest.fixture
def new_sandbox(task_root: Path, runtime: Path) -> Iterator[Callable[..., Sandbox]]:
    created: list[Sandbox] = []

    def make(timeout: float = 120.0, on_log: Callable[[str], None] = lambda _: None) -> Sandbox:
        variables = lambda_environment(
            name="greeter", region="us-east-1", endpoint="http://127.0.0.1:1", variables={"SITE": "example.org"}
        )
        sandbox = Sandbox(
            task_root=task_root, python_path=[runtime], environment=variables, timeout=timeout, on_log=on_log
        )
        created.append(sandbox)
        return sandbox

    yield make
    for sandbox in created:
        sandbox.close()


def test_invocation_has_result_and_report(new_sandbox: Callable[..., Sandbox]) -> None:
    invocation = new_sandbox().invoke({})

    assert invocation.error is None
    assert isinstance(invocation.result, dict)
    assert invocation.result["name"] == "greeter"
    assert invocation.init_ms is not None
    assert "Init Duration" in invocation.report


def test_logs_are_separated_by_invocation(new_sandbox: Callable[..., Sandbox]) -> None:
    sandbox = new_sandbox()

    logs = [sandbox.invoke({"name": name}).logs for name in ("Ada", "Bob")]

    assert logs == ["loading\nhandling Ada\n", "handling Bob\n"]


def test_lines_are_forwarded_as_they_are_printed(new_sandbox: Callable[..., Sandbox]) -> None:
    lines: list[str] = []

    new_sandbox(on_log=lines.append).invoke({"name": "Ada"})

    assert lines == ["loading", "handling Ada"]


def test_import_error_fails_the_invocation(new_sandbox: Callable[..., Sandbox], task_root: Path) -> None:
    (task_root / "handler.py").write_text("import no_such_module")

    error = new_sandbox().invoke({}).error

    assert error is not None
    assert (error.type, "no_such_module" in error.message) == ("Runtime.ImportModuleError", True)


def test_timeout_kills_child_processes(new_sandbox: Callable[..., Sandbox]) -> None:
    for seconds in (0.5, 4, 32):  # on a busy machine the function may need longer to start its child
        invocation = new_sandbox(timeout=seconds).invoke({"child": True})
        if "child " in invocation.logs:
            break

    assert invocation.error is not None
    assert invocation.error.type == "Sandbox.Timedout"
    child = int(invocation.logs.rsplit("child ", 1)[1])
    assert eventually(lambda: is_gone(child) or None)  # killed at once, but reaped later


def test_closed_pool_leaves_no_process(new_sandbox: Callable[..., Sandbox], tmp_path: Path) -> None:
    pool = FunctionPool(new_sandbox)
    meeting = tmp_path / "meeting"
    meeting.mkdir()
    invocations = run_concurrently(3, lambda _: pool.invoke({"meeting": str(meeting)}))
    processes = {result["process"] for result in (invocation.result for invocation in invocations)}  # type: ignore[index]

    pool.close()

    assert (len(processes), [is_gone(process) for process in processes]) == (3, [True] * 3)


@pytest.mark.skipif(sys.platform != "linux", reason="parent death signals are Linux only")
def test_function_ends_with_its_parent(task_root: Path, runtime: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(task_root), str(runtime)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    next(line for line in owner.stdout if line.startswith("handling"))
    [function] = psutil.Process(owner.pid).children()

    owner.kill()
    owner.wait()

    assert eventually(lambda: is_gone(function.pid) or None)
