"""What a worker did for a job, from its milestones."""

from datetime import UTC, datetime, timedelta

import pytest

from webordinary_ops.console.data.job_timeline import Milestone, with_takeovers

START = datetime(2026, 11, 18, 15, 0, tzinfo=UTC)


def milestone(second: int, source: str, name: str, detail: str = "") -> Milestone:
    return Milestone(START + timedelta(seconds=second), source, name, detail)


def test_second_claim_by_another_worker_is_a_takeover() -> None:
    found = with_takeovers(
        [
            milestone(9, "worker-b", "pair_claimed", "bakery#ada with fence 4"),
            milestone(1, "worker-a", "pair_claimed", "bakery#ada with fence 3"),
            milestone(2, "worker-a", "agent_started"),
        ]
    )

    assert [one.name for one in found] == ["pair_claimed", "agent_started", "pair_taken_over"]
    assert found[-1].detail == "from worker-a, bakery#ada with fence 4"
    assert found[-1].words == "Another worker took the job over"


@pytest.mark.parametrize("end", ["job_ended", "job_settled", "reply_sent"])
def test_claim_after_the_end_is_no_takeover(end: str) -> None:
    before = [milestone(1, "worker-a", "pair_claimed"), milestone(2, "relay-callback", end)]

    assert with_takeovers([*before, milestone(3, "worker-b", "pair_claimed")]) == before


def test_claim_after_a_lost_report_is_a_takeover() -> None:
    found = with_takeovers(
        [
            milestone(1, "worker-a", "pair_claimed"),
            milestone(2, "worker-a", "job_reported"),
            milestone(3, "worker-b", "pair_claimed"),
        ]
    )

    assert found[-1].name == "pair_taken_over"


def test_second_claim_by_the_same_worker_is_no_takeover() -> None:
    claims = [milestone(second, "worker-a", "pair_claimed") for second in (1, 2)]

    assert with_takeovers(claims) == claims
