"""Role sessions that reach one pair: the session's tags say which and what it may change, its name says whose."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.broker import PairCredentials
from webordinary.contract.names import session_name

if TYPE_CHECKING:
    from mypy_boto3_sts import STSClient

SESSION_SECONDS = 3600  # the longest that a role assumed by a role may last


class PairSessions:
    def __init__(self, client: STSClient, role_arn: str, can_publish: Callable[[Pair], bool]) -> None:
        self._client = client
        self._role_arn = role_arn
        self._can_publish = can_publish

    def open(self, pair: Pair, container_id: str) -> PairCredentials:
        """Keys for one worker and one pair. The relay knows the worker's reports by the name of this session."""
        tags = {**pair.wire(), "role": "publisher" if self._can_publish(pair) else "editor"}
        given = self._client.assume_role(
            RoleArn=self._role_arn,
            RoleSessionName=session_name(container_id),
            DurationSeconds=SESSION_SECONDS,
            Tags=[{"Key": key, "Value": value} for key, value in tags.items()],
        )["Credentials"]
        return PairCredentials(
            access_key_id=given["AccessKeyId"],
            secret_access_key=given["SecretAccessKey"],
            session_token=given["SessionToken"],
            expires_at=given["Expiration"],
        )
