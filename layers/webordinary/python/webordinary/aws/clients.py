"""Creates all AWS clients: on first use, once per process.

Functions use botocore directly: importing boto3 costs about 30 ms of every cold start. Lambda gives the init phase a
full CPU and invocations a share by memory, so a handler builds its step, with its clients, at import time. Clients that
few invocations use are `rarely_used`: each one takes 4 to 18 ms of a cold start.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_ecs import ECSClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sesv2 import SESV2Client
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_ssm import SSMClient
    from mypy_boto3_stepfunctions import SFNClient
    from mypy_boto3_sts import STSClient

MOST_CONNECTIONS = 20  # of one client: as many threads as a function has share it
# botocore builds its default user agent for each request: a fifth of the CPU time of a small request.
USER_AGENT = "webordinary"
SECRET_SECONDS = 300  # a warm function sees a rotated secret after at most this long
S3_CONFIG: Any = {"us_east_1_regional_endpoint": "regional"}  # as in all other regions
Clock = Callable[[], datetime]
Secrets = Callable[[], tuple[bytes, ...]]
Client = TypeVar("Client")


def utc_now() -> datetime:
    return datetime.now(UTC)


# The services that clients are made for. botocore would look through the folders of 400 services first.
SERVICES = ("dynamodb", "ecs", "elbv2", "lambda", "s3", "sesv2", "sqs", "ssm", "stepfunctions", "sts", "xray")


@cache
def _session() -> Any:
    from botocore.loaders import JSONFileLoader, Loader
    from botocore.session import get_session
    from pydantic_core import from_json

    session = get_session()
    other_endpoints = any(map(session.get_config_variable, ("use_fips_endpoint", "use_dualstack_endpoint")))

    class QuickFiles(JSONFileLoader):
        """Reads the description of a service in half of botocore's time."""

        def load_file(self, path: str) -> Any:
            for suffix, unpacked in ((".json", bytes), (".json.gz", gzip.decompress)):
                with suppress(FileNotFoundError):
                    return from_json(unpacked(Path(f"{path}{suffix}").read_bytes()), cache_strings="keys")
            return None

    class QuickLoader(Loader):
        FILE_LOADER_CLASS = QuickFiles

        def list_available_services(self, type_name: str) -> list[str]:  # noqa: ARG002
            return list(SERVICES)

        def load_data_with_path(self, name: str) -> tuple[Any, str]:
            """Each service has rules for its endpoints. The older list of all endpoints takes 10 ms to read."""
            if name != "endpoints" or other_endpoints:
                return cast("tuple[Any, str]", super().load_data_with_path(name))
            found, path = super().load_data_with_path("partitions")
            return {"partitions": [_partition(one) for one in found["partitions"]]}, path

    session.register_component("data_loader", QuickLoader())
    return session


def _partition(rules: dict[str, Any]) -> dict[str, Any]:
    """A partition as the list of endpoints has it, without exceptions for single services."""
    return {
        "partition": rules["id"],
        "dnsSuffix": rules["outputs"]["dnsSuffix"],
        "regionRegex": rules["regionRegex"],
        "regions": rules["regions"],
        "defaults": {
            "hostname": "{service}.{region}.{dnsSuffix}",
            "protocols": ["https"],
            "signatureVersions": ["v4"],
        },
        "services": {},
    }


@cache
def _client(service: str) -> Any:
    from botocore.config import Config

    # Standard retries also cover throttling; the read timeout outlasts the longest long poll.
    config = Config(
        retries={"mode": "standard", "max_attempts": 4},
        read_timeout=40,
        user_agent=USER_AGENT,
        max_pool_connections=MOST_CONNECTIONS,
        s3=S3_CONFIG,
    )
    return _session().create_client(service, config=config)


class _OnFirstUse:
    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        return getattr(self._make(), name)


def rarely_used(make: Callable[[], Client]) -> Client:
    """A client that is created with its first call: for calls that few invocations make."""
    return cast("Client", _OnFirstUse(make))


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


def sts() -> STSClient:
    client: STSClient = _client("sts")
    return client


def ssm() -> SSMClient:
    client: SSMClient = _client("ssm")
    return client


def load_balancers() -> Any:
    return _client("elbv2")


def xray() -> Any:
    return _client("xray")


def secrets_of(parameter_name: str) -> Secrets:
    """A function that reads the secret on each use, so that rotations take effect."""
    return partial(secret, parameter_name)


def secret(parameter_name: str, clock: Clock = utc_now) -> tuple[bytes, ...]:
    """The current and the previous value of a secret in SSM, cached for a few minutes."""
    return _secret(parameter_name, int(clock().timestamp() // SECRET_SECONDS))


@lru_cache(maxsize=8)
def _secret(parameter_name: str, _period: int) -> tuple[bytes, ...]:
    ssm = _client("ssm")
    newest = ssm.get_parameter(Name=parameter_name, WithDecryption=True)["Parameter"]
    values = [newest["Value"]]
    if newest["Version"] > 1:
        with suppress(ssm.exceptions.ParameterVersionNotFound):
            before = ssm.get_parameter(Name=f"{parameter_name}:{newest['Version'] - 1}", WithDecryption=True)
            values.append(before["Parameter"]["Value"])
    return tuple(str(value).encode() for value in values)
