"""broker: identifies the calling worker and assigns it one pair."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import pytest

from tests.support.brokered import LAUNCH, TASK, InProcessBroker, broker_of
from tests.support.world import PAIR, World
from webordinary.aws.alb_routes import NoRouteError
from webordinary.aws.ecs_tasks import Capacity, Launch
from webordinary.aws.function_url_caller import ForeignCallerError, FunctionUrlCall
from webordinary.aws.queues import ReceivedMessage
from webordinary.aws.telemetry import flush_metrics
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.broker import BrokerAction, BrokerRequest, PairCredentials, RepositoryAccess
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import WorkerRequest
from webordinary.steps.broker import seconds_until_claimable
from webordinary.tables.ownership import Ownership
from webordinary.tables.workers import NotRegisteredError, Phase, WorkerEntry

OTHER = Pair(project="garden", user="bob")
SECOND = Launch("launch2", "slot-0002", Capacity.ON_DEMAND)
ROLE = "arn:aws:iam::123456789012:role/webordinary-worker-task"


class DiedError(BaseException):
    """The function dies during a call."""


def mail(world: World, pair: Pair = PAIR, job_id: str = "mail-1") -> None:
    """Records a waiting job and requests a worker, without the job's message."""
    world.jobs.record(world.job(job_id, pair=pair), "token")
    world.worker_requests.request(pair, job_id)


def left_in_unclaimed(world: World) -> int:
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    attributes = world.sqs.get_queue_attributes(QueueUrl=world.queues.url("unclaimed"), AttributeNames=names)
    return sum(int(attributes["Attributes"][name]) for name in names)


def entry(world: World, slot: str = LAUNCH.slot) -> WorkerEntry:
    found = world.workers.entry(slot)
    assert found is not None
    return found


def dies(monkeypatch: pytest.MonkeyPatch, owner: Any, method: str) -> None:
    """Makes the caller die after its next call of this method."""

    def die(*_: object, **__: object) -> None:
        monkeypatch.undo()
        raise DiedError

    monkeypatch.setattr(owner, method, die)


# ── a pair for a worker ─────────────────────────────────────────────────────────────────────────────────────────────


def test_worker_gets_a_waiting_pair_with_credentials_of_that_pair_only(world: World) -> None:
    mail(world)

    granted = InProcessBroker(world).pair()

    assert granted is not None
    assert granted.ownership.pair == PAIR
    assert (granted.credentials.access_key_id, granted.credentials.session_token) == ("key of worker-1", PAIR.key)
    assert world.ownership.inspect(PAIR).container_id == TASK
    assert left_in_unclaimed(world) == 0


@pytest.mark.parametrize("open_jobs", [["mail-2"], ["mail-0", "mail-1"]])
def test_pair_is_claimed_for_the_requested_job_if_it_is_open(world: World, open_jobs: list[str]) -> None:
    mail(world)
    for job_id in open_jobs:
        world.jobs.record(world.job(job_id), "token")
    if "mail-1" not in open_jobs:
        world.jobs.conclude(PAIR, "mail-1", Outcome(state="failed"), settled=True)

    granted = InProcessBroker(world).pair()

    assert granted is not None
    assert granted.job_id == open_jobs[-1]


def test_first_call_registers_the_worker(world: World) -> None:
    assert InProcessBroker(world).pair() is None
    assert entry(world).phase is Phase.IDLE


def test_request_of_a_pair_without_open_jobs_is_dropped(world: World) -> None:
    world.worker_requests.request(PAIR, "mail-0")

    assert InProcessBroker(world).pair() is None
    assert left_in_unclaimed(world) == 0
    assert world.ownership.inspect(PAIR).fence == 0


def test_dropped_request_does_not_delay_the_next_one(world: World) -> None:
    world.worker_requests.request(PAIR, "mail-1")  # before the job is recorded
    InProcessBroker(world).pair()

    world.dispatch(world.job())

    assert len(world.waiting("unclaimed")) == 1


