"""Promises about the world as a whole, checked after every step and at the end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tests.model.expressions import Item
from tests.model.fixtures import MARGIN, NAMES, START, TIMING
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.ownership import WorkerRequest

if TYPE_CHECKING:
    from tests.model.world import World


def require_one_owner(world: World) -> None:
    if world.faults.clock_beyond_margin:
        return  # then only fences protect, and the monitor checks those
    leases = [process.host.lease for process in world.processes]
    acting = [lease.ownership.pair.key for lease in leases if lease is not None and not lease.is_lost]
    world.monitor.require(len(acting) == len(set(acting)), f"two workers hold a lease of one pair: {acting}")


def require_maximum(world: World) -> None:
    """Neither taken slots nor registered workers exceed the maximum."""
    taken = [item for item in world.table.items(NAMES.table("workers")) if "launchId" in item]
    # A registered worker counts until its process ends, also during its cleanup.
    serving = [process.host.container_id for process in world.processes if process.host.is_registered]
    world.monitor.require(len(taken) <= world.maximum, f"{len(taken)} slots taken exceed the maximum {world.maximum}")
    world.monitor.require(len(serving) <= world.maximum, f"{serving} exceed the maximum {world.maximum}")


def requests_wait_with_free_slots(world: World) -> bool:
    """Whether a job of an unowned pair waits for a worker although one could be started."""
    requested = {item["projectKey"]["S"] for item in world.table.items(NAMES.table("worker_requests"))}
    waiting = {item["projectKey"]["S"] for item in world.table.items(NAMES.table("jobs")) if _waits(item)}
    taken = [
        item
        for item in world.table.items(NAMES.table("workers"))
        if "launchId" in item and not _is_overdue(world, item)
    ]
    coming = [item for item in taken if item["phase"]["S"] in ("starting", "idle")]
    return bool(requested & waiting - owned(world)) and not coming and len(taken) < world.maximum


def _is_overdue(world: World, item: Item) -> bool:
    """Whether the worker should have registered long ago and is not being stopped."""
    patience = (TIMING.worker_start_seconds + 2 * TIMING.sweep_seconds) * 1000
    since = int(item["since"]["N"]) - START.timestamp() * 1000
    return item["phase"]["S"] == "starting" and since + patience < world.now


def _waits(item: Item) -> bool:
    return bool(item["state"]["S"] == "waiting")


def require_waiting_jobs_handled(world: World) -> None:
    """Without a sweep, a waiting job has an owner, a worker request, or a run that is about to request one."""
    items = world.table.items(NAMES.table("jobs"))
    for pair in {item["projectKey"]["S"] for item in items if item["state"]["S"] == "waiting"}:
        handled = (
            _has_worker_request(world, pair)
            or _is_in_progress(world, pair)
            or pair in owned(world) | _taken_over_by_fleet(world)
        )
        world.monitor.require(handled, f"{pair}: a waiting job has no owner and no worker request")


def unsettled(world: World) -> list[str]:
    """What has yet to end: mails, task tokens, messages and leases."""
    unanswered = [mail.job.job_id for mail in world.executions.mails if not mail.answers]
    answered = {mail.job.job_id for mail in world.executions.mails if mail.answers}
    # A duplicate message of a finished job may remain: the next owner deletes it, or it expires.
    messages = [f"a message in {queue}" for queue, body in world.queues.remaining() if not _is_obsolete(body, answered)]
    open_tokens = [item["jobId"]["S"] for item in world.table.items(NAMES.table("jobs")) if "taskToken" in item]
    return unanswered + open_tokens + messages + sorted(owned(world))


def owned(world: World) -> set[str]:
    """Pairs whose stored lease has not expired."""
    now = START.timestamp() * 1000 + world.now - MARGIN
    items = world.table.items(NAMES.table("ownership"))
    return {i["projectKey"]["S"] for i in items if "leaseExpiresAt" in i and int(i["leaseExpiresAt"]["N"]) >= now}


def _has_worker_request(world: World, pair: str) -> bool:
    requests = world.queues.messages(NAMES.queue("unclaimed"))
    return any(WorkerRequest.read(message.body).pair.key == pair for message in requests)


def _is_in_progress(world: World, pair: str) -> bool:
    mails = [mail for mail in world.executions.mails if mail.job.pair.key == pair]
    busy = [pair for p in world.processes for pair in (p.host.opening_pair, p.host.leaving_pair) if pair is not None]
    return any(mail.is_being_dispatched for mail in mails) or Pair.from_key(pair) in busy


def _taken_over_by_fleet(world: World) -> set[str]:
    """Pairs for which a fleet run is about to request a worker, because the task of their worker has ended."""
    runs = world.running("fleet")
    workers = [item for item in world.table.items(NAMES.table("workers")) if "taskId" in item and "pair" in item]
    ended = {item["pair"]["S"] for item in workers if world.ecs.tasks[item["taskId"]["S"]].stopped} if runs else set()
    recorded = {item["projectKey"]["S"] for item in world.table.items(NAMES.table("worker_requests"))}
    return ended | (recorded if any(run.about_to == "send_message" for run in runs) else set())


def _is_obsolete(body: str, answered: set[str]) -> bool:
    message = _read(body)
    interrupt = "runningJobId" in message  # the next owner ignores it as stale
    worker_request = "requestedAt" in message  # the next worker to receive it deletes it
    return interrupt or worker_request or ("instruction" in message and message["jobId"] in answered)


@lru_cache(maxsize=1024)
def _read(body: str) -> Mapping[str, Any]:
    """Cached: queues are read after every step."""
    message: Mapping[str, Any] = json.loads(body)
    return message
