"""claim: requests a worker by the rules of the worker-requests table."""

from tests.support.world import PAIR, World
from webordinary.contract.messages.ownership import ClaimOrder, RequestVerdict
from webordinary.steps.claim import Claim


def test_second_request_within_the_window_is_rate_limited(world: World) -> None:
    order = ClaimOrder(pair=PAIR, job_id="mail-1")

    verdicts = [Claim(world.worker_requests).run(order).verdict for _ in range(2)]

    assert verdicts == [RequestVerdict.SENT, RequestVerdict.RATE_LIMITED]
    assert len(world.waiting("unclaimed")) == 1
