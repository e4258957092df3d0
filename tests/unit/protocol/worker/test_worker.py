"""The worker with its broker: it serves a pair, releases it and leaves."""

from __future__ import annotations

import pytest
from botocore.exceptions import EndpointConnectionError

from tests.support.brokered import InProcessBroker
from tests.support.host import ManualHost, ScriptedRun
from tests.support.world import PAIR, World
from webordinary.contract.messages.broker import BrokerAction, BrokerAnswer
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import WorkerRequest
from webordinary.contract.settings import Timing
from webordinary.protocol.worker.host import ClaimedPair
from webordinary.protocol.worker.run import CancelReason
from webordinary.protocol.worker.worker import Worker
from webordinary.tables.jobs import JobState
from webordinary.tables.ownership import Ownership
from webordinary.tables.workers import NotRegisteredError, Phase


class DiedError(BaseException):
    """Simulates SIGKILL: no handler catches it."""


def run_worker(world: World, host: ManualHost | None = None, broker: InProcessBroker | None = None) -> bool:
    """Runs one worker that asks for a pair once. Returns whether it has served one."""
    host = host or ManualHost(world)
    worker = Worker(host, broker or InProcessBroker(world, monotonic=host.monotonic))
    worker.serve_next()
    worker.leave()
    return worker.has_served


def phase(world: World) -> Phase:
    return world.workers.all()[0].phase


def test_granted_pair_is_served_and_released(world: World) -> None:
    world.dispatch(world.job())  # also requests a worker
    host = ManualHost(world)

    assert run_worker(world, host)
    assert host.ran == ["mail-1"]
    assert world.ownership.inspect(PAIR).container_id is None
    assert phase(world) is Phase.GONE


def test_worker_without_a_grant_serves_no_pair(world: World) -> None:
    host = ManualHost(world)

    assert not run_worker(world, host)
    assert host.leases == []


