"""The plan of a chaos run: what a seed promises."""

from __future__ import annotations

import pytest

from tests.chaos.plan import EARLY, KILL_POINTS, Size, Trouble, make_plan

LONG = Size(mails=32, kills=22, short_stalls=2, long_stalls=1, sleeps=2, duplicates=5, hurries=4)
SEEDS = range(30)


def test_the_same_seed_gives_the_same_plan() -> None:
    assert make_plan(5, LONG) == make_plan(5, LONG)


def test_another_seed_gives_another_plan() -> None:
    assert make_plan(5, LONG) != make_plan(6, LONG)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_plan_has_as_many_mails_and_kills_as_asked_for(seed: int) -> None:
    plan = make_plan(seed, LONG)

    assert [mail.number for mail in plan.mails] == list(range(LONG.mails))
    assert len(plan.strikes(Trouble.KILL)) == LONG.kills


def test_no_two_mails_ask_for_the_same() -> None:
    assert len({mail.marker for mail in make_plan(5, LONG).mails}) == LONG.mails


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mail_whose_next_worker_dies_too_was_first_hit_before_anything_was_published(seed: int) -> None:
    chains = [chain for chain in make_plan(seed, LONG).chains if len(chain) > 1]

    assert all(chain[0].after in EARLY for chain in chains)


@pytest.mark.parametrize("seed", SEEDS)
def test_workers_die_at_every_point_of_a_job(seed: int) -> None:
    kills = make_plan(seed, LONG).strikes(Trouble.KILL)

    assert {strike.after for strike in kills} >= set(KILL_POINTS)


@pytest.mark.parametrize("seed", SEEDS)
def test_troubles_strike_only_mails_that_go_all_the_way(seed: int) -> None:
    plan = make_plan(seed, LONG)
    overtaken = {mail.number for mail in plan.mails if mail.overtaken}

    assert overtaken.isdisjoint(strike.mail for chain in plan.chains for strike in chain)


def test_only_a_mail_with_a_successor_in_its_conversation_is_overtaken() -> None:
    conversations = [conversation for stream in make_plan(5, LONG).streams for conversation in stream]

    assert any(mail.overtaken for conversation in conversations for mail in conversation)
    assert not any(conversation[-1].overtaken for conversation in conversations)
