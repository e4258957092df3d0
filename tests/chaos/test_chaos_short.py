"""The short chaos test, on the shared stack. `python -m tests.chaos` is the long one."""

from __future__ import annotations

import pytest

from local.stack.stack import Stack
from tests.chaos.plan import FaultKind, Size, make_plan
from tests.chaos.report import lines
from tests.chaos.run import run

SEED = 18
SIZE = Size(mails=6, kills=3, short_stalls=1, sleeps=0, duplicates=1, preemptions=1)
TIMEOUT_SECONDS = 1200.0  # only a hang reaches it


@pytest.mark.timeout(2 * TIMEOUT_SECONDS)
def test_mails_are_done_and_replied_to_once_despite_faults(stack: Stack) -> None:
    result = run(stack, make_plan(SEED, SIZE), timeout=TIMEOUT_SECONDS)

    assert not result.violations, "\n".join(lines(result))
    assert result.fault_log.injected_counts()[FaultKind.KILL] == SIZE.kills, "\n".join(lines(result))
