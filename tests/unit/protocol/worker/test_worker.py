"""What a worker does with a claim request, and what it leaves behind when it goes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.support.host import ScriptedRun, StillHost
from tests.support.world import PAIR, World
from webordinary.platform.messages import ClaimRequest, Outcome, Pair
from webordinary.platform.queues import Received
from webordinary.platform.settings import Timing
from webordinary.protocol.worker.host import NoPlace, OwnAccess, Place
from webordinary.protocol.worker.run import CancelReason
from webordinary.protocol.worker.worker import Worker, seconds_until_claimable
from webordinary.tables.jobs import JobState
from webordinary.tables.ownership import Ownership
from webordinary.tables.workers import NotRegisteredError


class DiedError(BaseException):
    """What a SIGKILL is to the code that runs: nothing after it happens."""


def ask(world: World) -> None:
    """A request for the pair of a job that waits: the job is known, its message is somebody else's matter."""
    world.jobs.record(world.job(), "token")
    world.queues.send("unclaimed", ClaimRequest(pair=PAIR, job_id="mail-1", requested_at=world.clock()))


def worker_of(world: World, host: StillHost | None = None, place: Place | None = None) -> Worker:
    host = host or StillHost(world)
    own = OwnAccess(host.queues, world.ownership, world.jobs, world.claims)
    return Worker(host, own, place or NoPlace())


def answer(world: World, host: StillHost | None = None, place: Place | None = None) -> bool:
    """One worker takes one request. Whether it has served its pair."""
    worker = worker_of(world, host, place)
    request = worker.receive_request()
    assert request is not None
    worker.answer(request)
    return worker.has_served


def left_in_unclaimed(world: World) -> int:
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    attributes = world.sqs.get_queue_attributes(QueueUrl=world.queues.url("unclaimed"), AttributeNames=names)
    return sum(int(attributes["Attributes"][name]) for name in names)


def test_a_won_claim_is_served_and_released(world: World) -> None:
    world.dispatch(world.job())  # which asks for a worker
    host = StillHost(world)

    assert answer(world, host)
    assert host.ran == ["mail-1"]
    assert world.ownership.inspect(PAIR).container_id is None
    assert left_in_unclaimed(world) == 0


