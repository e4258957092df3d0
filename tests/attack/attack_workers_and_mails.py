"""Attacks by a compromised worker on the broker and the relay, and attacks by mail.

Runs the production code on an in-memory AWS. The victim is the pair garden#bob.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

from moto import mock_aws
from moto.moto_api._internal.models import moto_api_backend

from tests.attack.arena import Arena
from tests.attack.cases import AttackSucceededError, attack
from tests.support import stored_mails
from tests.support.brokered import LAUNCH, TASK, InProcessBroker
from tests.support.world import PAIR, World
from webordinary.aws.ecs_tasks import Capacity, Launch
from webordinary.aws.function_url_caller import ForeignCallerError, FunctionUrlCall
from webordinary.contract.errors import InvalidMessageError
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.broker import BrokerAction, BrokerRequest
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.parse import Decision
from webordinary.contract.messages.report import ReportKind, WorkerReport
from webordinary.protocol.senders import Senders
from webordinary.tables.jobs import JobState
from webordinary.tables.workers import NotRegisteredError

ROLE = "arn:aws:iam::123456789012:role/webordinary-worker-task"
VICTIM = Pair(project="garden", user="bob")
VICTIMS_LAUNCH = Launch("launch-of-bob", "slot-0002", Capacity.ON_DEMAND)
VERDICTS = {
    "proved": stored_mails.AUTHENTICATED,
    "unproved": stored_mails.UNAUTHENTICATED,
    "forged": stored_mails.FORGED,
}


@contextmanager
def memory_aws() -> Iterator[World]:
    os.environ.update(AWS_ACCESS_KEY_ID="attack", AWS_SECRET_ACCESS_KEY="attack", AWS_DEFAULT_REGION="eu-west-1")
    with mock_aws():
        moto_api_backend.reset()
        yield World()


@attack
def calls_broker(_: Arena, caller: str) -> None:
    """A caller without the workers' task role calls the broker's URL."""
    event = {"requestContext": {"authorizer": {"iam": {"userArn": caller}}}, "body": "{}"}
    try:
        session = FunctionUrlCall.read(event).session_of(ROLE)
    except (ForeignCallerError, InvalidMessageError):
        return
    raise AttackSucceededError(f"it was accepted as the worker {session}")


@attack
def asks_broker(
    _: Arena, slot: str = LAUNCH.slot, launch_id: str = LAUNCH.launch_id, first: str = "", ask: str = "pair"
) -> None:
    """A worker requests another pair or slot, with its own pair held, released or gone."""
    with memory_aws() as world:
        own = InProcessBroker(world)
        InProcessBroker(world, "worker-of-bob", VICTIMS_LAUNCH)
        if first:
            world.jobs.record(world.job(), "token")
            world.worker_requests.request(PAIR, "mail-1")
            granted = own.pair()
            if granted is None:
                raise AttackSucceededError("it did not get its own pair")
            if first == "released":
                own.leaving()
                world.ownership.release_lease(granted.ownership)
            elif first == "gone":
                own.gone()
        world.jobs.record(world.job("mail-2", pair=VICTIM), "token-2")
        world.worker_requests.request(VICTIM, "mail-2")
        world.workers.note_shortage(1)
        request = BrokerRequest(ask=BrokerAction(ask), slot=slot, launch_id=launch_id)
        answer = own.broker.run(request, TASK, "attack")
        given = [
            str(one.session_token) for one in (answer.grant and answer.grant.credentials, answer.credentials) if one
        ]
        if VICTIM.key in given or world.ownership.inspect(VICTIM).container_id == TASK:
            raise AttackSucceededError(f"it got {given}")
        if answer.repository is not None:
            raise AttackSucceededError("it got a repository credential")
        if slot != LAUNCH.slot and (answer.registered or answer.should_yield):
            raise AttackSucceededError("it acts in another worker's slot")


@attack
def shows(
    _: Arena, thread_of: str = "own", slot: str = LAUNCH.slot, launch_id: str = LAUNCH.launch_id, ask: str = "show"
) -> None:
    """A worker with a pair tries to redirect viewers of previews."""
    led: list[tuple[str, ...]] = []

    class Routes:
        def show(self, *where: str) -> None:
            led.append(where)

        def hide(self, *where: str) -> None:
            led.append(where)

    with memory_aws() as world:
        own = InProcessBroker(world)
        InProcessBroker(world, "worker-of-bob", VICTIMS_LAUNCH)
        own.broker = replace(own.broker, routes=cast(Any, Routes()), belongs_to=world.threads.belongs_to)
        world.jobs.record(world.job(), "token")
        world.worker_requests.request(PAIR, "mail-1")
        if own.pair() is None:
            raise AttackSucceededError("it did not get its own pair")
        thread_id = world.threads.open({"own": PAIR, "victim": VICTIM}[thread_of], "<first@example.com>").thread_id
        request = BrokerRequest(
            ask=BrokerAction(ask), slot=slot, launch_id=launch_id, endpoint="10.20.0.9:8026", thread_id=thread_id
        )
        answer = own.broker.run(request, TASK, "attack")
        if answer.registered or led:
            raise AttackSucceededError(f"viewers are routed to {led}")


@attack
def writes_broker(_: Arena, body: str) -> None:
    """A worker sends an invalid request to the broker."""
    try:
        read = BrokerRequest.read(body)
    except InvalidMessageError:
        return
    raise AttackSucceededError(f"it was parsed as {read}")


@attack
def reports(_: Arena, container_id: str, sender: str, fence: int = 1) -> None:
    """The owner of one pair reports the end of another pair's job."""
    with memory_aws() as world:
        relay = replace(world.relay, senders=Senders(world.ownership, "AROAWORKERS"))
        world.jobs.record(world.job("mail-2", pair=VICTIM), "token-2")
        world.jobs.start(VICTIM, "mail-2", world.ownership.claim(VICTIM, "worker-of-bob").fence)
        report = WorkerReport(
            kind=ReportKind.FINISHED,
            pair=VICTIM,
            job_id="mail-2",
            fence=fence,
            container_id=container_id,
            sent_at=world.clock(),
            outcome=Outcome(state="done", summary="Log in at https://evil.example"),
        )
        relay.run(report.wire_text(), VICTIM.key, sender or None)
        if world.jobs.get(VICTIM, "mail-2").state is not JobState.RUNNING:
            raise AttackSucceededError("the job of another pair was ended")


