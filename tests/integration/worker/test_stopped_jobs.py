"""Workers killed, shut down or interrupted during a job: nothing is lost or done twice."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from local.model.steps import ScriptedStep, ToolCall
from tests.integration.worker.harness import HANG_SECONDS, HOME_PAGE, OTHER_THREAD, Deployment, Remote, Worker
from tests.support.model_client import StandInClient
from tests.support.world import PAIR
from webordinary.tables.jobs import JobState
from webordinary_worker.confinement.processes import MARKER

StartWorker = Callable[..., Worker]
EDIT = 'Change "Bread" to "Warm bread".'
NO_EDIT = "There is nothing to change in this mail."
PARTIAL = ToolCall(name="Write", input={"file_path": "public/partial.txt", "content": "half a thought"})


def confined_processes(worker: Worker) -> Iterator[Path]:
    """The /proc folders of the worker's confined processes."""
    mark = f"{MARKER}=".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue
        if mark in environment and str(worker.workspace).encode() in environment:
            yield folder


def wait_for_exit(worker: Worker) -> list[Path]:
    until = time.monotonic() + HANG_SECONDS
    while (left := list(confined_processes(worker))) and time.monotonic() < until:
        time.sleep(0.05)  # only the dead parent would be notified
    return left


def test_next_worker_runs_the_job_of_a_killed_worker(
    deployment: Deployment, remote: Remote, start_worker: StartWorker, model: StandInClient
) -> None:
    remote.push_main()
    job = deployment.mail(NO_EDIT)
    model.script(ScriptedStep(hang=HANG_SECONDS, text="Let me think."), when=NO_EDIT)
    killed = start_worker()
    deployment.dispatch(job)
    model.wait_until_hanging(when=NO_EDIT)

    killed.process.send_signal(signal.SIGKILL)
    left = wait_for_exit(killed)
    deployment.end_task(killed.task_id)
    start_worker()
    outcome = deployment.outcome_of(job)

    assert left == [], "the agent outlived its worker"
    assert outcome.state == "done", outcome


def test_worker_shutting_down_requeues_its_job(
    deployment: Deployment, remote: Remote, start_worker: StartWorker, model: StandInClient
) -> None:
    remote.push_main()
    job = deployment.mail(EDIT)
    model.script(ScriptedStep(tools=(PARTIAL,)), ScriptedStep(hang=HANG_SECONDS, text="Let me think."), when=EDIT)
    leaving = start_worker()
    deployment.dispatch(job)
    model.wait_until_hanging(when=EDIT)

    code = leaving.stop()

    assert code == 0
    assert deployment.jobs.get(PAIR, job.job_id).state == JobState.WAITING
    start_worker()
    assert deployment.outcome_of(job).state == "done"
    assert remote.subjects() == ["Bread → Warm bread"]


def test_newer_job_of_the_thread_preempts_and_keeps_partial_work(
    deployment: Deployment, remote: Remote, start_worker: StartWorker, model: StandInClient
) -> None:
    remote.push_main()
    running = deployment.mail("Write something long.")
    model.script(
        ScriptedStep(tools=(PARTIAL,)), ScriptedStep(hang=HANG_SECONDS, text="Hm."), when="Write something long."
    )
    worker = start_worker()
    deployment.dispatch(running)
    model.wait_until_hanging(when="Write something long.")

    newer = deployment.mail("commit", command="commit")
    deployment.dispatch(newer)
    deployment.interrupt(running, newer)

    assert deployment.outcome_of(running).state == "preempted"
    assert deployment.outcome_of(newer).state == "done"
    assert remote.subjects() == ["half a thought", "resumed: partial work", "interrupted: Write something long."]
    assert worker.process.poll() is None


def test_newer_job_of_another_thread_goes_first_and_the_older_resumes(
    deployment: Deployment, remote: Remote, start_worker: StartWorker, model: StandInClient
) -> None:
    remote.push_main()
    running = deployment.mail(EDIT)
    model.script(ScriptedStep(hang=HANG_SECONDS, text="Hm."), when=EDIT)
    worker = start_worker()
    deployment.dispatch(running)
    model.wait_until_hanging(when=EDIT)

    newer = deployment.mail("commit", thread=OTHER_THREAD, command="commit")
    deployment.dispatch(newer)
    deployment.interrupt(running, newer)
    worker.wait_for("agent_finished", interrupted=True)

    assert deployment.outcome_of(newer).state == "done"
    assert deployment.jobs.get(PAIR, running.job_id).outcome is None
    assert deployment.outcome_of(running).state == "done"
    assert "Warm bread" in remote.show(HOME_PAGE)
