"""The plan of a chaos run."""

from __future__ import annotations

import pytest

from tests.chaos.plan import EARLY, KILL_POINTS, FaultKind, Size, make_plan

LONG = Size(mails=32, kills=22, short_stalls=2, long_stalls=1, sleeps=2, duplicates=5, preemptions=4)
SEEDS = range(30)


def test_same_seed_gives_the_same_plan() -> None:
    assert make_plan(5, LONG) == make_plan(5, LONG)


def test_different_seeds_give_different_plans() -> None:
    assert make_plan(5, LONG) != make_plan(6, LONG)


@pytest.mark.parametrize("seed", SEEDS)
def test_plan_has_the_requested_number_of_mails_and_kills(seed: int) -> None:
    plan = make_plan(seed, LONG)

    assert [mail.number for mail in plan.mails] == list(range(LONG.mails))
    assert len(plan.faults(FaultKind.KILL)) == LONG.kills


def test_every_mail_has_a_unique_marker() -> None:
    assert len({mail.marker for mail in make_plan(5, LONG).mails}) == LONG.mails


@pytest.mark.parametrize("seed", SEEDS)
def test_double_kills_start_before_the_push(seed: int) -> None:
    chains = [chain for chain in make_plan(seed, LONG).chains if len(chain) > 1]

    assert all(chain[0].after in EARLY for chain in chains)


@pytest.mark.parametrize("seed", SEEDS)
def test_plan_covers_every_kill_point(seed: int) -> None:
    kills = make_plan(seed, LONG).faults(FaultKind.KILL)

    assert {fault.after for fault in kills} >= set(KILL_POINTS)


@pytest.mark.parametrize("seed", SEEDS)
def test_preempted_mails_have_no_faults(seed: int) -> None:
    plan = make_plan(seed, LONG)
    preempted = {mail.number for mail in plan.mails if mail.preempted}

    assert preempted.isdisjoint(fault.mail for chain in plan.chains for fault in chain)


def test_last_mail_of_a_conversation_is_never_preempted() -> None:
    conversations = [conversation for stream in make_plan(5, LONG).streams for conversation in stream]

    assert any(mail.preempted for conversation in conversations for mail in conversation)
    assert not any(conversation[-1].preempted for conversation in conversations)
