"""The promises of worker requests: one per window, exponential backoff, a half-opening breaker."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING, Any, cast

import pytest

from tests.model.queue_stand_in import QueueStandIn
from tests.support.world import ManualClock, tables_on_moto
from webordinary.aws.queues import Queues
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.ownership import RequestVerdict, WorkerRequest
from webordinary.contract.names import Names
from webordinary.contract.settings import Timing
from webordinary.protocol.worker_requests import WorkerRequests

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

NAMES = Names("webordinary", "123456789012")
PAIR = Pair(project="bakery", user="ada")
OTHER_PAIR = Pair(project="florist", user="ben")
WINDOW, LONGEST, FAILURES = 300, 3600, 3
TIMING = Timing.model_validate(
    {"claim_window_seconds": WINDOW, "claim_backoff_max_seconds": LONGEST, "claim_breaker_failures": FAILURES}
)


@pytest.fixture
def client() -> Iterator[DynamoDBClient]:
    with tables_on_moto(NAMES) as client:
        yield client


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def unclaimed() -> QueueStandIn:
    return QueueStandIn(lambda: 0, Random(0))  # noqa: S311


@pytest.fixture
def worker_requests(client: DynamoDBClient, unclaimed: QueueStandIn, clock: ManualClock) -> WorkerRequests:
    return WorkerRequests(client, Queues(cast(Any, unclaimed), NAMES), NAMES, TIMING, clock, lambda: 0.0)


def sent(unclaimed: QueueStandIn) -> list[WorkerRequest]:
    return [WorkerRequest.read(message.body) for message in unclaimed.messages(NAMES.queue("unclaimed"))]


def fail_until_the_breaker_opens(worker_requests: WorkerRequests, clock: ManualClock) -> None:
    """Sends each request as soon as allowed, without any worker, until the last window has passed."""
    for _ in range(FAILURES):
        decision = worker_requests.request(PAIR, "mail-1")
        clock.now = decision.next_allowed_at
    clock.advance(WINDOW - LONGEST)


def test_first_request_is_sent_at_once(
    worker_requests: WorkerRequests, unclaimed: QueueStandIn, clock: ManualClock
) -> None:
    worker_requests.request(PAIR, "mail-1")

    assert sent(unclaimed) == [WorkerRequest(pair=PAIR, job_id="mail-1", requested_at=clock.now)]


def test_second_request_within_the_window_is_not_sent(
    worker_requests: WorkerRequests, unclaimed: QueueStandIn, clock: ManualClock
) -> None:
    worker_requests.request(PAIR, "mail-1")
    clock.advance(WINDOW - 0.001)
    worker_requests.request(PAIR, "mail-2")

    assert len(sent(unclaimed)) == 1


def test_rate_limited_decision_has_the_next_allowed_time(worker_requests: WorkerRequests, clock: ManualClock) -> None:
    first = worker_requests.request(PAIR, "mail-1")
    clock.advance(1)

    second = worker_requests.request(PAIR, "mail-2")

    assert (second.verdict, second.next_allowed_at) == (RequestVerdict.RATE_LIMITED, first.next_allowed_at)


def test_request_is_sent_again_after_the_window(worker_requests: WorkerRequests, clock: ManualClock) -> None:
    worker_requests.request(PAIR, "mail-1")
    clock.advance(WINDOW)

    assert worker_requests.request(PAIR, "mail-1").verdict == RequestVerdict.SENT


def test_pairs_are_limited_independently(worker_requests: WorkerRequests) -> None:
    worker_requests.request(PAIR, "mail-1")

    assert worker_requests.request(OTHER_PAIR, "mail-2").verdict == RequestVerdict.SENT


def test_request_after_clear_is_sent_at_once(worker_requests: WorkerRequests) -> None:
    worker_requests.request(PAIR, "mail-1")
    worker_requests.clear(PAIR)

    assert worker_requests.request(PAIR, "mail-2").verdict == RequestVerdict.SENT


def test_clear_resets_the_attempts(worker_requests: WorkerRequests, clock: ManualClock) -> None:
    fail_until_the_breaker_opens(worker_requests, clock)
    worker_requests.clear(PAIR)

    assert worker_requests.request(PAIR, "mail-2").attempts == 1


def test_backoff_doubles_with_each_unanswered_request(worker_requests: WorkerRequests, clock: ManualClock) -> None:
    clock.now = worker_requests.request(PAIR, "mail-1").next_allowed_at

    second = worker_requests.request(PAIR, "mail-1")

    assert (second.next_allowed_at - clock.now).total_seconds() == 2 * WINDOW


def test_jitter_adds_at_most_a_quarter_to_the_backoff(
    client: DynamoDBClient, unclaimed: QueueStandIn, clock: ManualClock
) -> None:
    worker_requests = WorkerRequests(client, Queues(cast(Any, unclaimed), NAMES), NAMES, TIMING, clock, lambda: 1.0)
    clock.now = worker_requests.request(PAIR, "mail-1").next_allowed_at

    second = worker_requests.request(PAIR, "mail-1")

    assert (second.next_allowed_at - clock.now).total_seconds() == 2 * WINDOW * 1.25


def test_breaker_opens_after_repeated_failures(worker_requests: WorkerRequests, clock: ManualClock) -> None:
    fail_until_the_breaker_opens(worker_requests, clock)

    assert worker_requests.request(PAIR, "mail-2").verdict == RequestVerdict.BREAKER_OPEN


def test_breaker_stays_closed_within_the_last_window(worker_requests: WorkerRequests, clock: ManualClock) -> None:
    fail_until_the_breaker_opens(worker_requests, clock)
    clock.advance(-1)

    assert worker_requests.request(PAIR, "mail-2").verdict == RequestVerdict.RATE_LIMITED


def test_open_breaker_sends_nothing(
    worker_requests: WorkerRequests, clock: ManualClock, unclaimed: QueueStandIn
) -> None:
    fail_until_the_breaker_opens(worker_requests, clock)
    worker_requests.request(PAIR, "mail-2")

    assert len(sent(unclaimed)) == FAILURES


def test_breaker_half_opens_after_the_maximum_backoff(worker_requests: WorkerRequests, clock: ManualClock) -> None:
    fail_until_the_breaker_opens(worker_requests, clock)
    clock.advance(LONGEST - WINDOW)

    assert worker_requests.request(PAIR, "mail-2").verdict == RequestVerdict.SENT


def test_breaker_opens_again_when_the_trial_fails(worker_requests: WorkerRequests, clock: ManualClock) -> None:
    fail_until_the_breaker_opens(worker_requests, clock)
    clock.advance(LONGEST - WINDOW)
    worker_requests.request(PAIR, "mail-2")
    clock.advance(WINDOW)

    assert worker_requests.request(PAIR, "mail-3").verdict == RequestVerdict.BREAKER_OPEN


def test_of_two_concurrent_senders_only_one_sends(
    client: DynamoDBClient, worker_requests: WorkerRequests, unclaimed: QueueStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    _act_after_the_next_read(client, monkeypatch, lambda: worker_requests.request(PAIR, "mail-rival"))

    worker_requests.request(PAIR, "mail-1")

    assert [request.job_id for request in sent(unclaimed)] == ["mail-rival"]


def test_stale_read_before_a_clear_does_not_break_the_new_window(
    client: DynamoDBClient,
    worker_requests: WorkerRequests,
    unclaimed: QueueStandIn,
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker_requests.request(PAIR, "mail-1")
    clock.advance(WINDOW)

    def clear_and_ask_again() -> None:
        worker_requests.clear(PAIR)
        worker_requests.request(PAIR, "mail-rival")

    _act_after_the_next_read(client, monkeypatch, clear_and_ask_again)
    worker_requests.request(PAIR, "mail-2")

    assert [request.job_id for request in sent(unclaimed)] == ["mail-1", "mail-rival"]


def _act_after_the_next_read(client: Any, monkeypatch: pytest.MonkeyPatch, act: Any) -> None:
    read = client.get_item

    def read_then_rival(**request: Any) -> Any:
        answer = read(**request)
        monkeypatch.setattr(client, "get_item", read)
        act()
        return answer

    monkeypatch.setattr(client, "get_item", read_then_rival)
