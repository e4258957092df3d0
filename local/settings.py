"""Settings of the local stack, read from the environment in one place."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from local.domain import NETWORK_VARIABLES
from local.errors import LocalError
from local.paths import RUNS

SMTP_PORT = "WEBORDINARY_SMTP_PORT"
PAGE_PORT = "WEBORDINARY_PAGE_PORT"
MAX_WORKERS = "WEBORDINARY_MAX_WORKERS"
SPARE_WORKERS = "WEBORDINARY_SPARE_WORKERS"
WORKER_IMAGE = "WEBORDINARY_WORKER_IMAGE"
MODEL_PROVIDER = "WEBORDINARY_MODEL_PROVIDER"
PROVIDERS = ("anthropic", "bedrock")


class InvalidSettingError(LocalError):
    def __init__(self, name: str, value: str) -> None:
        super().__init__(f"{name} is '{value}', but must be a number from 0 to 65535.")


class InvalidProviderError(LocalError):
    def __init__(self, value: str) -> None:
        super().__init__(f"{MODEL_PROVIDER} is '{value}', but must be one of: {', '.join(PROVIDERS)}.")


@dataclass(frozen=True)
class StackSettings:
    runs: Path
    smtp_port: int = 2525
    page_port: int = 8025
    max_workers: int = 3
    spare_workers: int = 0
    worker_image: str | None = None  # without an image, workers are processes
    # A rule that fires every minute on AWS fires every ten seconds here, to match the shorter local leases.
    schedule_speed: float = 6.0
    model_key: str | None = None
    model_provider: str = "anthropic"
    network: dict[str, str] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)  # Terraform variables that override local.tfvars

    @classmethod
    def load(
        cls, environment: Mapping[str, str] = os.environ, *, ports: tuple[int, int] = (2525, 8025)
    ) -> StackSettings:
        """`ports` are the defaults for SMTP and page; 0 means any free port."""
        return cls(
            runs=RUNS,
            smtp_port=_number(environment, SMTP_PORT, ports[0]),
            page_port=_number(environment, PAGE_PORT, ports[1]),
            max_workers=_number(environment, MAX_WORKERS, 3),
            spare_workers=_number(environment, SPARE_WORKERS, 0),
            worker_image=environment.get(WORKER_IMAGE) or None,
            model_key=environment.get("ANTHROPIC_API_KEY") or None,
            model_provider=_provider(environment),
            network={name: environment[name] for name in NETWORK_VARIABLES if environment.get(name)},
        )

    @classmethod
    def for_tests(cls, max_workers: int = 3) -> StackSettings:
        """Free ports and the model stand-in; from the environment only the network variables are used."""
        network = {name: value for name, value in os.environ.items() if name in NETWORK_VARIABLES}
        return replace(cls.load(network, ports=(0, 0)), max_workers=max_workers)


def _provider(environment: Mapping[str, str]) -> str:
    value = environment.get(MODEL_PROVIDER) or PROVIDERS[0]
    if value not in PROVIDERS:
        raise InvalidProviderError(value)
    return value


def _number(environment: Mapping[str, str], name: str, default: int) -> int:
    value = environment.get(name) or str(default)
    if not value.isdigit() or int(value) > 65535:
        raise InvalidSettingError(name, value)
    return int(value)
