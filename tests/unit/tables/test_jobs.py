"""The promises of webordinary.tables.jobs: conditional transitions, one final state."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, cast

import pytest

from tests.support.world import ManualClock, tables_on_moto
from webordinary.contract.errors import UnknownJobError
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import Envelope
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.names import Names
from webordinary.contract.outcomes import Failure
from webordinary.contract.values import contract
from webordinary.tables.items import to_values
from webordinary.tables.jobs import (
    JobNotStartableError,
    JobsTable,
    JobState,
    JobStillOpenError,
    StaleReportError,
    UnreadableJobError,
)

NAMES = Names("webordinary", "123456789012")
PAIR = Pair(project="bakery", user="ada")
DONE = Outcome(state="done", summary="The opening hours are changed.")
FAILED = Outcome(state="failed", failure=Failure.TIMED_OUT)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def jobs(clock: ManualClock) -> Iterator[JobsTable]:
    with tables_on_moto(NAMES) as client:
        yield JobsTable(client, NAMES, clock)


def job(clock: ManualClock, job_id: str = "mail-1") -> Job:
    envelope = Envelope(sender="ada@example.com", recipient="edit@example.org", subject="", message_id=f"<{job_id}>")
    return Job(
        job_id=job_id,
        pair=PAIR,
        thread_id="a" * 26,
        instruction="Please change the opening hours.",
        envelope=envelope,
        received_at=clock.now,
    )


@pytest.fixture
def waiting(jobs: JobsTable, clock: ManualClock) -> str:
    return jobs.record(job(clock), "token-1").job.job_id


def test_recorded_job_waits_with_its_token(jobs: JobsTable, waiting: str) -> None:
    record = jobs.get(PAIR, waiting)

    assert (record.state, record.task_token) == (JobState.WAITING, "token-1")


def test_recorded_job_is_read_back_unchanged(jobs: JobsTable, waiting: str, clock: ManualClock) -> None:
    assert jobs.get(PAIR, waiting).job == job(clock)


def test_recording_again_replaces_only_the_token(jobs: JobsTable, waiting: str, clock: ManualClock) -> None:
    jobs.start(PAIR, waiting, 1)

    record = jobs.record(job(clock), "token-2")

    assert (record.state, record.fence, record.task_token) == (JobState.RUNNING, 1, "token-2")


def test_recording_a_finished_job_changes_nothing(jobs: JobsTable, waiting: str, clock: ManualClock) -> None:
    ended = jobs.conclude(PAIR, waiting, FAILED)

    assert jobs.record(job(clock), "token-2") == ended


def test_owner_starts_a_waiting_job(jobs: JobsTable, waiting: str) -> None:
    record = jobs.start(PAIR, waiting, 3)

    assert (record.state, record.fence) == (JobState.RUNNING, 3)


def test_job_is_not_started_twice_with_one_fence(jobs: JobsTable, waiting: str) -> None:
    jobs.start(PAIR, waiting, 3)

    with pytest.raises(JobNotStartableError):
        jobs.start(PAIR, waiting, 3)


def test_start_error_carries_the_record(jobs: JobsTable, waiting: str) -> None:
    running = jobs.start(PAIR, waiting, 3)

    with pytest.raises(JobNotStartableError) as refused:
        jobs.start(PAIR, waiting, 2)

    assert refused.value.record == running


def test_greater_fence_takes_over_a_running_job(jobs: JobsTable, waiting: str) -> None:
    jobs.start(PAIR, waiting, 3)

    assert jobs.start(PAIR, waiting, 4).fence == 4


def test_finished_job_is_not_started_again(jobs: JobsTable, waiting: str) -> None:
    jobs.start(PAIR, waiting, 3)
    jobs.finish(PAIR, waiting, 3, DONE)

    with pytest.raises(JobNotStartableError):
        jobs.start(PAIR, waiting, 4)


def test_unknown_job_cannot_be_started(jobs: JobsTable) -> None:
    with pytest.raises(JobNotStartableError) as refused:
        jobs.start(PAIR, "mail-9", 1)

    assert refused.value.record is None


def test_running_fence_finishes_the_job(jobs: JobsTable, waiting: str) -> None:
    jobs.start(PAIR, waiting, 3)

    record = jobs.finish(PAIR, waiting, 3, DONE)

    assert (record.state, record.outcome) == (JobState.DONE, DONE)


@pytest.mark.parametrize("fence", [2, 4])
def test_other_fence_cannot_finish_the_job(jobs: JobsTable, waiting: str, fence: int) -> None:
    jobs.start(PAIR, waiting, 3)

    with pytest.raises(StaleReportError):
        jobs.finish(PAIR, waiting, fence, DONE)


def test_stale_worker_cannot_finish_the_job_of_its_successor(jobs: JobsTable, waiting: str) -> None:
    jobs.start(PAIR, waiting, 3)
    successor = jobs.start(PAIR, waiting, 4)

    with pytest.raises(StaleReportError):
        jobs.finish(PAIR, waiting, 3, DONE)

    assert jobs.get(PAIR, waiting) == successor


def test_requeued_job_cannot_be_finished_by_its_former_fence(jobs: JobsTable, waiting: str) -> None:
    jobs.start(PAIR, waiting, 3)
    jobs.requeue(PAIR, waiting, 3)

    with pytest.raises(StaleReportError):
        jobs.finish(PAIR, waiting, 3, DONE)


def test_repeated_finish_error_carries_the_first_outcome(jobs: JobsTable, waiting: str) -> None:
    jobs.start(PAIR, waiting, 3)
    first = jobs.finish(PAIR, waiting, 3, DONE)

    with pytest.raises(StaleReportError) as stale:
        jobs.finish(PAIR, waiting, 3, DONE)

    assert stale.value.record == first


def test_job_requeued_by_the_sweep_needs_a_greater_fence(jobs: JobsTable, waiting: str) -> None:
    jobs.start(PAIR, waiting, 3)
    jobs.requeue(PAIR, waiting, 3)

    with pytest.raises(JobNotStartableError):
        jobs.start(PAIR, waiting, 3)


def test_job_requeued_by_its_owner_may_be_started_again(jobs: JobsTable, waiting: str) -> None:
    jobs.start(PAIR, waiting, 3)
    jobs.requeue(PAIR, waiting, 3, by_owner=True)

    assert jobs.start(PAIR, waiting, 3).state == JobState.RUNNING


def test_job_requeued_by_its_owner_is_not_started_by_an_older_fence(jobs: JobsTable, waiting: str) -> None:
    jobs.start(PAIR, waiting, 3)
    jobs.requeue(PAIR, waiting, 3, by_owner=True)

    with pytest.raises(JobNotStartableError):
        jobs.start(PAIR, waiting, 2)


def test_requeue_with_another_fence_changes_nothing(jobs: JobsTable, waiting: str) -> None:
    jobs.start(PAIR, waiting, 4)

    with pytest.raises(StaleReportError):
        jobs.requeue(PAIR, waiting, 3)


def test_conclude_ends_an_open_job(jobs: JobsTable, waiting: str) -> None:
    assert jobs.conclude(PAIR, waiting, FAILED).outcome == FAILED


def test_conclude_keeps_an_earlier_outcome(jobs: JobsTable, waiting: str) -> None:
    jobs.start(PAIR, waiting, 3)
    jobs.finish(PAIR, waiting, 3, DONE)

    assert jobs.conclude(PAIR, waiting, FAILED).outcome == DONE


def test_unknown_job_cannot_be_concluded(jobs: JobsTable) -> None:
    with pytest.raises(UnknownJobError):
        jobs.conclude(PAIR, "mail-9", FAILED)


def test_final_job_stays_in_the_open_index_until_settled(jobs: JobsTable, waiting: str) -> None:
    jobs.conclude(PAIR, waiting, FAILED)

    assert [record.job_id for record in jobs.open_jobs()] == [waiting]


def test_settled_job_leaves_the_open_index(jobs: JobsTable, waiting: str) -> None:
    jobs.conclude(PAIR, waiting, FAILED)
    jobs.settle(PAIR, waiting)

    assert list(jobs.open_jobs()) == []


def test_settled_job_has_no_token(jobs: JobsTable, waiting: str) -> None:
    jobs.conclude(PAIR, waiting, FAILED)
    jobs.settle(PAIR, waiting)

    assert jobs.get(PAIR, waiting).task_token is None


def test_settling_twice_is_no_error(jobs: JobsTable, waiting: str) -> None:
    jobs.conclude(PAIR, waiting, FAILED)
    jobs.settle(PAIR, waiting)

    jobs.settle(PAIR, waiting)

    assert jobs.get(PAIR, waiting).outcome == FAILED


def test_open_job_cannot_be_settled(jobs: JobsTable, waiting: str) -> None:
    with pytest.raises(JobStillOpenError):
        jobs.settle(PAIR, waiting)


def test_unknown_job_cannot_be_settled(jobs: JobsTable) -> None:
    with pytest.raises(UnknownJobError):
        jobs.settle(PAIR, "mail-9")


def test_open_jobs_of_a_pair_are_listed_oldest_first(jobs: JobsTable, clock: ManualClock) -> None:
    for job_id in ("mail-3", "mail-1", "mail-2"):
        jobs.record(job(clock, job_id), "token")
        clock.now += timedelta(seconds=1)
    jobs.start(PAIR, "mail-1", 1)
    jobs.conclude(PAIR, "mail-2", FAILED)

    assert [record.job.job_id for record in jobs.open_jobs_of(PAIR)] == ["mail-3", "mail-1"]


# ── what a worker writes ────────────────────────────────────────────────────────────────────────────────────────────


def write(jobs: JobsTable, job_id: str, **attributes: Any) -> None:
    item = {"projectKey": PAIR.key, "jobId": job_id, "state": "waiting", "open": "open", "updatedAt": 1, **attributes}
    jobs._client.put_item(TableName=NAMES.table("jobs"), Item=to_values(item))


@pytest.mark.parametrize(
    "update", [{"pair": Pair(project="garden", user="bob")}, {"job_id": "mail-2"}], ids=["pair", "id"]
)
def test_record_that_names_another_pair_or_id_is_unreadable(
    jobs: JobsTable, clock: ManualClock, update: dict[str, Any]
) -> None:
    write(jobs, "mail-1", job=job(clock).model_copy(update=update).wire_text(), receivedAt="2026-01-01")

    with pytest.raises(UnreadableJobError) as raised:
        jobs.get(PAIR, "mail-1")
    assert (raised.value.unreadable.pair, raised.value.unreadable.is_foreign) == (PAIR, True)
    assert jobs.open_jobs_of(PAIR) == []


@pytest.mark.parametrize("values", [{"fence": "1"}, {"taskToken": 1}, {"updatedAt": [1]}], ids=str)
def test_record_with_values_of_other_types_is_unreadable(
    jobs: JobsTable, clock: ManualClock, values: dict[str, Any]
) -> None:
    write(jobs, "mail-1", job=job(clock).wire_text(), **values)

    with pytest.raises(UnreadableJobError):
        jobs.get(PAIR, "mail-1")


def test_state_without_a_recorded_job_is_no_open_job(jobs: JobsTable, waiting: str) -> None:
    jobs._client.put_item(
        TableName=NAMES.table("jobs"), Item=to_values({"projectKey": "a#b", "jobId": "x", "state": "waiting"})
    )

    assert not jobs.has_open_jobs(Pair(project="a", user="b"))
    assert jobs.waiting_job_of(PAIR) == waiting


def test_workers_write_only_the_attributes_of_the_contract(jobs: JobsTable, waiting: str) -> None:
    written: set[str] = set()

    def note(params: dict[str, Any], **_: Any) -> None:
        body = str(params["body"].decode() if isinstance(params["body"], bytes) else params["body"])
        written.update(name for name in KNOWN if name in body.replace("if_not_exists", ""))

    jobs._client.meta.events.register("before-call.dynamodb.UpdateItem", note)
    jobs.start(PAIR, waiting, 1)
    jobs.requeue(PAIR, waiting, 1, by_owner=True)

    assert {"fence", "minFence", "state", "updatedAt"} <= written <= set(contract()["attributes_of_workers"]["jobs"])


KNOWN = {
    *("projectKey", "jobId", "state", "fence", "minFence", "updatedAt"),
    *("outcome", "taskToken", "receivedAt", "threadId", "ttl"),
}


def test_states_are_queried_as_the_policy_of_the_broker_requires() -> None:
    """Its condition on dynamodb:Select does not match a query without one."""
    asked: list[dict[str, Any]] = []

    class Client:
        def get_paginator(self, _call: str) -> Client:
            return self

        def paginate(self, **query: Any) -> list[dict[str, Any]]:
            if query["TableName"] != NAMES.table("jobs"):
                return [{"Items": [{"jobId": {"S": "mail-1"}}]}]
            asked.append(query)
            return []

    assert not JobsTable(cast(Any, Client()), NAMES).has_open_jobs(PAIR)
    assert [one["Select"] for one in asked] == ["SPECIFIC_ATTRIBUTES"]
