"""A worker reports under the name by which the relay knows it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from tests.support.world import PAIR
from webordinary.platform.names import session_name
from webordinary_worker.pair_credentials import clients_for_pair


class Sts:
    region_name = "eu-west-1"

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def client(self, _: str) -> Sts:
        return self

    def assume_role(self, **asked: Any) -> dict[str, Any]:
        self.asked.append(asked)
        given = {"AccessKeyId": "a", "SecretAccessKey": "b", "SessionToken": "c"}
        return {"Credentials": {**given, "Expiration": datetime(2100, 1, 1, tzinfo=UTC)}}


@pytest.mark.parametrize("container_id", ["worker-1", "0123456789abcdef" * 6, "arn:aws:ecs:eu-west-1:1:task/web/0f"])
def test_the_role_session_of_a_worker_has_the_name_that_the_relay_expects(container_id: str) -> None:
    sts = Sts()

    clients_for_pair(cast(Any, sts), "arn:aws:iam::123456789012:role/access", PAIR, container_id)

    assert sts.asked[0]["RoleSessionName"] == session_name(container_id)
