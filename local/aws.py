"""boto3 clients for the AWS emulator, which accepts any keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config

ACCOUNT = "123456789012"
REGION = "us-east-1"
KEYS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}

# A pump that loses the emulator must fail at once instead of retrying for half a minute.
_CONFIG = Config(
    retries={"mode": "standard", "max_attempts": 1}, read_timeout=70, connect_timeout=5, max_pool_connections=50
)


@dataclass(frozen=True)
class EmulatedAws:
    """An AWS emulator at an endpoint on this machine."""

    endpoint: str
    region: str = REGION

    def client(self, service: str) -> Any:
        make: Any = boto3.client  # its overloads require a literal service name
        return make(
            service,
            endpoint_url=self.endpoint,
            region_name=self.region,
            aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
            config=_CONFIG,
        )

    def environment(self) -> dict[str, str]:
        """The environment variables that point boto3 at this endpoint."""
        return {**KEYS, "AWS_ENDPOINT_URL": self.endpoint, "AWS_REGION": self.region, "AWS_DEFAULT_REGION": self.region}
