"""Clients for the AWS emulator, made in one place. Its keys are made up: it accepts any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config

ACCOUNT = "123456789012"
REGION = "us-east-1"
KEYS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}

# A pump that loses the emulator should notice at once and not try again for half a minute.
_CONFIG = Config(
    retries={"mode": "standard", "max_attempts": 1}, read_timeout=70, connect_timeout=5, max_pool_connections=50
)


@dataclass(frozen=True)
class EmulatedAws:
    """AWS as found at an endpoint on this machine."""

    endpoint: str
    region: str = REGION

    def client(self, service: str) -> Any:
        make: Any = boto3.client  # its overloads want a literal name
        return make(
            service,
            endpoint_url=self.endpoint,
            region_name=self.region,
            aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
            config=_CONFIG,
        )

    def environment(self) -> dict[str, str]:
        """What a process needs in its environment to find this endpoint through boto3."""
        return {**KEYS, "AWS_ENDPOINT_URL": self.endpoint, "AWS_REGION": self.region, "AWS_DEFAULT_REGION": self.region}
