"""The fleet's last decisions and the rate of claims."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tests.support.world import World
from webordinary.contract.values import limit
from webordinary.protocol.policies import updated_rate
from webordinary.tables.claim_rates import ClaimRate, ClaimRates
from webordinary.tables.fleet_decisions import FleetDecision, FleetDecisions, Reason


def test_latest_decisions_are_listed_newest_first(world: World) -> None:
    decisions = FleetDecisions(world.dynamodb, world.names)
    first = FleetDecision(world.clock(), Reason.DEMAND, waiting=2, started=2, maximum=10)
    second = replace(first, at=first.at + timedelta(seconds=5), reason=Reason.FULL, missing=1, claims_per_hour=40)
    decisions.record(first)
    decisions.record(second)

    assert decisions.latest() == [second, first]


def test_the_ring_keeps_only_the_last_decisions(world: World) -> None:
    decisions, size = FleetDecisions(world.dynamodb, world.names), limit("fleet_decisions")
    for number in range(size + 3):
        decisions.record(FleetDecision(world.clock() + timedelta(seconds=number), Reason.DEMAND, waiting=number))

    assert [decision.waiting for decision in decisions.latest()] == list(range(size + 2, 2, -1))


def test_decisions_are_no_slots_of_the_fleet(world: World) -> None:
    FleetDecisions(world.dynamodb, world.names).record(FleetDecision(world.clock(), Reason.SPARE))
    ClaimRates(world.dynamodb, world.names).count()

    assert world.workers.all() == []


def test_claims_are_counted_and_the_rate_is_kept(world: World) -> None:
    rates = ClaimRates(world.dynamodb, world.names)
    for _ in range(3):
        rates.count()
    before, claims = rates.read()
    rate = updated_rate(world.timing, before, claims, world.clock())

    assert rates.note(before, rate)
    stored, claims = rates.read()
    assert (claims, stored.counted, stored.noted_at, stored.last_claim_at) == (3, 3, world.clock(), world.clock())
    assert abs(stored.per_second - rate.per_second) < 1e-6


def test_of_two_concurrent_runs_one_stores_its_rate(world: World) -> None:
    rates = ClaimRates(world.dynamodb, world.names)
    rates.count()
    before, claims = rates.read()
    rate = updated_rate(world.timing, before, claims, world.clock())

    assert rates.note(before, rate)
    assert not rates.note(before, ClaimRate(9.0, 9, world.clock() + timedelta(seconds=1)))
    assert rates.read()[0].counted == 1
