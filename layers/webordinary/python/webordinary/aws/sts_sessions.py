"""Role sessions for one pair: tags carry the pair, its role and its threads, the session name the worker."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.broker import PairCredentials
from webordinary.contract.names import session_name
from webordinary.contract.thread_tokens import pair_prefix

if TYPE_CHECKING:
    from mypy_boto3_sts import STSClient

SESSION_SECONDS = 3600  # the maximum for role chaining


class PairSessions:
    def __init__(self, client: STSClient, role_arn: str, can_publish: Callable[[Pair], bool]) -> None:
        self._client = client
        self._role_arn = role_arn
        self._can_publish = can_publish

    def open(self, pair: Pair, container_id: str) -> PairCredentials:
        """Credentials for one worker and one pair. The relay identifies the worker's reports by the session name."""
        role = "publisher" if self._can_publish(pair) else "editor"
        tags = {**pair.wire(), "role": role, "threads": pair_prefix(pair.key)}
        credentials = self._client.assume_role(
            RoleArn=self._role_arn,
            RoleSessionName=session_name(container_id),
            DurationSeconds=SESSION_SECONDS,
            Tags=[{"Key": key, "Value": value} for key, value in tags.items()],
        )["Credentials"]
        return PairCredentials(
            access_key_id=credentials["AccessKeyId"],
            secret_access_key=credentials["SecretAccessKey"],
            session_token=credentials["SessionToken"],
            expires_at=credentials["Expiration"],
        )