@attack
def holds_pair_and_renews(_: Arena, how: str) -> None:
    """A worker that lost its pair requests new credentials for it."""
    with memory_aws() as world:
        own = InProcessBroker(world)
        world.jobs.record(world.job(), "token")
        world.worker_requests.request(PAIR, "mail-1")
        granted = own.pair()
        if granted is None:
            raise AttackSucceededError("it did not get its own pair")
        if how == "released":
            world.ownership.release_lease(granted.ownership)
        elif how == "taken over":
            world.clock.advance(3600)
            world.ownership.claim(PAIR, "worker-2")
        else:
            own.gone()
        try:
            answer = own.ask(BrokerAction.CREDENTIALS)
        except NotRegisteredError:
            return
        raise AttackSucceededError(
            f"it got credentials until {answer.credentials.expires_at if answer.credentials else None}"
        )


@attack
def mails(_: Arena, times: int = 1, accepted: int = 0, verdict: str = "proved", **given: Any) -> None:
    """Mails that must become no job, or at most `accepted` jobs."""
    with memory_aws() as world:
        read = stored_mails.reader(world)
        results = [
            read(**{"mail_id": f"mail-{number}", "verdict": VERDICTS[verdict], **given}) for number in range(times)
        ]
        jobs = [result.job for result in results if result.decision is Decision.ACCEPT]
        if len(jobs) > accepted:
            raise AttackSucceededError(f"{len(jobs)} of {times} mails became jobs, e.g. {jobs[0]}")
