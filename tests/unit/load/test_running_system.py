"""The workers of `make load` start: their settings are valid."""

from __future__ import annotations

import pytest

from tests.load.running_system import NEVER, timing_without_beats
from tests.support.patient_stack import TIMING
from webordinary.contract.settings import Timing


@pytest.mark.parametrize("stay", [0, NEVER])
def test_timing_of_workers_without_beats_is_valid(stay: float) -> None:
    timing = Timing.model_validate(timing_without_beats(TIMING, stay))

    assert timing.idle_seconds == stay
    assert timing.beat_seconds == NEVER