def test_lease_deadline_counts_from_before_the_claim(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.dispatch(world.job())
    host = ManualHost(world)
    claim, receive = world.ownership.claim, world.queues.receive

    def slow_claim(*what: object) -> Ownership:
        host.now += 7
        return claim(*what)  # type: ignore[arg-type]

    def slow_receive(*what: object, **more: object) -> object:
        host.now += 4  # before the claim, so not part of the lease
        return receive(*what, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(world.ownership, "claim", slow_claim)
    monkeypatch.setattr(world.queues, "receive", slow_receive)
    left: list[float] = []
    host.on_renewal_start = lambda lease: left.append(lease.seconds_left)

    run_worker(world, host, InProcessBroker(world, monotonic=host.monotonic))

    assert left == [host.timing.lease_seconds - 7]


def test_worker_is_busy_while_serving_and_leaving_before_release(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.dispatch(world.job())
    seen: list[Phase] = []
    host = ManualHost(world)
    host.on_renewal_start = lambda _: seen.append(phase(world))
    release = world.ownership.release_lease

    def release_and_record(ownership: Ownership) -> None:
        seen.append(phase(world))
        release(ownership)

    monkeypatch.setattr(world.ownership, "release_lease", release_and_record)
    run_worker(world, host)

    assert seen == [Phase.BUSY, Phase.LEAVING]


def test_worker_without_a_slot_must_end(world: World) -> None:
    world.dispatch(world.job())
    broker = InProcessBroker(world)
    world.workers.free(broker.launch.slot, broker.launch.launch_id)

    with pytest.raises(NotRegisteredError):
        Worker(ManualHost(world), broker).serve_next()

    assert world.ownership.inspect(PAIR).fence == 0
    assert len(world.waiting("unclaimed")) == 1


def test_idle_worker_yields_to_waiting_pairs(world: World) -> None:
    world.dispatch(world.job())
    world.workers.note_shortage(1)
    patient = Timing.model_validate({"long_poll_seconds": 0, "idle_seconds": 1800})
    host = ManualHost(world, patient)
    before = host.now

    run_worker(world, host)

    assert host.ran == ["mail-1"]
    assert world.ownership.inspect(PAIR).container_id is None
    assert host.now - before < patient.renewal_seconds + 10


class Unreachable(InProcessBroker):
    """A broker for which the actions in `fails` cannot be reached."""

    fails: tuple[BrokerAction, ...] = ()

    def ask(self, ask: BrokerAction, thread_id: str | None = None) -> BrokerAnswer:
        if ask in self.fails:
            raise EndpointConnectionError(endpoint_url="https://broker")
        return super().ask(ask, thread_id)


def test_pair_is_served_to_its_end_if_the_broker_does_not_answer(world: World) -> None:
    world.dispatch(world.job())
    patient = Timing.model_validate({"long_poll_seconds": 0, "idle_seconds": 60})
    host, broker = ManualHost(world, patient), Unreachable(world, monotonic=lambda: 1000.0)
    broker.fails = (BrokerAction.SHOULD_YIELD,)
    before = host.now

    run_worker(world, host, broker)

    assert host.now - before >= 60
    assert world.ownership.inspect(PAIR).container_id is None


def test_unreleased_pair_is_released_when_its_worker_is_gone(world: World) -> None:
    world.dispatch(world.job())
    broker = Unreachable(world, monotonic=lambda: 1000.0)
    broker.fails = (BrokerAction.LEAVING,)

    run_worker(world, broker=broker)

    assert world.ownership.inspect(PAIR).container_id is None


def test_leaving_worker_with_a_waiting_job_requests_a_worker(world: World) -> None:
    world.dispatch(world.job())
    host = ManualHost(world)

    def shut_down(run: ScriptedRun) -> Outcome:
        host.shutting_down = True
        run.cancel(CancelReason.SHUTDOWN)
        return Outcome(state="done")

    host.works = [shut_down]
    run_worker(world, host)

    assert world.jobs.get(PAIR, "mail-1").state == JobState.WAITING
    assert [WorkerRequest.read(body).job_id for body in world.waiting("unclaimed")] == ["mail-1"]


def test_leaving_worker_with_a_reported_job_requests_no_worker(world: World) -> None:
    world.dispatch(world.job())

    run_worker(world)

    assert world.jobs.get(PAIR, "mail-1").state == JobState.RUNNING  # reported, but not relayed yet
    assert world.waiting("unclaimed") == []


def test_job_sent_just_before_the_release_is_found_after_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.dispatch(world.job())
    release = world.ownership.release_lease

    def mail_then_release(ownership: Ownership) -> None:
        world.dispatch(world.job("late"))  # the pair is owned, so it requests no worker
        release(ownership)

    monkeypatch.setattr(world.ownership, "release_lease", mail_then_release)
    run_worker(world)

    assert [WorkerRequest.read(body).job_id for body in world.waiting("unclaimed")] == ["late"]


def test_worker_without_its_lease_releases_nothing(world: World) -> None:
    world.dispatch(world.job())
    host = ManualHost(world)

    def lose(run: ScriptedRun) -> Outcome:
        world.clock.advance(world.timing.lease_seconds + world.timing.clock_margin_seconds + 1)
        world.ownership.claim(PAIR, "worker-2")
        host.leases[0].lose()
        run.check()
        return Outcome(state="done")

    host.works = [lose]
    run_worker(world, host)

    assert world.ownership.inspect(PAIR).container_id == "worker-2"
    assert world.waiting("output") == []


def test_worker_that_dies_before_serving_gets_the_same_pair_again(world: World) -> None:
    world.dispatch(world.job())
    host, broker = ManualHost(world), InProcessBroker(world)

    def die(_: ClaimedPair) -> None:
        raise DiedError

    host.open_pair = die  # type: ignore[method-assign, assignment]
    with pytest.raises(DiedError):
        Worker(host, broker).serve_next()

    second = broker.pair()
    assert second is not None
    assert (second.ownership.pair, second.ownership.fence) == (PAIR, 2)


def test_cancel_running_cancels_only_the_running_job(world: World) -> None:
    world.dispatch(world.job())
    host = ManualHost(world)
    worker = Worker(host, InProcessBroker(world, monotonic=host.monotonic))
    worker.cancel_running(CancelReason.SHUTDOWN)  # nothing runs yet

    def shut_down(_: ScriptedRun) -> Outcome:
        host.shutting_down = True
        worker.cancel_running(CancelReason.SHUTDOWN)
        return Outcome(state="done")

    host.works = [shut_down]
    worker.serve_next()

    assert [run.cancelled for run in host.runs] == [CancelReason.SHUTDOWN]
    assert world.jobs.get(PAIR, "mail-1").state == JobState.WAITING
