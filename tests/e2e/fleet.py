"""Waits for workers of the running system by polling, because a worker's end has no event."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

from local.stack.stack import Stack
from tests.e2e.conftest import TIMEOUT_SECONDS
from webordinary.contract.settings import Timing
from webordinary.tables.jobs import JobsTable
from webordinary.tables.workers import WorkerEntry, WorkersTable


def slots(stack: Stack) -> list[WorkerEntry]:
    """The slots of the fleet that are taken."""
    timing = Timing.model_validate(stack.outputs["timing"])
    return WorkersTable(stack.emulated.client("dynamodb"), stack.names, timing).all()


def stop_workers(stack: Stack) -> None:
    """Stops the workers as ECS does, after they have finished their jobs, and waits until their slots are free."""
    jobs, ecs = JobsTable(stack.emulated.client("dynamodb"), stack.names), stack.emulated.client("ecs")
    deadline, stopped = time.monotonic() + TIMEOUT_SECONDS, set[str]()
    while stack.workers.running() or slots(stack):
        open_jobs = [job.job_id for job in jobs.open_jobs()]
        assert time.monotonic() < deadline, f"{stack.workers.running()}, {slots(stack)}, open jobs: {open_jobs}"
        for task in set() if open_jobs else {*stack.workers.task_ids()} - stopped:
            ecs.stop_task(cluster=stack.outputs["workers"]["cluster"], task=task)
            stopped.add(task)
        time.sleep(0.1)


def wait_until_no_workers(stack: Stack) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while stack.workers.running() or slots(stack):
        assert time.monotonic() < deadline, f"{stack.workers.running()} still running, {slots(stack)} are taken"
        time.sleep(0.1)


@contextmanager
def short_idle_time(stack: Stack) -> Iterator[None]:
    """Workers that start in the block end by themselves, one second after their last job."""
    stop_workers(stack)
    short = dict.fromkeys(("idle_seconds", "idle_after_question_seconds", "idle_after_end_seconds"), 1)
    stack.workers.overrides = {"WEBORDINARY_TIMING": json.dumps({**stack.outputs["timing"], **short})}
    try:
        yield
    finally:
        stack.workers.overrides = {}


def first_worker(stack: Stack) -> str:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not stack.workers.running():
        assert time.monotonic() < deadline, "no worker started"
        time.sleep(0.02)
    return stack.workers.running()[0]
