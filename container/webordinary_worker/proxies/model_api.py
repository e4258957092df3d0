"""The port of the model proxy to a provider's API; `anthropic_api` and `bedrock_api` are its adapters.

An adapter decides which requests are forwarded, adds the credentials that the agent does not have, and reads usage and
errors from the responses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus
from typing import Protocol

from webordinary_worker.proxies.upstream import Upstream
from webordinary_worker.proxies.usage_meter import UsageReader

OTHER_MODEL = "This model is not configured for this website."


class ModelTrouble(StrEnum):
    """Why a provider did not complete a response."""

    BUSY = "busy"  # a later retry helps
    UNAVAILABLE = "unavailable"  # an operator has to fix it: the model, its key or its permission


@dataclass(frozen=True)
class ModelCall:
    """One request to the provider."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    model: str
    reader: UsageReader
    counted: bool = True


class RefusedCallError(Exception):
    """The request is not forwarded."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class ModelApi(Protocol):
    @property
    def upstream(self) -> Upstream: ...

    @property
    def response_headers(self) -> tuple[str, ...]:
        """The headers that are relayed. A name that ends with a hyphen is a prefix."""

    def environment(self, url: str, token: str) -> dict[str, str]:
        """Variables that point the agent to the proxy."""

    def serves(self, target: str) -> bool:
        """Whether a path, with its query, is forwarded at all."""

    def call(self, target: str, headers: Mapping[str, str], body: bytes) -> ModelCall:
        """The call with the provider's credentials. Raises RefusedCallError."""

    def error(self, status: HTTPStatus, message: str) -> tuple[dict[str, str], bytes]:
        """Headers and body of an error, as this API sends them."""

    def is_about_model(self, status: int, body: bytes) -> bool:
        """Whether a rejected request means that the model or the account is not set up."""


def trouble_of(api: ModelApi, status: int, body: bytes) -> ModelTrouble | None:
    if status in (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS) or status >= 500:
        return ModelTrouble.BUSY
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
        return ModelTrouble.UNAVAILABLE
    return ModelTrouble.UNAVAILABLE if api.is_about_model(status, body) else None
