"""The short form of the chaos test: every kind of trouble at least once, on the stack that all tests share.

The long form is `python -m tests.chaos`.
"""

from __future__ import annotations

import pytest

from local.stack.stack import Stack
from tests.chaos.plan import Size, Trouble, make_plan
from tests.chaos.report import lines
from tests.chaos.run import run

SEED = 18
SIZE = Size(mails=6, kills=3, short_stalls=1, sleeps=0, duplicates=1, hurries=1)
PATIENCE = 240.0


@pytest.mark.timeout(600)
def test_every_mail_is_carried_out_and_answered_once_whatever_dies_stalls_or_comes_twice(stack: Stack) -> None:
    result = run(stack, make_plan(SEED, SIZE), patience=PATIENCE)

    assert not result.broken, "\n".join(lines(result))
    assert result.ledger.hits()[Trouble.KILL] == SIZE.kills, "\n".join(lines(result))
