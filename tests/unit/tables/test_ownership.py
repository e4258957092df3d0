"""The promises of webordinary.tables.ownership, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.world import ManualClock, tables_on_moto
from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary.contract.settings import Timing
from webordinary.tables.items import from_item, from_milliseconds, milliseconds
from webordinary.tables.ownership import Ownership, OwnershipLostError, OwnershipTable, PairOwnedError, RunningCost

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

NAMES = Names("webordinary", "123456789012")
TIMING = Timing.model_validate({"lease_seconds": 60, "renewal_seconds": 15, "clock_margin_seconds": 5})
PAIR = Pair(project="bakery", user="ada")
OTHER_PAIR = Pair(project="florist", user="ben")


@pytest.fixture
def client() -> Iterator[DynamoDBClient]:
    with tables_on_moto(NAMES) as client:
        yield client


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def table(client: DynamoDBClient, clock: ManualClock) -> OwnershipTable:
    return OwnershipTable(client, NAMES, TIMING, clock)


def stored(client: DynamoDBClient) -> dict[str, Any]:
    return from_item(client.scan(TableName=NAMES.table("ownership"))["Items"][0])


def test_unclaimed_pair_has_no_owner_and_fence_zero(table: OwnershipTable) -> None:
    assert table.inspect(PAIR) == Ownership(PAIR, None, 0, None)


def test_first_claim_wins_with_fence_one(table: OwnershipTable) -> None:
    assert table.claim(PAIR, "worker-a").fence == 1


def test_lease_starts_when_the_claim_is_sent(table: OwnershipTable, clock: ManualClock) -> None:
    assert table.claim(PAIR, "worker-a").lease_expires_at == clock.now + timedelta(seconds=60)


def test_claim_of_an_owned_pair_fails_and_names_the_owner(table: OwnershipTable) -> None:
    owner = table.claim(PAIR, "worker-a", endpoint="http://127.0.0.1:4321")

    with pytest.raises(PairOwnedError) as lost:
        table.claim(PAIR, "worker-b")

    assert lost.value.ownership == owner


def test_lost_claim_changes_nothing(table: OwnershipTable, client: DynamoDBClient) -> None:
    table.claim(PAIR, "worker-a")
    before = stored(client)

    with pytest.raises(PairOwnedError):
        table.claim(PAIR, "worker-b")

    assert stored(client) == before


def test_repeated_claim_of_the_owner_gets_a_greater_fence(table: OwnershipTable) -> None:
    table.claim(PAIR, "worker-a")

    assert table.claim(PAIR, "worker-a").fence == 2


def test_no_takeover_within_the_clock_margin(table: OwnershipTable, clock: ManualClock) -> None:
    table.claim(PAIR, "worker-a")
    clock.advance(60 + 5)

    with pytest.raises(PairOwnedError):
        table.claim(PAIR, "worker-b")


def test_takeover_after_lease_and_margin_gets_a_greater_fence(table: OwnershipTable, clock: ManualClock) -> None:
    table.claim(PAIR, "worker-a")
    clock.advance(60 + 5.001)

    assert table.claim(PAIR, "worker-b").fence == 2


@pytest.mark.parametrize("seconds", [59.999, 64.999, 65, 65.001])
def test_is_owned_agrees_with_the_result_of_a_claim(table: OwnershipTable, clock: ManualClock, seconds: float) -> None:
    table.claim(PAIR, "worker-a")
    clock.advance(seconds)
    looked_owned = table.is_owned(PAIR)

    try:
        table.claim(PAIR, "worker-b")
        lost = False
    except PairOwnedError:
        lost = True

    assert looked_owned == lost


def test_renewal_extends_the_lease(table: OwnershipTable, clock: ManualClock) -> None:
    held = table.claim(PAIR, "worker-a")
    clock.advance(15)

    assert table.renew(held).lease_expires_at == clock.now + timedelta(seconds=60)


def test_renewal_keeps_the_fence(table: OwnershipTable) -> None:
    held = table.claim(PAIR, "worker-a")

    assert table.renew(held).fence == held.fence


def test_delayed_renewal_does_not_shorten_the_lease(
    client: DynamoDBClient, table: OwnershipTable, clock: ManualClock
) -> None:
    held = table.claim(PAIR, "worker-a")
    slow = ManualClock()
    clock.advance(30)
    table.renew(held)

    OwnershipTable(client, NAMES, TIMING, slow).renew(held)

    assert table.inspect(PAIR).lease_expires_at == clock.now + timedelta(seconds=60)


def test_duplicate_claim_does_not_shorten_the_lease(
    client: DynamoDBClient, table: OwnershipTable, clock: ManualClock
) -> None:
    held = table.claim(PAIR, "worker-a")
    sent_before = ManualClock()
    clock.advance(30)
    table.renew(held)

    with pytest.raises(PairOwnedError):
        OwnershipTable(client, NAMES, TIMING, sent_before).claim(PAIR, "worker-a")

    assert table.inspect(PAIR).lease_expires_at == clock.now + timedelta(seconds=60)


def test_only_an_active_renewal_counts_as_activity(
    table: OwnershipTable, clock: ManualClock, client: DynamoDBClient
) -> None:
    held = table.claim(PAIR, "worker-a")
    claimed_at = milliseconds(clock.now)
    clock.advance(15)
    table.renew(held)

    assert stored(client)["lastActivity"] == claimed_at


def test_active_renewal_updates_the_last_activity(
    table: OwnershipTable, clock: ManualClock, client: DynamoDBClient
) -> None:
    held = table.claim(PAIR, "worker-a")
    clock.advance(15)
    table.renew(held, active=True)

    assert stored(client)["lastActivity"] == milliseconds(clock.now)


def test_replaced_worker_cannot_renew(table: OwnershipTable, clock: ManualClock) -> None:
    sleeper = table.claim(PAIR, "worker-a")
    clock.advance(66)
    table.claim(PAIR, "worker-b")

    with pytest.raises(OwnershipLostError):
        table.renew(sleeper)


def test_earlier_fence_of_the_same_worker_cannot_renew(table: OwnershipTable) -> None:
    earlier = table.claim(PAIR, "worker-a")
    table.claim(PAIR, "worker-a")

    with pytest.raises(OwnershipLostError):
        table.renew(earlier)


def test_released_pair_can_be_claimed_at_once(table: OwnershipTable) -> None:
    table.release_lease(table.claim(PAIR, "worker-a"))

    assert table.claim(PAIR, "worker-b").container_id == "worker-b"


def test_fence_survives_a_release(table: OwnershipTable) -> None:
    table.release_lease(table.claim(PAIR, "worker-a"))

    assert table.claim(PAIR, "worker-b").fence == 2


def test_repeated_release_is_not_an_error(table: OwnershipTable) -> None:
    held = table.claim(PAIR, "worker-a")
    table.release_lease(held)

    table.release_lease(held)

    assert table.inspect(PAIR).container_id is None


def test_replaced_worker_cannot_release_its_successor(table: OwnershipTable, clock: ManualClock) -> None:
    sleeper = table.claim(PAIR, "worker-a")
    clock.advance(66)
    table.claim(PAIR, "worker-b")

    with pytest.raises(OwnershipLostError):
        table.release_lease(sleeper)


def test_release_after_the_successors_release_fails(table: OwnershipTable, clock: ManualClock) -> None:
    sleeper = table.claim(PAIR, "worker-a")
    clock.advance(66)
    table.release_lease(table.claim(PAIR, "worker-b"))

    with pytest.raises(OwnershipLostError):
        table.release_lease(sleeper)


def test_record_is_kept_for_years(table: OwnershipTable, clock: ManualClock, client: DynamoDBClient) -> None:
    table.claim(PAIR, "worker-a")

    assert stored(client)["ttl"] > (clock.now + timedelta(days=5 * 365)).timestamp()


def test_all_lists_every_owned_pair(table: OwnershipTable) -> None:
    held = [table.claim(PAIR, "worker-a"), table.claim(OTHER_PAIR, "worker-a")]

    assert sorted(table.all(), key=str) == sorted(held, key=str)


def test_all_leaves_out_released_pairs(table: OwnershipTable) -> None:
    table.release_lease(table.claim(PAIR, "worker-a"))

    assert list(table.all()) == []


def test_milliseconds_round_trip_exactly() -> None:
    sample = range(1_893_456_000_000, 1_893_456_000_000 + 100_000, 7)

    assert [milliseconds(from_milliseconds(value)) for value in sample] == list(sample)


# ── what a worker writes ────────────────────────────────────────────────────────────────────────────────────────────


def overwrite(client: DynamoDBClient, name: str, value: Any) -> None:
    client.update_item(
        TableName=NAMES.table("ownership"),
        Key={"projectKey": {"S": PAIR.key}},
        UpdateExpression="SET #name = :value",
        ExpressionAttributeNames={"#name": name},
        ExpressionAttributeValues={":value": value},
    )


@pytest.mark.parametrize(
    "lease", [{"N": "253402300799000"}, {"N": "1" + "0" * 30}, {"N": "-1"}, {"NULL": True}], ids=str
)
def test_lease_beyond_the_longest_is_claimable(table: OwnershipTable, client: DynamoDBClient, lease: Any) -> None:
    table.claim(PAIR, "worker-a")
    overwrite(client, "leaseExpiresAt", lease)

    assert not table.is_owned(PAIR)
    assert table.claim(PAIR, "worker-b").fence == 2


def test_lease_of_a_version_with_longer_leases_is_not_claimable(
    table: OwnershipTable, client: DynamoDBClient, clock: ManualClock
) -> None:
    table.claim(PAIR, "worker-a")
    overwrite(client, "leaseExpiresAt", {"N": str(milliseconds(clock.now + timedelta(seconds=5 * 60)))})

    assert table.is_owned(PAIR)
    with pytest.raises(PairOwnedError):
        table.claim(PAIR, "worker-b")


def test_last_use_in_the_future_counts_as_now(
    table: OwnershipTable, client: DynamoDBClient, clock: ManualClock
) -> None:
    table.claim(PAIR, "worker-a")
    overwrite(client, "lastActivity", {"N": "1" + "0" * 30})

    assert table.last_use(PAIR) == clock.now + table.clock_margin


def test_recent_owners_are_those_of_the_last_two_claims(table: OwnershipTable) -> None:
    for worker in ("worker-a", "worker-b", "worker-c"):
        table.release_lease(table.claim(PAIR, worker))

    assert table.recent_owners(PAIR) == {3: "worker-c", 2: "worker-b"}


def test_workers_write_only_the_permitted_attributes(table: OwnershipTable, client: DynamoDBClient) -> None:
    written: list[str] = []
    owned = table.claim(PAIR, "worker-a")
    client.meta.events.register("before-call.dynamodb.UpdateItem", lambda params, **_: written.append(str(params)))
    table.renew(owned, active=True, cost=RunningCost("mail-1", 0.5))
    table.release_lease(owned)

    assert len(written) == 2
    assert not [name for name in ("lastOwner", "previousOwner", "claimedAt") for call in written if name in call]


def test_renewal_stores_the_cost_of_the_running_job(table: OwnershipTable) -> None:
    held = table.claim(PAIR, "worker-a")
    table.renew(held, active=True, cost=RunningCost("mail-1", 0.123456))

    found = table.inspect(PAIR)

    assert found.dollars_so_far("mail-1", held.fence) == 0.123456
    assert found.dollars_so_far("mail-2", held.fence) is None
    assert found.dollars_so_far("mail-1", held.fence + 1) is None
    assert found.dollars_so_far("mail-1", None) is None


def test_renewal_without_a_cost_keeps_the_last_one(table: OwnershipTable) -> None:
    held = table.claim(PAIR, "worker-a")
    table.renew(held, cost=RunningCost("mail-1", 0.5))
    table.renew(held)

    assert table.inspect(PAIR).dollars_so_far("mail-1", held.fence) == 0.5


def test_claim_removes_the_cost_that_another_worker_reported(table: OwnershipTable, clock: ManualClock) -> None:
    table.renew(table.claim(PAIR, "worker-a"), cost=RunningCost("mail-1", 0.5))
    clock.advance(66)

    assert table.claim(PAIR, "worker-b").running_cost is None


def test_released_pair_has_no_running_cost(table: OwnershipTable) -> None:
    held = table.claim(PAIR, "worker-a")
    table.renew(held, cost=RunningCost("mail-1", 0.5))
    table.release_lease(held)

    assert table.inspect(PAIR).dollars_so_far("mail-1", held.fence) is None


@pytest.mark.parametrize(
    "cost",
    [
        {"S": "$0.10"},
        {"N": "1"},
        {"NULL": True},
        {"L": []},
        {"M": {}},
        {"M": {"jobId": {"S": "mail-1"}}},
        {"M": {"jobId": {"S": "mail-1"}, "micro": {"S": "NaN"}}},
        {"M": {"jobId": {"S": "mail-1"}, "micro": {"N": "-1"}}},
        {"M": {"jobId": {"S": "mail-1"}, "micro": {"N": "0.5"}}},
        {"M": {"jobId": {"S": "mail-1"}, "micro": {"N": "1" + "0" * 36}}},
        {"M": {"jobId": {"S": "mail-1"}, "micro": {"BOOL": True}}},
        {"M": {"jobId": {"L": []}, "micro": {"N": "1"}}},
    ],
)
def test_running_cost_that_no_worker_of_ours_writes_is_ignored(
    table: OwnershipTable, client: DynamoDBClient, cost: Any
) -> None:
    held = table.claim(PAIR, "worker-a")
    overwrite(client, "runningCost", cost)

    assert table.inspect(PAIR).running_cost is None
    assert table.renew(held).container_id == "worker-a"
