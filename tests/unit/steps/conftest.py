"""What tests of several files about one step share."""

from __future__ import annotations

import pytest

from tests.support.stored_mails import Read, reader
from tests.support.world import World


@pytest.fixture
def read(world: World) -> Read:
    """Stores a mail as SES would and reads it."""
    return reader(world)
