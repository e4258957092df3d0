"""A pair's queues are created with its first mail."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.support.world import World
from webordinary.aws.queue_provisioning import PairQueues, QueueNotReadyError
from webordinary.aws.queues import Queues, ReceivedMessage
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import DispatchOrder, Job
from webordinary.contract.settings import Timing
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.steps.dispatch import Dispatch

NEW = Pair(project="new-museum", user="eve")


@pytest.fixture
def pair_queues(world: World) -> PairQueues:
    return PairQueues(world.sqs, world.names, world.timing)


@pytest.fixture
def queues(world: World, pair_queues: PairQueues) -> Queues:
    return Queues(world.sqs, world.names, pair_queues.ensure)


def attributes(world: World, kind: str) -> dict[str, str]:
    found = world.sqs.get_queue_attributes(QueueUrl=world.queues.url(kind, NEW), AttributeNames=["All"])
    return dict(found["Attributes"])


def job(world: World) -> Job:
    return world.job(pair=NEW)


def send(world: World, queues: Queues) -> None:
    queues.send_in_order("input", job(world), group=NEW.key, deduplication_id="1", pair=NEW)


def test_first_job_creates_the_queues(world: World, queues: Queues) -> None:
    send(world, queues)

    assert len(world.waiting("input", NEW)) == 1
    found = attributes(world, "input")
    assert (found["FifoQueue"], found["SqsManagedSseEnabled"]) == ("true", "true")
    assert json.loads(found["RedrivePolicy"])["deadLetterTargetArn"].endswith(":webordinary-input-dlq.fifo")
    assert json.loads(found["Policy"])["Statement"][0]["Effect"] == "Deny"
    assert attributes(world, "interrupts")["MessageRetentionPeriod"] == "3600"


def test_existing_queues_are_not_changed(world: World, queues: Queues, pair_queues: PairQueues) -> None:
    send(world, queues)
    pair_queues.ensure(NEW)

    assert len(world.waiting("input", NEW)) == 1


def test_queues_with_old_settings_are_updated(world: World, pair_queues: PairQueues) -> None:
    pair_queues.ensure(NEW)
    longer = Timing.model_validate({"input_visibility_seconds": 240})

    PairQueues(world.sqs, world.names, longer).ensure(NEW)

    assert attributes(world, "input")["VisibilityTimeout"] == "240"


def test_queue_encryption_follows_the_kms_key_setting(world: World, pair_queues: PairQueues) -> None:
    pair_queues.ensure(NEW)
    with_key = PairQueues(world.sqs, world.names, world.timing, "arn:aws:kms:us-east-1:123456789012:key/1")

    with_key.ensure(NEW)
    for kind in ("input", "interrupts"):
        found = attributes(world, kind)
        assert (found["KmsMasterKeyId"][-5:], found["SqsManagedSseEnabled"]) == ("key/1", "false")

    pair_queues.ensure(NEW)
    found = attributes(world, "input")
    assert (found.get("KmsMasterKeyId", ""), found["SqsManagedSseEnabled"]) == ("", "true")


def test_missing_queue_is_empty(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("webordinary.aws.queues.time.sleep", waited.append)
    gone = ReceivedMessage(body="", receipt="receipt", attempt=1)

    assert world.queues.receive("input", wait_seconds=5, visibility_seconds=1, pair=NEW) is None
    assert waited == [1]  # a polling loop does not spin
    assert world.queues.is_empty("input", NEW)
    world.queues.delete("input", gone, NEW)
    world.queues.hide("input", gone, 0, NEW)


def test_sending_to_a_missing_queue_raises_without_permission(world: World) -> None:
    with pytest.raises(ClientError):
        send(world, world.queues)


class RecentlyDeletedQueue:
    """SQS within a minute after a deletion."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.meta = client.meta

    def create_queue(self, **_: Any) -> None:
        raise ClientError({"Error": {"Code": "QueueDeletedRecently", "Message": "wait"}}, "CreateQueue")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


def test_job_for_a_recently_deleted_queue_waits_for_the_sweep(world: World) -> None:
    client: Any = RecentlyDeletedQueue(world.sqs)
    ensure = PairQueues(client, world.names, world.timing).ensure
    queues = Queues(client, world.names, ensure)
    worker_requests = WorkerRequests(
        world.dynamodb, queues, world.names, world.timing, world.clock, before_sending=ensure
    )

    Dispatch(world.jobs, queues, world.ownership, worker_requests, world.tokens, world.projects).run(
        DispatchOrder(job=job(world), task_token="token")
    )

    assert [record.state for record in world.jobs.open_jobs_of(NEW)] == ["waiting"]
    assert world.waiting("unclaimed") == []  # no worker is requested for a pair without queues


def test_worker_request_creates_the_queues_first(world: World, pair_queues: PairQueues) -> None:
    def worker_requests(client: Any) -> WorkerRequests:
        ensure = PairQueues(client, world.names, world.timing).ensure
        return WorkerRequests(
            world.dynamodb, world.queues, world.names, world.timing, world.clock, before_sending=ensure
        )

    with pytest.raises(QueueNotReadyError):
        worker_requests(RecentlyDeletedQueue(world.sqs)).request(NEW, "mail-1")
    assert world.waiting("unclaimed") == []

    worker_requests(world.sqs).request(NEW, "mail-1")  # the failed request did not start a window
    assert len(world.waiting("unclaimed")) == 1
    assert world.queues.is_empty("input", NEW)


def test_deleting_missing_queues_does_nothing(pair_queues: PairQueues) -> None:
    pair_queues.delete(NEW)
    pair_queues.ensure(NEW)
    pair_queues.delete(NEW)
    pair_queues.delete(NEW)

    assert NEW not in pair_queues.list_page(None)[0]


def test_list_page_returns_pairs_without_dead_letter_queues(world: World, pair_queues: PairQueues) -> None:
    pair_queues.ensure(NEW)

    pairs, goes_on = pair_queues.list_page(None)

    assert sorted(pair.key for pair in pairs) == ["bakery#ada", "new-museum#eve"]
    assert goes_on is None
