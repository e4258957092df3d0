"""The one place where boto3 clients are made: on first use, once per process."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_ecs import ECSClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sesv2 import SESV2Client
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_stepfunctions import SFNClient

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


@cache
def _client(service: str) -> Any:
    import boto3
    from botocore.config import Config

    make: Any = boto3.client  # its overloads want a literal name
    # Standard retries also cover throttling; the read timeout outlasts the longest long poll.
    return make(service, config=Config(retries={"mode": "standard", "max_attempts": 4}, read_timeout=40))


def dynamodb() -> DynamoDBClient:
    client: DynamoDBClient = _client("dynamodb")
    return client


def sqs() -> SQSClient:
    client: SQSClient = _client("sqs")
    return client


def s3() -> S3Client:
    client: S3Client = _client("s3")
    return client


def ses() -> SESV2Client:
    client: SESV2Client = _client("sesv2")
    return client


def stepfunctions() -> SFNClient:
    client: SFNClient = _client("stepfunctions")
    return client


def ecs() -> ECSClient:
    client: ECSClient = _client("ecs")
    return client


def functions() -> LambdaClient:
    client: LambdaClient = _client("lambda")
    return client


@cache
def secret(parameter_name: str) -> bytes:
    """A secret kept in SSM, read once per process."""
    answer = _client("ssm").get_parameter(Name=parameter_name, WithDecryption=True)
    return str(answer["Parameter"]["Value"]).encode()
