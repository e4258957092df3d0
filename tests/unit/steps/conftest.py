from __future__ import annotations

import pytest

from tests.support.replies import replying
from tests.support.world import World
from webordinary.steps.reply import Reply


@pytest.fixture
def reply(world: World) -> Reply:
    world.onboard()
    return replying(world)
