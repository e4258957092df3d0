"""What `make load` concludes from its measurements."""

from __future__ import annotations

from random import Random

import pytest

from tests.load import memory
from tests.load.waiting import Burst, Served

NOISE = [Random(seed).uniform(-0.2, 0.2) for seed in range(memory.MAILS)]  # noqa: S311 (megabytes, the same every time)


def test_warm_up_is_no_leak() -> None:
    values = [min(60.0, 50.0 + number) + noise for number, noise in enumerate(NOISE)]

    assert memory.growth(values) < memory.MOST_GROWTH


@pytest.mark.parametrize("megabytes", [60.0, 80.0])
def test_slow_leak_is_found(megabytes: float) -> None:
    values = [megabytes + 0.3 * number + noise for number, noise in enumerate(NOISE)]

    assert memory.growth(values) > memory.MOST_GROWTH


def burst(*claims: float) -> Burst:
    """Pairs that are dispatched one second after the other, and claimed at these times."""
    served = [Served(f"site#{number}", float(number), at, at + 5) for number, at in enumerate(claims)]
    return Burst(Served("site#0", 0.0, 2.0, 7.0), served, [2.0 for _ in served], 3)


def test_pairs_that_are_served_in_order_overtake_nobody() -> None:
    assert burst(2.0, 3.0, 4.0, 9.0).overtakings == 0


def test_pair_that_starves_is_counted_with_all_that_overtook_it() -> None:
    assert burst(99.0, 3.0, 4.0, 9.0, 10.0).overtakings == 4


def test_wait_and_prediction_are_ratios() -> None:
    same = burst(2.0, 3.0, 4.0)

    assert (same.ratio_to_alone, same.prediction) == (1.0, 1.0)
