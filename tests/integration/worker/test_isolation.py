"""What the agent and the repository cannot do."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from local.model.steps import ScriptedStep, ToolCall, statement_call
from tests.integration.worker.harness import HANG_SECONDS, Deployment, Remote, Worker
from tests.integration.worker.test_stopped_jobs import confined_processes
from tests.support.model_client import StandInClient
from webordinary.contract.outcomes import Failure

StartWorker = Callable[..., Worker]


def user_of(process: Path) -> int:
    """From the status file: root owns the /proc folder of a non-dumpable process."""
    status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
    return int(status["Uid"].split()[0])


def command_line(process: Path) -> list[str]:
    return (process / "cmdline").read_text().split("\0")


def read_if_allowed(path: Path) -> bytes:
    """Only root can read a non-dumpable process."""
    try:
        return path.read_bytes()
    except PermissionError:
        return b""


def test_agent_sees_no_cloud_credentials(
    deployment: Deployment, remote: Remote, start_worker: StartWorker, model: StandInClient
) -> None:
    remote.push_main()
    model.script(ScriptedStep(hang=HANG_SECONDS, text="Hm."), when="Take your time.")
    worker = start_worker()
    deployment.dispatch(deployment.mail("Take your time."))
    model.wait_until_hanging(when="Take your time.")

    environments = [(folder / "environ").read_bytes() for folder in confined_processes(worker)]

    assert len(environments) >= 2  # the agent's process and Claude Code
    assert not [found for found in environments if b"AWS_" in found or worker.secret in found]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start processes as another user")
def test_agent_build_and_package_manager_run_as_separate_users(
    deployment: Deployment, remote: Remote, shared_folder: Path, start_worker: StartWorker, model: StandInClient
) -> None:
    remote.push_main()
    page = ToolCall(name="Write", input={"file_path": "public/by-the-agent.txt", "content": "hello"})
    model.script(
        ScriptedStep(tools=(page,)), ScriptedStep(tools=(statement_call(),), hang=HANG_SECONDS), when="Write a file."
    )
    worker = start_worker(
        WEBORDINARY_AGENT_UID="12345",
        WEBORDINARY_SITE_UID="12346",
        WEBORDINARY_INSTALL_UID="12348",
        WEBORDINARY_CACHE=str(shared_folder / "cache"),
        WEBORDINARY_WORKSPACE=str(shared_folder / "workspace"),
    )
    job = deployment.mail("Write a file.")
    deployment.dispatch(job)
    model.wait_until_hanging(when="Write a file.")
    worker.wait_for("base_built")  # packages are installed by then

    processes = [(user_of(folder), *command_line(folder)) for folder in confined_processes(worker)]
    model.resume()
    outcome = deployment.outcome_of(job)

    assert 12345 in {user for user, *_ in processes}
    others = [words for user, *words in processes if user not in (12345, 12346)]
    # The preloading process of the next agent.
    assert [words[1:4] for words in others] in ([], [["-P", "-m", "webordinary_worker.agent.child"]])
    assert outcome.state == "done", outcome
    assert deployment.page("by-the-agent.txt") == "hello"
    assert outcome.usage.input_tokens > 0
    built = next(shared_folder.glob("workspace/*/*/build/tree/node_modules"))
    assert (built.stat().st_uid, (built / "astro/package.json").stat().st_uid) == (12346, 12348)
    downloaded = [path for path in (shared_folder / "cache").glob("npm*/**/*") if path.is_file()]
    assert {path.stat().st_uid for path in downloaded} == {12348}


def test_model_key_is_in_no_environment(
    deployment: Deployment, remote: Remote, start_worker: StartWorker, model: StandInClient
) -> None:
    remote.push_main()
    model.script(ScriptedStep(hang=HANG_SECONDS, text="Hm."), when="Take your time.")
    worker = start_worker(ANTHROPIC_API_KEY="the-real-key")
    deployment.dispatch(deployment.mail("Take your time."))
    model.wait_until_hanging(when="Take your time.")

    agents = [(folder / "environ").read_bytes() for folder in confined_processes(worker)]
    own = read_if_allowed(Path(f"/proc/{worker.process.pid}/environ"))

    assert agents
    assert not [found for found in (*agents, own) if b"the-real-key" in found or worker.secret in found]


def test_build_that_needs_the_network_fails_with_a_clear_message(
    deployment: Deployment, remote: Remote, start_worker: StartWorker
) -> None:
    remote.write(
        "src/pages/online.astro", "---\nconst page = await fetch('http://127.0.0.1:9/');\n---\n<p>{page.url}</p>"
    )
    remote.push_main()
    job = deployment.mail("build", command="build")
    start_worker()
    deployment.dispatch(job)

    outcome = deployment.outcome_of(job)

    assert outcome.failure == Failure.NETWORK_REFUSED, outcome


def test_repository_hooks_and_scripts_do_not_run(
    deployment: Deployment, remote: Remote, start_worker: StartWorker, model: StandInClient, tmp_path: Path
) -> None:
    trace = tmp_path / "trace"
    command = f"touch {trace}"
    hook = {"hooks": [{"type": "command", "command": command}]}
    remote.write(
        ".claude/settings.json",
        json.dumps({"hooks": {event: [hook] for event in ("SessionStart", "UserPromptSubmit", "Stop")}}),
    )
    remote.write(".mcp.json", json.dumps({"mcpServers": {"evil": {"command": "touch", "args": [str(trace)]}}}))
    remote.write(".gitattributes", "* filter=evil\n")
    remote.write("webordinary_worker/__init__.py", f"open({str(trace)!r}, 'w')")
    for name in ("pre-commit", "post-checkout", "pre-push"):
        remote.write(f"hooks/{name}", f"#!/bin/sh\n{command}\n").chmod(0o755)
    remote.push_main()
    job = deployment.mail('Change "Bread" to "Safe bread".')
    start_worker()
    deployment.dispatch(job)

    outcome = deployment.outcome_of(job)

    assert outcome.state == "done", outcome
    assert not trace.exists()


def test_agent_cannot_read_or_write_outside_its_tree(
    deployment: Deployment, remote: Remote, start_worker: StartWorker, model: StandInClient, tmp_path: Path
) -> None:
    secret, target = tmp_path / "secret.txt", tmp_path / "written.txt"
    secret.write_text("a secret of the worker")
    remote.push_main()
    job = deployment.mail("Look around, please.")
    reading = ToolCall(name="Read", input={"file_path": str(secret)})
    writing = ToolCall(name="Write", input={"file_path": str(target), "content": "x"})
    packages = ToolCall(name="Write", input={"file_path": "package.json", "content": "{}"})
    model.script(
        ScriptedStep(tools=(reading, writing, packages)),
        ScriptedStep(tools=(statement_call(),)),
        when="Look around, please.",
    )
    start_worker()
    deployment.dispatch(job)

    outcome = deployment.outcome_of(job)

    requests = str([request.body for request in model.requests(when="Look around, please.")])
    assert "a secret of the worker" not in requests
    assert not target.exists()
    assert outcome.changed_files == ()


def test_link_out_of_the_repository_is_not_deployed(
    deployment: Deployment, remote: Remote, start_worker: StartWorker, tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_text("a secret of the worker")
    remote.link("public/harmless.txt", str(tmp_path / "secret.txt"))
    remote.push_main()
    job = deployment.mail("build", command="build")
    start_worker()
    deployment.dispatch(job)

    outcome = deployment.outcome_of(job)

    assert outcome.failure == Failure.LINK_LEAVES_SITE
    assert deployment.preview_files() == []
