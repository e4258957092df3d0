"""The agent's process: its input, environment, interruption and end. A small shell script replaces it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.support.cancelling import cancel_once_there
from tests.support.model_proxies import agent_of
from webordinary.protocol.worker.run import CancelReason
from webordinary_worker.agent import process
from webordinary_worker.agent.agent import Agent
from webordinary_worker.agent.home import AgentHome
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.agent.wire import AgentReport
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.proxies.usage_meter import Meter
from webordinary_worker.settings import WorkerSettings

SOON = 120.0  # only a hang reaches it
RESULT = '{"summary": "Done.", "session_id": "one"}'
READ_TASK = (
    'echo started >> started\nread setup\necho "$setup" > setup\nread prompt\necho "$prompt" > prompt\n'
    'echo "$@" > arguments\nenv > environment\n'
)


class Bench:
    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.home = AgentHome(folder / "agent")
        self.cancellation = CancellationToken()
        self._program = folder / "python"
        self._patch = patch

    def script(self, text: str) -> None:
        """Sets what the process does after reading its task."""
        self._program.write_text(f"#!/bin/sh\n{READ_TASK}{text}\n")
        self._program.chmod(0o755)
        self._patch.setattr(sys, "executable", str(self._program))

    @cached_property
    def agent(self) -> Agent:
        settings = WorkerSettings(
            account="123456789012",
            container_id="worker-1",
            slot="slot-0001",
            launch_id="launch1",
            workspace=self.folder,
            cache=self.folder,
            node_folder=Path("/opt/node"),
            agent_model="claude-sonnet-5",
            agent_small_model="claude-haiku-5-5",
            agent_max_turns=7,
            agent_max_dollars=2.0,
            agent_retries=3,
            network_environment={"HTTPS_PROXY": "http://proxy.example.com"},
            model_environment={"ANTHROPIC_API_KEY": "for the worker alone"},
        )
        return agent_of(settings, Confinement("test"))

    def run(self, **more: Any) -> AgentResult:
        arguments: dict[str, Any] = {
            "tree": self.folder / "tree",
            "home": self.home,
            "session_id": "one",
            "spent": 0.5,
            **more,
        }
        return self.agent.run("Please.", job_dollars=0.0, cancellation=self.cancellation, **arguments)

    def cancel_once_ready(self, reason: CancelReason) -> None:
        """Cancels as soon as the process has written the file `ready`."""
        cancel_once_there(self.home.root / "ready", self.cancellation, reason)

    def prepare_next(self, **more: Any) -> None:
        arguments: dict[str, Any] = {"session_id": "one", "spent": 0.5, **more}
        self.agent.prepare_next(tree=self.folder / "tree", home=self.home, **arguments)

    def started(self) -> int:
        """The number of processes started so far."""
        return len(self.read("started").splitlines())

    def read(self, name: str) -> str:
        return (self.home.root / name).read_text()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    bench = Bench(tmp_path, monkeypatch)
    bench.script(f"echo '{RESULT}'")
    yield bench
    bench.agent.close()


def test_setup_has_prompt_model_and_limits(bench: Bench) -> None:
    bench.run()

    task = json.loads(bench.read("setup"))
    assert json.loads(bench.read("prompt")) == {"prompt": "Please."}
    assert (task["session_id"], task["model"]) == ("one", "claude-sonnet-5")
    assert (task["max_turns"], task["max_dollars"]) == (7, 2.5)
    assert task["tree"] == str(bench.folder / "tree")
    assert task["read_folders"] == [str(bench.home.context)]
    assert "edit a website" in task["system_prompt"]


def test_small_request_is_answered_by_the_small_model(bench: Bench) -> None:
    bench.run(small=True)

    assert json.loads(bench.read("setup"))["model"] == "claude-haiku-5-5"


@pytest.mark.parametrize(("daily_rest", "bound"), [(0.75, 0.75), (9.0, 2.0), (None, 2.0)])
def test_budget_is_the_smaller_of_job_limit_and_daily_rest(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, daily_rest: float | None, bound: float
) -> None:
    budgets: list[float] = []
    monkeypatch.setattr(Meter, "grant", lambda _, budget, __: budgets.append(budget))

    bench.run(most_dollars=daily_rest)

    assert budgets == [bound]


def test_modules_in_the_working_folder_are_not_imported(bench: Bench) -> None:
    bench.run()

    assert bench.read("arguments").startswith("-P -m webordinary_worker.agent.child ")


def test_agents_environment_has_the_proxy_but_no_credentials(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not for the agent")

    bench.run()

    environment = dict(line.split("=", 1) for line in bench.read("environment").splitlines() if "=" in line)
    assert not [name for name in environment if name.startswith("AWS_")]
    assert "for the worker alone" not in bench.read("environment")
    assert environment["ANTHROPIC_BASE_URL"].startswith("http://127.0.0.1:")
    assert len(environment["ANTHROPIC_API_KEY"]) > 30
    assert "HTTPS_PROXY" not in environment
    assert environment["PATH"].startswith("/opt/node:")
    assert (environment["HOME"], environment["TMPDIR"]) == (str(bench.home.home), str(bench.home.temporary))
    assert environment["CLAUDE_CONFIG_DIR"] == str(bench.home.config)
    assert environment["CLAUDE_CODE_MAX_RETRIES"] == "3"
    assert {environment["DISABLE_TELEMETRY"], environment["DISABLE_AUTOUPDATER"]} == {"1"}


def test_agents_folders_are_private(bench: Bench) -> None:
    bench.run()

    folders = (bench.home.home, bench.home.config, bench.home.temporary)
    assert [folder.stat().st_mode & 0o777 for folder in folders] == [0o700] * 3
    assert bench.home.root.stat().st_mode & 0o777 == 0o710


def test_usage_is_metered_by_the_worker(bench: Bench) -> None:
    bench.script("""echo '{"input_tokens": -7, "output_tokens": 9, "dollars": -1, "over_budget": true}'""")

    assert bench.run() == AgentResult()


def test_dollars_of_the_current_turn_are_those_of_its_meter(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[float] = []
    monkeypatch.setattr(Meter, "usage", lambda _: {"dollars": 0.25})
    monkeypatch.setattr(Meter, "grant", lambda *_: counted.append(bench.agent.turn_dollars))

    assert bench.agent.turn_dollars == 0.0
    bench.run()

    assert counted == [0.25]
    assert bench.agent.turn_dollars == 0.0


def test_proxy_token_is_valid_for_one_turn(bench: Bench) -> None:
    tokens = set()
    for _ in range(2):
        bench.run()
        tokens.add(next(line for line in bench.read("environment").splitlines() if "API_KEY" in line))

    assert len(tokens) == 2


def test_last_result_line_counts(bench: Bench) -> None:
    bench.script(f"""echo '{{"summary": "not yet"}}'; echo '{RESULT}'; echo some other words""")

    assert bench.run() == AgentResult(summary="Done.", session_id="one")


def test_invalid_statement_is_ignored_and_the_summary_kept(bench: Bench) -> None:
    bench.script("""echo '{"summary": "Done.", "statement": {"kind": "miracle", "language": 7}}'""")

    assert bench.run() == AgentResult(summary="Done.")


def test_next_process_loads_during_a_model_request(bench: Bench) -> None:
    bench.script(f"""
        curl --silent --max-time 5 --header "x-api-key: $ANTHROPIC_API_KEY" --data '{{"model": "claude-sonnet-5"}}' \
            "$ANTHROPIC_BASE_URL/v1/messages" > /dev/null
        until [ "$(grep --count . started)" -ge 2 ]; do sleep 0.01; done
        echo '{RESULT}'""")
    bench.run()

    assert bench.agent._loading is not None
    _, loading = bench.agent._loading
    bench.prepare_next()

    assert bench.agent._prepared is loading
    assert loading.is_alive
    assert bench.started() == 2


def test_lone_surrogate_is_replaced_and_the_result_kept() -> None:
    line = AgentReport(summary="Grüße \ud83d", session_id="one").line()

    assert AgentResult.model_validate_json(line) == AgentResult(summary="Grüße ?", session_id="one")


def test_agent_that_ends_without_a_result_has_failed(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.script("echo out of memory >&2; exit 1")

    assert bench.run() == AgentResult(is_error=True)
    assert [vars(record).get("agent_errors") for record in caplog.records] == ["out of memory\n"]


def test_agent_that_dies_at_once_has_failed(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")

    assert bench.run().is_error


def test_interrupt_is_sent_in_band(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "GRACE_SECONDS", SOON)
    bench.script('> ready; read interrupt; echo \'{"interrupted": true, "summary": "As far as I got."}\'')
    bench.cancel_once_ready(CancelReason.INTERRUPTED)

    result = bench.run()

    assert (result.interrupted, result.summary) == (True, "As far as I got.")


def test_agent_that_ignores_an_interrupt_is_killed(bench: Bench) -> None:
    bench.script(f"echo '{RESULT}' > ready; sleep 600")
    bench.cancel_once_ready(CancelReason.INTERRUPTED)
    started = time.monotonic()

    assert bench.run().is_error
    assert time.monotonic() - started >= process.GRACE_SECONDS


@pytest.mark.parametrize("reason", [CancelReason.LOST, CancelReason.SHUTDOWN, CancelReason.TIMED_OUT])
def test_other_cancellations_kill_the_agent_at_once(bench: Bench, reason: CancelReason) -> None:
    bench.script("> ready; read interrupt; echo asked > asked; echo '{}'")
    bench.cancel_once_ready(reason)

    assert bench.run().is_error
    assert not (bench.home.root / "asked").exists()


def test_processes_left_by_the_agent_are_killed(bench: Bench) -> None:
    bench.script(f"sleep 600 > /dev/null & echo $! > child; echo '{RESULT}'")

    bench.run()

    child = Path(f"/proc/{int(bench.read('child'))}/stat")
    until = time.monotonic() + SOON
    while child.exists() and child.read_text().rpartition(")")[2].split()[0] != "Z" and time.monotonic() < until:
        time.sleep(0.02)  # only its parent is notified
    assert not child.exists() or child.read_text().rpartition(")")[2].split()[0] == "Z"


def test_prepared_process_runs_the_next_turn(bench: Bench) -> None:
    bench.prepare_next()
    assert bench.agent.is_prepared(tree=bench.folder / "tree", home=bench.home, session_id="one", spent=0.5)

    assert bench.run() == AgentResult(summary="Done.", session_id="one")

    assert bench.started() == 1
    assert json.loads(bench.read("prompt")) == {"prompt": "Please."}
    assert not bench.agent.is_prepared(tree=bench.folder / "tree", home=bench.home, session_id="one", spent=0.5)


def test_preloaded_process_is_set_up_for_its_turn(bench: Bench) -> None:
    bench.agent.preload(bench.home)
    bench.agent.preload(bench.home)

    assert bench.run(session_id="two").summary == "Done."

    assert bench.started() == 1
    assert json.loads(bench.read("setup"))["session_id"] == "two"


@pytest.mark.parametrize("other", [{"session_id": "two"}, {"spent": 1.5}])
def test_process_with_another_setup_is_not_used(bench: Bench, other: dict[str, Any]) -> None:
    bench.prepare_next()

    assert bench.run(**other).summary == "Done."

    task = json.loads(bench.read("setup"))
    assert (task["session_id"], task["max_dollars"]) == (other.get("session_id", "one"), other.get("spent", 0.5) + 2.0)


def test_prepared_process_that_died_is_replaced(bench: Bench) -> None:
    bench.script(f"echo '{RESULT}'")
    working = bench._program.read_text()
    bench._program.write_text("#!/bin/sh\nexit 1\n")
    bench.prepare_next()
    bench._program.write_text(working)

    assert bench.run().summary == "Done."


def test_prepared_process_that_dies_is_replaced_unless_it_used_the_model(bench: Bench) -> None:
    bench.script(f"[ $(wc -l < started) -gt 1 ] || exit 1\necho '{RESULT}'")
    bench.prepare_next()

    assert bench.run().summary == "Done."
    assert bench.started() == 2


def test_process_that_was_not_prepared_is_not_retried(bench: Bench) -> None:
    bench.script("exit 1")

    assert bench.run().is_error
    assert bench.started() == 1


def test_proxy_rejects_requests_before_the_prompt(bench: Bench) -> None:
    bench.prepare_next()
    assert bench.agent._prepared is not None
    proxy = bench.agent._prepared.proxy
    request = Request(f"{proxy.url}/v1/messages", b'{"model": "any"}', {"x-api-key": proxy.token})  # noqa: S310

    with pytest.raises(HTTPError) as refused:
        urlopen(request)  # noqa: S310
    assert refused.value.code == 403


def test_only_one_process_is_prepared_at_a_time(bench: Bench) -> None:
    bench.prepare_next()
    assert bench.agent._prepared is not None
    first = bench.agent._prepared

    bench.agent.preload(AgentHome(bench.folder / "other"))

    assert not first.is_alive


def test_agent_child_imports_only_what_it_needs() -> None:
    unneeded = ("mcp.server.", "pydantic.", "botocore.", "webordinary.")
    loaded = f"[name for name in sys.modules if name.startswith({unneeded})]"
    completed = subprocess.run(
        [sys.executable, "-c", f"import sys, webordinary_worker.agent.child; print({loaded})"],
        env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=True,
        capture_output=True,
        text=True,
    )

    assert completed.stdout == "[]\n"
