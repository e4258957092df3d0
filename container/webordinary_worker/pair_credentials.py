"""Access to one pair, and to nothing else.

The worker's own role may wait for claim requests and claim. Everything that belongs to a pair is done with a role
session that carries the pair as session tags; its policies allow that project's and that user's things only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
import botocore.session
from botocore.config import Config
from botocore.credentials import CredentialProvider, CredentialResolver, RefreshableCredentials

from webordinary.platform.messages import Pair
from webordinary_worker.side_by_side import AT_ONCE

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_ssm import SSMClient
    from mypy_boto3_sts import STSClient

SESSION_SECONDS = 3600  # the longest that a role assumed by a role may last


@dataclass(frozen=True)
class Clients:
    dynamodb: DynamoDBClient
    sqs: SQSClient
    s3: S3Client
    ssm: SSMClient


def clients_of(session: boto3.Session) -> Clients:
    # Standard retries also cover throttling; the read timeout outlasts the longest long poll.
    # As many connections as requests go side by side, and some for the threads of the lease.
    config = Config(retries={"mode": "standard", "max_attempts": 4}, read_timeout=40, max_pool_connections=AT_ONCE + 8)
    return Clients(
        dynamodb=session.client("dynamodb", config=config),
        sqs=session.client("sqs", config=config),
        s3=session.client("s3", config=config),
        ssm=session.client("ssm", config=config),
    )


def clients_for_pair(base: boto3.Session, role_arn: str | None, pair: Pair, container_id: str) -> Clients:
    """Clients that act for the pair. Without a role (a stack without IAM) they are the worker's own."""
    if role_arn is None:
        return clients_of(base)
    sts: STSClient = base.client("sts")

    def assume() -> dict[str, str]:
        answer = sts.assume_role(
            RoleArn=role_arn,
            RoleSessionName=container_id[-64:].replace("/", "-").replace(":", "-"),
            DurationSeconds=SESSION_SECONDS,
            Tags=[{"Key": "project", "Value": pair.project}, {"Key": "user", "Value": pair.user}],
        )
        given = answer["Credentials"]
        return {
            "access_key": given["AccessKeyId"],
            "secret_key": given["SecretAccessKey"],
            "token": given["SessionToken"],
            "expiry_time": given["Expiration"].isoformat(),
        }

    core: Any = botocore.session.Session()
    core.register_component("credential_provider", CredentialResolver([_PairCredentials(assume)]))
    return clients_of(boto3.Session(botocore_session=core, region_name=base.region_name))


class _PairCredentials(CredentialProvider):
    """Lets botocore fetch the role session's credentials, and again before they expire."""

    METHOD = "assume-role-for-pair"

    def __init__(self, assume: Callable[[], dict[str, str]]) -> None:
        super().__init__()
        self._assume = assume

    def load(self) -> RefreshableCredentials:
        return RefreshableCredentials.create_from_metadata(
            metadata=self._assume(), refresh_using=self._assume, method=self.METHOD
        )
