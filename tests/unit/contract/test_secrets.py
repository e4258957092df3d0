"""A secret can be rotated; the previous value stays valid until the next rotation."""

from __future__ import annotations

import boto3
import pytest

from tests.support.world import World
from webordinary.aws import clients

NAME = "/webordinary/thread-secret"


@pytest.fixture(autouse=True)
def fresh_clients(world: World) -> None:
    clients._client.cache_clear()
    clients._secret.cache_clear()


def write(value: str) -> None:
    boto3.client("ssm").put_parameter(Name=NAME, Value=value, Type="SecureString", Overwrite=True)


def test_unrotated_secret_has_one_value() -> None:
    write("first")

    assert clients.secret(NAME) == (b"first",)


def test_previous_secret_is_available_after_a_rotation(world: World) -> None:
    write("first")
    clients.secret(NAME, world.clock)
    write("second")
    world.clock.advance(clients.SECRET_SECONDS)

    assert clients.secret(NAME, world.clock) == (b"second", b"first")


def test_secret_is_unavailable_after_two_rotations() -> None:
    for value in ("leaked", "second", "third"):
        write(value)

    assert clients.secret(NAME) == (b"third", b"second")
