"""A worker's connection to the shipped broker: each call is an invocation, and its response may get lost.

Invocation and worker are separate actors: either may die or be slow while the other continues.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from botocore.exceptions import EndpointConnectionError

from tests.model.ecs import NEVER, ModelTask
from tests.model.scheduler import Actor, current_actor
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.broker import BrokerAction, BrokerAnswer, BrokerRequest, PairCredentials
from webordinary.protocol.worker.host import ClaimedPair
from webordinary.tables.workers import NotRegisteredError

if TYPE_CHECKING:
    from tests.model.host import ModelHost
    from tests.model.world import World

_calls = itertools.count(1)


class BrokerConnection:
    def __init__(self, world: World, host: ModelHost, task: ModelTask) -> None:
        self._world = world
        self._host = host
        self._task = task

    def pair(self) -> ClaimedPair | None:
        sent_at = self._host.monotonic()
        grant = self._ask(BrokerAction.PAIR).grant
        self._host.is_registered = True
        return ClaimedPair.from_grant(grant, sent_at) if grant is not None else None

    def should_yield(self) -> bool:
        return self._ask(BrokerAction.SHOULD_YIELD).should_yield

    def leaving(self) -> None:
        self._ask(BrokerAction.LEAVING)

    def gone(self) -> None:
        self._ask(BrokerAction.GONE)

    def _ask(self, ask: BrokerAction) -> BrokerAnswer:
        launch, answers = self._task.launch, list[BrokerAnswer]()
        request = BrokerRequest(ask=ask, slot=launch.slot, launch_id=launch.launch_id)

        def run() -> None:
            answer = self._world.broker.run(request, self._task.task_id, f"call-{next(_calls)}")
            if answer.grant is not None:
                self._host.opening_pair = answer.grant.pair
            answers.append(answer)

        function = self._world.invoke("broker", run)
        self._wait_for(function)
        if not answers or self._world.random.random() < self._world.faults.answer_lost:
            raise EndpointConnectionError(endpoint_url="memory://broker")
        if not answers[0].registered:
            raise NotRegisteredError(launch.slot)
        return answers[0]

    def _wait_for(self, function: Actor) -> None:
        worker = current_actor()
        if worker is None:
            raise RuntimeError("The broker is called outside a worker's actor.")
        self._world.call_back(worker, function)
        while not function.finished:
            worker.wakes_at = NEVER
            worker.pause_before("sleep")


def credentials_for(pair: Pair, container_id: str, world: World) -> PairCredentials:
    """The model uses no credentials, but the monitor checks that no task gets those of two pairs."""
    world.monitor.credentials_issued(container_id, pair.key)
    return PairCredentials(
        access_key_id=container_id,
        secret_access_key="",
        session_token=pair.key,
        expires_at=world.clock(3_600_000)(),
    )
