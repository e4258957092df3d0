"""Fixtures for unit tests, which use no resources outside this process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from moto import mock_aws
from moto.moto_api._internal.models import moto_api_backend

from tests.support.stored_mails import Read, reader
from tests.support.world import World


@pytest.fixture(scope="session")
def memory_aws() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "testing")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
        patch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
        patch.setenv("POWERTOOLS_SERVICE_NAME", "unit-tests")
        patch.delenv("AWS_ENDPOINT_URL", raising=False)
        with mock_aws():
            yield


@pytest.fixture
def world(memory_aws: None) -> World:
    moto_api_backend.reset()  # state of earlier tests
    return World()


@pytest.fixture
def read(world: World) -> Read:
    """Stores a mail as SES does and parses it."""
    return reader(world)
