"""Waits for workers of the running system by polling, because a worker's end has no event."""

from __future__ import annotations

import time

from local.stack.stack import Stack
from webordinary.contract.settings import Timing
from webordinary.tables.workers import WorkerEntry, WorkersTable

TIMEOUT_SECONDS = 120.0


def slots(stack: Stack) -> list[WorkerEntry]:
    """The slots of the fleet that are taken."""
    timing = Timing.model_validate(stack.outputs["timing"])
    return WorkersTable(stack.emulated.client("dynamodb"), stack.names, timing).all()


def wait_until_no_workers(stack: Stack) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while stack.workers.running() or slots(stack):
        assert time.monotonic() < deadline, f"{stack.workers.running()} still running, {slots(stack)} are taken"
        time.sleep(0.2)


def first_worker(stack: Stack) -> str:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not stack.workers.running():
        assert time.monotonic() < deadline, "no worker started"
        time.sleep(0.02)
    return stack.workers.running()[0]
