"""Who owns a pair, and what a newer mail interrupts there as its project wants it."""

import pytest

from tests.support.world import PAIR, World
from webordinary.contract.messages.ownership import Interrupt, OwnershipQuestion

OTHER_THREAD = "b" * 26


def test_nobody_owns_a_pair_whose_lease_and_margin_are_over(world: World) -> None:
    world.ownership.claim(PAIR, "worker-a")
    world.clock.advance(world.timing.lease_seconds + world.timing.clock_margin_seconds + 1)

    assert world.check_ownership.run(OwnershipQuestion(job=world.job())).owned is False


@pytest.mark.parametrize(
    ("policy", "thread", "interrupted"),
    [
        ("always", OTHER_THREAD, True),
        ("same-thread", OTHER_THREAD, False),
        ("same-thread", "a" * 26, True),
        ("never", "a" * 26, False),
    ],
)
def test_a_newer_mail_interrupts_as_the_project_wants_it(
    world: World, policy: str, thread: str, interrupted: bool
) -> None:
    world.onboard(interrupts=policy)
    fence = world.ownership.claim(PAIR, "worker-a").fence
    world.jobs.record(world.job("older"), "token")
    world.jobs.start(PAIR, "older", fence)

    answer = world.check_ownership.run(OwnershipQuestion(job=world.job("newer", thread_id=thread)))

    assert answer.interrupted is interrupted
    assert [Interrupt.read(body).running_job_id for body in world.waiting("interrupts", PAIR)] == (
        ["older"] if interrupted else []
    )
