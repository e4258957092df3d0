"""AWS clients with the role session of one pair.

The worker's own role may only call the broker. The broker returns credentials of a role session that carries the pair
as session tags; the role's policies allow access to that pair only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
import botocore.session
from botocore.config import Config
from botocore.credentials import CredentialProvider, CredentialResolver, RefreshableCredentials

from webordinary.aws.clients import USER_AGENT
from webordinary.contract.messages.broker import PairCredentials
from webordinary_worker.parallel import MAX_PARALLEL

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_ssm import SSMClient


@dataclass(frozen=True)
class PairClients:
    dynamodb: DynamoDBClient
    sqs: SQSClient
    s3: S3Client
    ssm: SSMClient
    session: boto3.Session


def clients_of(session: boto3.Session) -> PairClients:
    # Standard retries also cover throttling; the read timeout outlasts the longest long poll.
    # One connection per parallel request, and some for the lease's background tasks.
    config = Config(
        retries={"mode": "standard", "max_attempts": 4},
        read_timeout=40,
        max_pool_connections=MAX_PARALLEL + 8,
        user_agent=USER_AGENT,
    )
    return PairClients(
        dynamodb=session.client("dynamodb", config=config),
        sqs=session.client("sqs", config=config),
        s3=session.client("s3", config=config),
        ssm=session.client("ssm", config=config),
        session=session,
    )


def clients_for_pair(region: str | None, first: PairCredentials, renewed: Callable[[], PairCredentials]) -> PairClients:
    """Clients for the pair. `renewed` returns new credentials before the current ones expire."""
    core: Any = botocore.session.Session()
    core.register_component("credential_provider", CredentialResolver([_PairProvider(first, renewed)]))
    return clients_of(boto3.Session(botocore_session=core, region_name=region))


class _PairProvider(CredentialProvider):
    """Gives botocore the role session's credentials, and refreshes them before they expire."""

    METHOD = "broker"

    def __init__(self, first: PairCredentials, renewed: Callable[[], PairCredentials]) -> None:
        super().__init__()
        self._first = first
        self._renewed = renewed

    def load(self) -> RefreshableCredentials:
        return RefreshableCredentials.create_from_metadata(
            metadata=_metadata(self._first), refresh_using=lambda: _metadata(self._renewed()), method=self.METHOD
        )


def _metadata(given: PairCredentials) -> dict[str, str]:
    return {
        "access_key": given.access_key_id,
        "secret_key": given.secret_access_key,
        "token": given.session_token,
        "expiry_time": given.expires_at.isoformat(),
    }
