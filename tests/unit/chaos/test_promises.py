"""The promises that a chaos run is judged by: each notices what breaks it, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.chaos.observed_state import Holding, ObservedMail, ObservedState
from tests.chaos.plan import WRITERS, PlannedMail
from tests.chaos.promises import judge

FINE = ObservedMail(
    mail=PlannedMail(1, WRITERS[0], "Note 001 amber fern.", 0.0),
    job_id="job-1",
    state="done",
    is_final=True,
    is_settled=True,
    decisions=1,
    attempts=2,
    answers=1,
    commits=1,
    in_source=1,
    in_preview=1,
    has_preview_link=True,
    seconds=20.0,
)
QUIET = ObservedState(mails=(FINE,), queues={}, holdings=(), fences={"bakery#ada": (1, 2, 5)})


def broken(observed: ObservedState) -> list[str]:
    return [verdict.promise for verdict in judge(observed) if not verdict.holds]


def test_a_run_that_ended_well_breaks_nothing() -> None:
    assert broken(QUIET) == []


@pytest.mark.parametrize(
    ("wrong", "promise"),
    [
        ({"is_final": False}, "every mail has exactly one final state"),
        ({"is_settled": False}, "every mail has exactly one final state"),
        ({"decisions": 2}, "every mail has exactly one final state"),
        ({"answers": 0}, "every mail has exactly one answer"),
        ({"answers": 2}, "every mail has exactly one answer"),
        ({"state": "failed"}, "every mail was carried out, or overtaken by a newer one"),
        ({"commits": 2}, "every change is on its thread's branch exactly once"),
        ({"in_source": 2, "in_preview": 2}, "every change is on its thread's branch exactly once"),
        ({"in_preview": 0}, "every preview shows its thread's newest state"),
        ({"has_preview_link": False}, "every preview shows its thread's newest state"),
    ],
)
def test_what_is_wrong_with_a_mail_breaks_the_promise_about_it(wrong: dict[str, Any], promise: str) -> None:
    assert broken(replace(QUIET, mails=(replace(FINE, **wrong),))) == [promise]


def test_a_mail_that_a_newer_one_overtook_may_be_preempted() -> None:
    overtaken = replace(FINE, mail=replace(FINE.mail, overtaken=True), state="preempted", commits=0)

    assert broken(replace(QUIET, mails=(overtaken,))) == []


def test_a_mail_that_no_newer_one_overtook_may_not_be_preempted() -> None:
    preempted = replace(FINE, state="preempted", commits=0)

    assert broken(replace(QUIET, mails=(preempted,))) == ["every mail was carried out, or overtaken by a newer one"]


def test_a_message_left_in_a_queue_is_noticed() -> None:
    assert broken(replace(QUIET, queues={"webordinary-unclaimed": 1})) == ["no queue holds a message"]


@pytest.mark.parametrize("fences", [(1, 3, 2), (1, 1)])
def test_a_fence_that_does_not_grow_is_noticed(fences: tuple[int, ...]) -> None:
    assert broken(replace(QUIET, fences={"bakery#ada": fences})) == ["fences only grow"]


@pytest.mark.parametrize(
    ("is_live", "container_runs", "noticed"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_only_a_lease_that_a_dead_container_holds_is_noticed(
    is_live: bool, container_runs: bool, noticed: bool
) -> None:
    holding = Holding("bakery#ada", "worker-1", is_live, container_runs)

    assert ("no pair is held by the dead" in broken(replace(QUIET, holdings=(holding,)))) is noticed


def test_a_worker_too_many_breaks_the_promise_about_it() -> None:
    assert broken(replace(QUIET, most_workers=4, maximum=3)) == ["there are never more workers than the maximum"]
