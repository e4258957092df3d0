"""The real broker, called in process."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from tests.support.world import World
from webordinary.aws.ecs_tasks import Capacity, Launch
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.broker import BrokerAction, BrokerAnswer, BrokerRequest, PairCredentials
from webordinary.contract.settings import Timing
from webordinary.protocol.worker.host import ClaimedPair
from webordinary.steps.broker import Broker
from webordinary.tables.workers import Assignment, NotRegisteredError, Phase, WorkerEntry

LAUNCH = Launch("launch1", "slot-0001", Capacity.ON_DEMAND)
TASK = "worker-1"
_calls = itertools.count(1)


def broker_of(world: World, monotonic: Callable[[], float] = lambda: 0.0) -> Broker:
    def open_session(pair: Pair, container_id: str) -> PairCredentials:
        return PairCredentials(
            access_key_id=f"key of {container_id}",
            secret_access_key="secret",
            session_token=pair.key,
            expires_at=world.clock() + timedelta(hours=1),
        )

    at_once = Timing.model_validate({"long_poll_seconds": 0})
    return Broker(
        workers=world.workers,
        queues=world.queues,
        jobs=world.jobs,
        ownership=world.ownership,
        worker_requests=world.worker_requests,
        open_session=open_session,
        timing=at_once,
        clock=world.clock,
        monotonic=monotonic,
    )


class InProcessBroker:
    """A worker's connection to the broker, with a slot that is taken as the fleet does."""

    def __init__(
        self,
        world: World,
        task_id: str = TASK,
        launch: Launch = LAUNCH,
        monotonic: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.broker = broker_of(world, monotonic)
        self.task_id = task_id
        self.launch = launch
        self.said: list[BrokerAction] = []
        self._monotonic = monotonic
        world.workers.take(launch, "definition")
        world.workers.note_task(launch, task_id)

    def ask(self, ask: BrokerAction, thread_id: str | None = None) -> BrokerAnswer:
        self.said.append(ask)
        slot, launch_id = self.launch.slot, self.launch.launch_id
        request = BrokerRequest(ask=ask, slot=slot, launch_id=launch_id, thread_id=thread_id)
        answer = self.broker.run(request, self.task_id, f"call-{next(_calls)}")
        if not answer.registered:
            raise NotRegisteredError(self.launch.slot)
        return answer

    def pair(self) -> ClaimedPair | None:
        sent_at = self._monotonic()
        grant = self.ask(BrokerAction.PAIR).grant
        return ClaimedPair.from_grant(grant, sent_at) if grant is not None else None

    def should_yield(self) -> bool:
        return self.ask(BrokerAction.SHOULD_YIELD).should_yield

    def leaving(self) -> None:
        self.ask(BrokerAction.LEAVING)

    def gone(self) -> None:
        self.ask(BrokerAction.GONE)


class RegisteredWorker:
    """Moves a worker's entry through its phases, as the broker does."""

    def __init__(self, world: World, launch: Launch, task_id: str = TASK) -> None:
        self._workers = world.workers
        self._launch = launch
        self._task_id = task_id

    def idle(self) -> WorkerEntry:
        return self._move(Phase.IDLE, None)

    def busy(self, pair: Pair, job_id: str) -> WorkerEntry:
        return self._move(Phase.BUSY, Assignment(pair, job_id))

    def leaving(self) -> WorkerEntry:
        return self._move(Phase.LEAVING, self._serving())

    def gone(self) -> WorkerEntry:
        return self._move(Phase.GONE, self._serving())

    @property
    def entry(self) -> WorkerEntry:
        found = self._workers.entry(self._launch.slot)
        assert found is not None
        return replace(found, launch=self._launch)

    def _serving(self) -> Assignment | None:
        entry = self.entry
        return Assignment(entry.pair, entry.job_id) if entry.pair and entry.job_id else None

    def _move(self, phase: Phase, serving: Assignment | None) -> WorkerEntry:
        return self._workers.move(self.entry, self._task_id, phase, f"call-{next(_calls)}", serving)