def test_the_lease_counts_from_before_the_claim_was_sent(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(world)
    host = StillHost(world)
    claim = world.ownership.claim

    def slow_claim(*what: object) -> Ownership:
        host.now += 7
        return claim(*what)  # type: ignore[arg-type]

    monkeypatch.setattr(world.ownership, "claim", slow_claim)
    left: list[float] = []
    host.when_kept = lambda lease: left.append(lease.seconds_left)

    answer(world, host)

    assert left == [host.timing.lease_seconds - 7]


def test_a_worker_that_dies_before_it_can_serve_leaves_the_request_for_another(world: World) -> None:
    ask(world)
    host = StillHost(world)

    def die(_: Ownership) -> None:
        raise DiedError

    host.enter = die  # type: ignore[method-assign, assignment]
    with pytest.raises(DiedError):
        answer(world, host)

    assert left_in_unclaimed(world) == 1


def test_a_won_claim_clears_the_way_for_the_next_request_before_its_own_is_deleted(world: World) -> None:
    world.dispatch(world.job())
    host = StillHost(world)

    def die(_: ScriptedRun) -> Outcome:
        raise DiedError

    host.works = [die]
    deleted_while_noted: list[bool] = []
    delete = host.queues.delete

    def watched(kind: str, received: Received, *more: object) -> None:
        if kind == "unclaimed":
            deleted_while_noted.append(world.claims._noted(PAIR) is not None)
        delete(kind, received, *more)  # type: ignore[arg-type]

    host.queues.delete = watched  # type: ignore[method-assign, assignment]
    with pytest.raises(DiedError):
        answer(world, host)

    assert deleted_while_noted == [False]


def test_a_request_for_a_pair_with_a_live_owner_is_deleted(world: World) -> None:
    world.ownership.claim(PAIR, "worker-2")
    ask(world)

    assert not answer(world)
    assert left_in_unclaimed(world) == 0


def test_a_request_for_a_pair_whose_owner_missed_renewals_is_kept(world: World) -> None:
    world.ownership.claim(PAIR, "worker-2")
    world.clock.advance(50)
    ask(world)

    assert not answer(world)
    assert left_in_unclaimed(world) == 1


def test_a_request_that_cannot_be_read_is_dropped(world: World) -> None:
    world.sqs.send_message(QueueUrl=world.queues.url("unclaimed"), MessageBody="{}")

    assert not answer(world)
    assert left_in_unclaimed(world) == 0


def test_a_request_for_a_pair_without_an_open_job_is_dropped_and_not_claimed(world: World) -> None:
    world.claims.request(PAIR, "mail-0")

    assert not answer(world)
    assert left_in_unclaimed(world) == 0
    assert world.ownership.inspect(PAIR).fence == 0


def test_a_dropped_request_does_not_hold_back_the_next_one(world: World) -> None:
    world.claims.request(PAIR, "mail-1")  # before the job is recorded
    answer(world)

    world.dispatch(world.job())

    assert len(world.waiting("unclaimed")) == 1


def test_a_job_that_is_recorded_while_its_request_is_dropped_is_served(world: World) -> None:
    world.claims.request(PAIR, "mail-1")
    host = StillHost(world)
    clear = world.claims.clear

    def dispatch_then_clear(pair: Pair) -> None:
        if not host.ran:
            world.dispatch(world.job())  # its own request is held back: one was sent just now
        clear(pair)

    world.claims.clear = dispatch_then_clear  # type: ignore[method-assign]

    assert answer(world, host)
    assert host.ran == ["mail-1"]


class Watched(NoPlace):
    """A place in the fleet that notes what its worker says, and may be taken away."""

    def __init__(self, world: World, *, is_lost: bool = False, others_wait: bool = False) -> None:
        self._world = world
        self._is_lost = is_lost
        self._others_wait = others_wait
        self.said: list[tuple[str, bool]] = []

    def _say(self, what: str) -> None:
        self.said.append((what, self._world.ownership.inspect(PAIR).container_id is not None))

    def idle(self) -> None:
        self._say("idle")

    def busy(self, pair: Pair, job_id: str) -> None:  # noqa: ARG002
        if self._is_lost:
            raise NotRegisteredError("place-0001")
        self._say("busy")

    def leaving(self) -> None:
        self._say("leaving")

    def gone(self) -> None:
        self._say("gone")

    def make_room(self) -> bool:
        return self._others_wait


def test_a_worker_is_busy_before_it_claims_and_leaving_before_it_releases(world: World) -> None:
    world.dispatch(world.job())
    place = Watched(world)

    answer(world, place=place)

    assert place.said == [("idle", False), ("busy", False), ("leaving", True)]


def test_a_worker_without_a_place_claims_nothing_and_leaves_the_request_for_another(world: World) -> None:
    world.dispatch(world.job())

    with pytest.raises(NotRegisteredError):
        answer(world, place=Watched(world, is_lost=True))

    assert world.ownership.inspect(PAIR).fence == 0
    assert len(world.waiting("unclaimed")) == 1


def test_a_worker_that_found_the_pair_owned_is_idle_again(world: World) -> None:
    world.ownership.claim(PAIR, "worker-2")
    ask(world)
    place = Watched(world)
    worker = worker_of(world, place=place)
    request = worker.receive_request()
    assert request is not None

    worker.answer(request)
    worker.receive_request()

    assert [what for what, _ in place.said] == ["idle", "busy", "idle"]


def test_a_worker_whose_pair_is_quiet_makes_room_for_others(world: World) -> None:
    world.dispatch(world.job())
    patient = Timing.model_validate({"long_poll_seconds": 0, "idle_seconds": 1800})
    host = StillHost(world, patient)
    before = host.now

    answer(world, host, Watched(world, others_wait=True))

    assert host.ran == ["mail-1"]
    assert world.ownership.inspect(PAIR).container_id is None
    assert host.now - before < patient.renewal_seconds + 10


def test_a_kept_request_comes_back_when_the_pair_can_be_claimed(world: World) -> None:
    owner = Ownership(PAIR, "worker-2", 1, world.clock() + timedelta(seconds=10))

    seconds = seconds_until_claimable(owner, world.clock(), world.timing)

    assert seconds is not None
    assert 10 + world.timing.clock_margin_seconds < seconds <= 20


def test_a_worker_that_leaves_asks_for_a_successor_where_a_job_waits(world: World) -> None:
    world.dispatch(world.job())
    host = StillHost(world)

    def told_to_go(run: ScriptedRun) -> Outcome:
        host.leaving = True
        run.cancel(CancelReason.SHUTDOWN)
        return Outcome(state="done")

    host.works = [told_to_go]
    answer(world, host)

    assert world.jobs.get(PAIR, "mail-1").state == JobState.WAITING
    assert [ClaimRequest.read(body).job_id for body in world.waiting("unclaimed")] == ["mail-1"]


def test_a_worker_that_leaves_asks_for_nobody_where_its_job_is_only_on_its_way_to_the_relay(world: World) -> None:
    world.dispatch(world.job())

    answer(world)

    assert world.jobs.get(PAIR, "mail-1").state == JobState.RUNNING  # reported; the relay has yet to hear of it
    assert world.waiting("unclaimed") == []


def test_a_mail_that_arrives_just_before_the_release_is_seen_after_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(world)
    release = world.ownership.release

    def mail_then_release(ownership: Ownership) -> None:
        world.dispatch(world.job("late"))  # it finds the pair owned, and asks for nobody
        release(ownership)

    monkeypatch.setattr(world.ownership, "release", mail_then_release)
    answer(world)

    assert [ClaimRequest.read(body).job_id for body in world.waiting("unclaimed")] == ["late"]


def test_a_worker_that_lost_its_pair_releases_nothing(world: World) -> None:
    world.dispatch(world.job())
    host = StillHost(world)

    def lose(run: ScriptedRun) -> Outcome:
        world.clock.advance(world.timing.lease_seconds + world.timing.clock_margin_seconds + 1)
        world.ownership.claim(PAIR, "worker-2")
        host.kept[0].lose()
        run.check()
        return Outcome(state="done")

    host.works = [lose]
    answer(world, host)

    assert world.ownership.inspect(PAIR).container_id == "worker-2"
    assert world.waiting("output") == []


def test_the_job_that_runs_is_cancelled_through_its_worker_and_nothing_else_is(world: World) -> None:
    world.dispatch(world.job())
    host = StillHost(world)
    worker = worker_of(world, host)
    worker.cancel_running(CancelReason.SHUTDOWN)  # nothing runs yet

    def told_to_go(_: ScriptedRun) -> Outcome:
        host.leaving = True
        worker.cancel_running(CancelReason.SHUTDOWN)
        return Outcome(state="done")

    host.works = [told_to_go]
    request = worker.receive_request()
    assert request is not None
    worker.answer(request)

    assert [run.cancelled for run in host.runs] == [CancelReason.SHUTDOWN]
    assert world.jobs.get(PAIR, "mail-1").state == JobState.WAITING
