"""Promises that concern the world as a whole: checked after every step, and at the end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.model.surroundings import MARGIN, NAMES, START
from webordinary.platform.messages import ClaimRequest, Pair

if TYPE_CHECKING:
    from tests.model.world import World


def require_one_owner(world: World) -> None:
    if world.weather.clock_beyond_margin:
        return  # then only the fences protect, and the monitor watches them
    held = [process.worker.held for process in world.processes if process.worker.may_act()]
    acting = [ownership.pair.key for ownership in held if ownership is not None]
    world.monitor.require(len(acting) == len(set(acting)), f"two workers may act for one pair: {acting}")


def require_nobody_forgotten(world: World) -> None:
    """Where no sweep will come, a waiting job has an owner, a claim request, or somebody about to see to it."""
    items = world.table.items(NAMES.table("jobs"))
    for pair in {item["projectKey"]["S"] for item in items if item["state"]["S"] == "waiting"}:
        cared_for = _is_asked_for(world, pair) or _is_in_hand(world, pair) or pair in owned(world)
        world.monitor.require(cared_for, f"{pair}: a waiting job is forgotten")


def unsettled(world: World) -> list[str]:
    """What stands between the world and its rest."""
    unanswered = [mail.job.job_id for mail in world.mails if not mail.answers]
    answered = {mail.job.job_id for mail in world.mails if mail.answers}
    # A second message of a job that has ended may stay: the next owner deletes it, or its retention time does.
    left_over = [f"a message in {queue}" for queue, body in world.queues.left_over() if not _is_spent(body, answered)]
    return unanswered + left_over + sorted(owned(world))


def owned(world: World) -> set[str]:
    """Pairs whose recorded lease is not over yet, read from the items as they are."""
    now = START.timestamp() * 1000 + world.now - MARGIN
    items = world.table.items(NAMES.table("ownership"))
    return {i["projectKey"]["S"] for i in items if "leaseExpiresAt" in i and int(i["leaseExpiresAt"]["N"]) >= now}


def _is_asked_for(world: World, pair: str) -> bool:
    requests = world.queues.messages(NAMES.queue("unclaimed"))
    return any(ClaimRequest.read(message.body).pair.key == pair for message in requests)


def _is_in_hand(world: World, pair: str) -> bool:
    dispatches = [mail.dispatch for mail in world.mails if mail.job.pair.key == pair and mail.dispatch is not None]
    busy = [pair for p in world.processes for pair in (p.worker.settling_in, p.worker.leaving) if pair is not None]
    return any(not actor.finished for actor in dispatches) or Pair.from_key(pair) in busy


def _is_spent(body: str, answered: set[str]) -> bool:
    message = json.loads(body)
    return "instruction" in message and message["jobId"] in answered
