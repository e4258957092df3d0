"""Role sessions carry the tags of one pair and the name of its worker."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from tests.support.world import PAIR
from webordinary.aws.sts_sessions import PairSessions
from webordinary.contract.names import session_name
from webordinary.contract.thread_tokens import pair_prefix

ROLE = "arn:aws:iam::123456789012:role/access"


class Sts:
    """Records its calls."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def assume_role(self, **asked: Any) -> dict[str, Any]:
        self.asked.append(asked)
        keys = {"AccessKeyId": "a", "SecretAccessKey": "b", "SessionToken": "c"}
        return {"Credentials": {**keys, "Expiration": datetime(2100, 1, 1, tzinfo=UTC)}}


@pytest.mark.parametrize("container_id", ["worker-1", "0123456789abcdef" * 6, "arn:aws:ecs:eu-west-1:1:task/web/0f"])
def test_session_name_is_the_one_that_the_relay_expects(container_id: str) -> None:
    sts = Sts()

    PairSessions(cast(Any, sts), ROLE, lambda _: True).open(PAIR, container_id)

    assert sts.asked[0]["RoleSessionName"] == session_name(container_id)


@pytest.mark.parametrize(("can_publish", "role"), [(True, "publisher"), (False, "editor")])
def test_session_tags_are_pair_role_and_threads(can_publish: bool, role: str) -> None:
    sts = Sts()

    credentials = PairSessions(cast(Any, sts), ROLE, lambda pair: pair == PAIR and can_publish).open(PAIR, "worker-1")

    tags = {tag["Key"]: tag["Value"] for tag in sts.asked[0]["Tags"]}
    assert tags == {"project": "bakery", "user": "ada", "role": role, "threads": pair_prefix("bakery#ada")}
    assert (credentials.access_key_id, credentials.secret_access_key, credentials.session_token) == ("a", "b", "c")
