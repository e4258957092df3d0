"""check_ownership: whether a pair has a live owner."""

from tests.support.world import PAIR, World
from webordinary.contract.messages.job import OwnershipQuestion


def test_pair_with_a_live_lease_is_owned(world: World) -> None:
    claimed = world.ownership.claim(PAIR, "worker-a")

    answer = world.check_ownership.run(OwnershipQuestion(job=world.job()))

    assert (answer.owned, answer.container_id, answer.fence) == (True, "worker-a", claimed.fence)


def test_pair_is_unowned_once_lease_and_clock_margin_are_over(world: World) -> None:
    world.ownership.claim(PAIR, "worker-a")
    world.clock.advance(world.timing.lease_seconds + world.timing.clock_margin_seconds + 1)

    assert world.check_ownership.run(OwnershipQuestion(job=world.job())).owned is False
