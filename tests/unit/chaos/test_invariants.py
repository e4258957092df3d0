"""The invariants of a chaos run: each detects its violations and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.chaos.invariants import check_invariants
from tests.chaos.observed_state import ObservedMail, ObservedState, PairLease
from tests.chaos.plan import WRITERS, PlannedMail

DONE_MAIL = ObservedMail(
    mail=PlannedMail(1, WRITERS[0], "Note 001 amber fern.", 0.0),
    job_id="job-1",
    state="done",
    is_final=True,
    is_settled=True,
    decisions=1,
    attempts=2,
    replies=1,
    commits=1,
    in_source=1,
    in_preview=1,
    has_preview_link=True,
    seconds=20.0,
)
IDLE = ObservedState(mails=(DONE_MAIL,), queues={}, leases=(), fences={"bakery#ada": (1, 2, 5)})


def violated(observed: ObservedState) -> list[str]:
    return [result.invariant for result in check_invariants(observed) if not result.holds]


def test_successful_run_violates_nothing() -> None:
    assert violated(IDLE) == []


@pytest.mark.parametrize(
    ("wrong", "invariant"),
    [
        ({"is_final": False}, "every mail has exactly one final state"),
        ({"is_settled": False}, "every mail has exactly one final state"),
        ({"decisions": 2}, "every mail has exactly one final state"),
        ({"replies": 0}, "every mail has exactly one reply"),
        ({"replies": 2}, "every mail has exactly one reply"),
        ({"state": "failed"}, "every mail is done, or preempted by a newer one"),
        ({"commits": 2}, "every change is on its thread's branch exactly once"),
        ({"in_source": 2, "in_preview": 2}, "every change is on its thread's branch exactly once"),
        ({"in_preview": 0}, "every preview shows its thread's newest state"),
        ({"has_preview_link": False}, "every preview shows its thread's newest state"),
    ],
)
def test_wrong_state_of_a_mail_violates_its_invariant(wrong: dict[str, Any], invariant: str) -> None:
    assert violated(replace(IDLE, mails=(replace(DONE_MAIL, **wrong),))) == [invariant]


def test_mail_followed_by_a_newer_one_may_be_preempted() -> None:
    preempted = replace(DONE_MAIL, mail=replace(DONE_MAIL.mail, preempted=True), state="preempted", commits=0)

    assert violated(replace(IDLE, mails=(preempted,))) == []


def test_mail_without_a_newer_one_may_not_be_preempted() -> None:
    preempted = replace(DONE_MAIL, state="preempted", commits=0)

    assert violated(replace(IDLE, mails=(preempted,))) == ["every mail is done, or preempted by a newer one"]


def test_message_left_in_a_queue_is_a_violation() -> None:
    assert violated(replace(IDLE, queues={"webordinary-unclaimed": 1})) == ["no queue holds a message"]


@pytest.mark.parametrize("fences", [(1, 3, 2), (1, 1)])
def test_fence_that_does_not_increase_is_a_violation(fences: tuple[int, ...]) -> None:
    assert violated(replace(IDLE, fences={"bakery#ada": fences})) == ["fences increase"]


@pytest.mark.parametrize(
    ("is_live", "container_runs", "violation"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_only_a_live_lease_of_a_stopped_worker_is_a_violation(
    is_live: bool, container_runs: bool, violation: bool
) -> None:
    lease = PairLease("bakery#ada", "worker-1", is_live, container_runs)

    assert ("no pair is leased by a stopped worker" in violated(replace(IDLE, leases=(lease,)))) is violation


def test_too_many_workers_are_a_violation() -> None:
    assert violated(replace(IDLE, peak_workers=4, maximum=3)) == ["the number of workers never exceeds the maximum"]