def test_job_recorded_while_its_request_is_dropped_is_served(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.worker_requests.request(PAIR, "mail-1")
    clear = world.worker_requests.clear

    def dispatch_then_clear(pair: Pair) -> None:
        world.dispatch(world.job())  # its own request is rate-limited
        clear(pair)

    monkeypatch.setattr(world.worker_requests, "clear", dispatch_then_clear)

    assert InProcessBroker(world).pair() is not None


def test_request_for_an_owned_pair_is_deleted_and_the_worker_idle(world: World) -> None:
    world.ownership.claim(PAIR, "worker-2")
    mail(world)

    assert InProcessBroker(world).pair() is None
    assert left_in_unclaimed(world) == 0
    assert (entry(world).phase, entry(world).pair) == (Phase.IDLE, None)


def test_request_for_a_pair_whose_owner_missed_renewals_is_kept(world: World) -> None:
    world.ownership.claim(PAIR, "worker-2")
    world.clock.advance(50)
    mail(world)

    assert InProcessBroker(world).pair() is None
    assert left_in_unclaimed(world) == 1


def test_unreadable_request_is_left_in_the_queue(world: World) -> None:
    world.sqs.send_message(QueueUrl=world.queues.url("unclaimed"), MessageBody="{}")

    assert InProcessBroker(world).pair() is None
    assert left_in_unclaimed(world) == 1


def test_kept_request_is_visible_again_when_the_pair_is_claimable(world: World) -> None:
    owner = Ownership(PAIR, "worker-2", 1, world.clock() + timedelta(seconds=10))

    seconds = seconds_until_claimable(owner, world.clock(), world.timing)

    assert seconds is not None
    assert 10 + world.timing.clock_margin_seconds < seconds <= 20


def test_worker_is_busy_before_its_pair_is_claimed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mail(world)
    claim = world.ownership.claim
    seen: list[Phase] = []

    def watched(*what: Any) -> Ownership:
        seen.append(entry(world).phase)
        return claim(*what)

    monkeypatch.setattr(world.ownership, "claim", watched)
    InProcessBroker(world).pair()

    assert seen == [Phase.BUSY]


def test_request_state_is_cleared_before_the_message_is_deleted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mail(world)
    noted: list[bool] = []
    delete = world.queues.delete

    def watched(kind: str, received: ReceivedMessage) -> None:
        noted.append(world.worker_requests._state_of(PAIR) is not None)
        delete(kind, received)

    monkeypatch.setattr(world.queues, "delete", watched)
    InProcessBroker(world).pair()

    assert noted == [False]


def test_stopping_worker_gets_no_pair_and_the_request_stays(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mail(world)
    worker = InProcessBroker(world)
    receive = world.queues.receive

    def stopped_meanwhile(*what: Any, **more: Any) -> ReceivedMessage | None:
        assert world.workers.stop(entry(world))
        return receive(*what, **more)

    monkeypatch.setattr(world.queues, "receive", stopped_meanwhile)
    with pytest.raises(NotRegisteredError):
        worker.pair()

    assert world.ownership.inspect(PAIR).fence == 0
    monkeypatch.undo()
    assert InProcessBroker(world, "worker-2", SECOND).pair() is not None


# ── lost responses ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_worker_gets_the_same_pair_after_a_lost_response(world: World) -> None:
    mail(world)
    worker = InProcessBroker(world)
    lost, again = worker.pair(), worker.pair()

    assert lost is not None
    assert again is not None
    assert (again.ownership.pair, again.ownership.fence) == (PAIR, lost.ownership.fence + 1)


@pytest.mark.parametrize(
    ("owner", "method"),
    [
        ("ownership", "claim"),
        ("workers", "hold"),
        ("worker_requests", "clear"),
        ("queues", "delete"),
    ],
)
def test_worker_gets_the_pair_after_the_broker_died_in_any_call(
    world: World, monkeypatch: pytest.MonkeyPatch, owner: str, method: str
) -> None:
    mail(world)
    worker = InProcessBroker(world)
    dies(monkeypatch, getattr(world, owner), method)
    with pytest.raises(DiedError):
        worker.pair()

    granted = worker.pair()

    assert granted is not None
    assert granted.ownership.pair == PAIR


def test_worker_becomes_idle_if_another_worker_claimed_its_pair(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mail(world)
    worker = InProcessBroker(world)
    dies(monkeypatch, world.ownership, "claim")
    with pytest.raises(DiedError):
        worker.pair()
    world.ownership.claim(PAIR, "worker-2")

    assert worker.pair() is None
    assert entry(world).phase is Phase.IDLE


def test_of_two_concurrent_calls_only_one_gets_a_pair(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mail(world)
    mail(world, OTHER, "mail-2")
    worker = InProcessBroker(world)
    worker.broker.workers.move(entry(world), TASK, Phase.IDLE, "first", None)
    receive = world.queues.receive

    def another_call_meanwhile(*what: Any, **more: Any) -> ReceivedMessage | None:
        monkeypatch.undo()
        received = receive(*what, **more)
        assert worker.pair() is not None
        return received

    monkeypatch.setattr(world.queues, "receive", another_call_meanwhile)
    with pytest.raises(NotRegisteredError):
        worker.pair()

    assert [world.ownership.inspect(pair).container_id for pair in (PAIR, OTHER)].count(TASK) == 1


# ── one pair in a worker's life ─────────────────────────────────────────────────────────────────────────────────────


def test_worker_that_holds_a_pair_gets_no_other(world: World) -> None:
    mail(world)
    worker = InProcessBroker(world)
    worker.pair()
    mail(world, OTHER, "mail-2")

    again = worker.pair()

    assert again is not None
    assert again.ownership.pair == PAIR
    assert world.ownership.inspect(OTHER).fence == 0


@pytest.mark.parametrize("how", ["released", "lost", "nothing waits"])
def test_worker_that_lost_its_pair_gets_no_other(world: World, how: str) -> None:
    mail(world)
    worker = InProcessBroker(world)
    granted = worker.pair()
    assert granted is not None
    if how == "released":
        worker.leaving()
        world.ownership.release_lease(granted.ownership)
    elif how == "lost":
        world.clock.advance(world.timing.lease_seconds + world.timing.clock_margin_seconds + 1)
        world.ownership.claim(PAIR, "worker-2")
    else:
        _end_everything(world)
    mail(world, OTHER, "mail-2")

    with pytest.raises(NotRegisteredError):
        worker.pair()

    assert world.ownership.inspect(OTHER).fence == 0


def _end_everything(world: World) -> None:
    for record in world.jobs.open_jobs_of(PAIR):
        world.jobs.conclude(PAIR, record.job_id, Outcome(state="failed"), settled=True)


# ── the caller ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("task_id", "slot", "launch_id"),
    [
        ("worker-2", LAUNCH.slot, LAUNCH.launch_id),
        (TASK, LAUNCH.slot, "guessed"),
        (TASK, SECOND.slot, SECOND.launch_id),
        (TASK, "shortage", LAUNCH.launch_id),
    ],
    ids=["another task", "another launch", "a free slot", "an item that is not a slot"],
)
@pytest.mark.parametrize("ask", BrokerAction)
def test_unregistered_worker_gets_nothing(
    world: World, ask: BrokerAction, task_id: str, slot: str, launch_id: str
) -> None:
    mail(world)
    InProcessBroker(world)
    world.workers.note_shortage(1)
    request = BrokerRequest(ask=ask, slot=slot, launch_id=launch_id)

    answer = broker_of(world).run(request, task_id, "call")

    assert (answer.registered, answer.grant, answer.credentials, answer.should_yield) == (False, None, None, False)
    assert entry(world).phase is Phase.STARTING
    assert world.ownership.inspect(PAIR).fence == 0


def url_call(user_arn: str) -> FunctionUrlCall:
    return FunctionUrlCall.read({"requestContext": {"authorizer": {"iam": {"userArn": user_arn}}}, "body": "{}"})


def test_caller_is_identified_by_its_task() -> None:
    caller = "arn:aws:sts::123456789012:assumed-role/webordinary-worker-task/0123abcd"

    assert url_call(caller).session_of(ROLE) == "0123abcd"


@pytest.mark.parametrize(
    "caller",
    [
        "",
        "arn:aws:iam::123456789012:user/operator",
        "arn:aws:iam::123456789012:role/webordinary-worker-task",
        "arn:aws:sts::123456789012:assumed-role/webordinary-worker-access/0123abcd",
        "arn:aws:sts::210987654321:assumed-role/webordinary-worker-task/0123abcd",
        "arn:aws:sts::123456789012:assumed-role/webordinary-worker-task-2/0123abcd",
        "arn:aws:sts::123456789012:assumed-role/webordinary-worker-task/",
        "arn:aws:sts::123456789012:assumed-role/webordinary-worker-task/0123/4567",
        "arn:aws-cn:sts::123456789012:assumed-role/webordinary-worker-task/0123abcd",
    ],
)
def test_caller_without_the_worker_role_is_rejected(caller: str) -> None:
    with pytest.raises(ForeignCallerError):
        url_call(caller).session_of(ROLE)


# ── live previews ───────────────────────────────────────────────────────────────────────────────────────────────────


class RecordedRoutes:
    """Records the calls of LiveRoutes, which tests/unit/aws/test_alb_routes.py tests."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.fails = False

    def show(self, *what: str) -> None:
        self.calls.append(("show", *what))
        if self.fails:
            raise NoRouteError(what[0], "it is broken")

    def hide(self, *what: str) -> None:
        self.calls.append(("hide", *what))


def showing(world: World) -> tuple[InProcessBroker, RecordedRoutes]:
    """A worker that holds its pair, with a load balancer."""
    mail(world)
    worker, routes = InProcessBroker(world), RecordedRoutes()
    worker.broker = replace(worker.broker, routes=cast(Any, routes), belongs_to=world.threads.belongs_to)
    worker.pair()
    return worker, routes


def test_show_routes_a_thread_of_the_own_pair_to_the_own_slot(world: World) -> None:
    thread = world.threads.open(PAIR, "<first@example.com>").thread_id
    worker, routes = showing(world)

    worker.ask(BrokerAction.SHOW, thread)
    worker.ask(BrokerAction.HIDE, thread)

    assert routes.calls == [
        ("show", LAUNCH.slot, TASK, PAIR.project, thread),
        ("hide", LAUNCH.slot, PAIR.project, thread),
    ]


@pytest.mark.parametrize("owner", [OTHER, Pair(project=PAIR.project, user="eve"), None], ids=str)
def test_show_rejects_a_thread_of_another_pair(world: World, owner: Pair | None) -> None:
    thread = world.threads.open(owner, "<first@example.com>").thread_id if owner else "c" * 26
    worker, routes = showing(world)

    with pytest.raises(NotRegisteredError):
        worker.ask(BrokerAction.SHOW, thread)

    assert routes.calls == []


def test_show_without_a_thread_is_rejected(world: World) -> None:
    worker, routes = showing(world)

    with pytest.raises(NotRegisteredError):
        worker.ask(BrokerAction.SHOW)
    worker.ask(BrokerAction.HIDE)

    assert routes.calls == []


@pytest.mark.parametrize("how", ["has none yet", "lost it"])
def test_show_without_a_pair_is_rejected(world: World, how: str) -> None:
    thread = world.threads.open(PAIR, "<first@example.com>").thread_id
    worker, routes = showing(world)
    if how == "has none yet":
        worker = InProcessBroker(world, "worker-2", SECOND)
        worker.broker = replace(worker.broker, routes=cast(Any, routes), belongs_to=world.threads.belongs_to)
        worker.ask(BrokerAction.HIDE, thread)
    else:
        world.clock.advance(world.timing.lease_seconds + world.timing.clock_margin_seconds + 1)
        world.ownership.claim(PAIR, "worker-2")

    with pytest.raises(NotRegisteredError):
        worker.ask(BrokerAction.SHOW, thread)

    assert routes.calls == []


def test_failed_route_does_not_affect_the_worker(world: World) -> None:
    thread = world.threads.open(PAIR, "<first@example.com>").thread_id
    worker, routes = showing(world)
    routes.fails = True

    assert worker.ask(BrokerAction.SHOW, thread).registered
    assert credentials(worker) is not None


def test_show_without_a_load_balancer_is_accepted(world: World) -> None:
    thread = world.threads.open(PAIR, "<first@example.com>").thread_id
    worker, _ = showing(world)

    def looks_it_up(_thread_id: str, _pair: Pair) -> bool:
        raise AssertionError("it has no right to that then")

    worker.broker = replace(worker.broker, routes=None, belongs_to=looks_it_up)

    assert worker.ask(BrokerAction.SHOW, thread).registered
    assert worker.ask(BrokerAction.HIDE, thread).registered


# ── credentials, yielding and the end ───────────────────────────────────────────────────────────────────────────────


def credentials(worker: InProcessBroker) -> PairCredentials | None:
    return worker.ask(BrokerAction.CREDENTIALS).credentials


def test_owner_gets_new_credentials_of_its_pair(world: World) -> None:
    mail(world)
    worker = InProcessBroker(world)
    worker.pair()

    renewed = credentials(worker)

    assert renewed is not None
    assert renewed.session_token == PAIR.key


def test_owner_gets_a_token_for_its_own_repository_only(world: World) -> None:
    asked: list[str] = []

    def open_repository(project: str) -> RepositoryAccess:
        asked.append(project)
        return RepositoryAccess(token=f"token of {project}", expires_at=world.clock())

    mail(world)
    worker = InProcessBroker(world)
    worker.broker = replace(worker.broker, open_repository=open_repository)
    with pytest.raises(NotRegisteredError):
        worker.ask(BrokerAction.REPOSITORY)
    worker.pair()

    access = worker.ask(BrokerAction.REPOSITORY).repository

    assert access is not None
    assert access.token == "token of bakery"
    worker.gone()
    with pytest.raises(NotRegisteredError):
        worker.ask(BrokerAction.REPOSITORY)
    assert asked == [PAIR.project]


@pytest.mark.parametrize("how", ["never had one", "released", "lost", "gone"])
def test_worker_without_ownership_gets_no_credentials(world: World, how: str) -> None:
    worker = InProcessBroker(world)
    if how != "never had one":
        mail(world)
        granted = worker.pair()
        assert granted is not None
        if how == "released":
            world.ownership.release_lease(granted.ownership)
        elif how == "lost":
            world.clock.advance(world.timing.lease_seconds + world.timing.clock_margin_seconds + 1)
            world.ownership.claim(PAIR, "worker-2")
        else:
            worker.gone()

    with pytest.raises(NotRegisteredError):
        credentials(worker)


def test_worker_yields_for_one_missing_slot_however_often_it_asks(world: World) -> None:
    mail(world)
    worker = InProcessBroker(world)
    worker.pair()
    world.workers.note_shortage(2)

    assert [worker.should_yield() for _ in range(3)] == [True, True, True]
    assert world.workers.should_yield()  # one missing slot is left
    assert not world.workers.should_yield()


def test_worker_without_a_pair_does_not_yield(world: World) -> None:
    worker = InProcessBroker(world)
    worker.pair()
    world.workers.note_shortage(1)

    assert not worker.should_yield()


def test_gone_worker_requests_a_successor_once(world: World) -> None:
    mail(world)
    worker = InProcessBroker(world)
    worker.pair()

    worker.gone()
    worker.gone()

    assert [WorkerRequest.read(body).pair for body in world.waiting("unclaimed")] == [PAIR]
    assert world.ownership.inspect(PAIR).container_id is None
    assert entry(world).phase is Phase.GONE


def test_gone_worker_does_not_affect_the_next_owner(world: World) -> None:
    mail(world)
    worker = InProcessBroker(world)
    worker.pair()
    world.clock.advance(world.timing.lease_seconds + world.timing.clock_margin_seconds + 1)
    world.ownership.claim(PAIR, "worker-2")

    worker.gone()

    assert world.ownership.inspect(PAIR).container_id == "worker-2"
    assert world.waiting("unclaimed") == []


def test_gone_worker_gets_no_pair(world: World) -> None:
    worker = InProcessBroker(world)
    worker.gone()
    mail(world)

    with pytest.raises(NotRegisteredError):
        worker.pair()


def test_credentials_are_not_logged(world: World) -> None:
    mail(world)
    granted = InProcessBroker(world).pair()

    assert granted is not None
    assert "secret" not in repr(granted).replace("secret_access_key", "")
    assert PAIR.key not in repr(granted.credentials)


def test_waiting_time_for_a_worker_is_measured(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    flush_metrics()
    capsys.readouterr()
    mail(world)
    world.clock.advance(7)

    assert InProcessBroker(world).pair() is not None

    flush_metrics()
    written = [json.loads(line) for line in capsys.readouterr().out.splitlines() if "_aws" in line]
    assert [line["Claims.seconds_waited"] for line in written] == [[7.0]]
