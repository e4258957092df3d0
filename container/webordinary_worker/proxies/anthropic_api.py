"""The Messages API of Anthropic. The worker adds the API key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from webordinary_worker.proxies.model_api import OTHER_MODEL, ModelCall, RefusedCallError
from webordinary_worker.proxies.upstream import Upstream
from webordinary_worker.proxies.usage_meter import UsageReader

DEFAULT_URL = "https://api.anthropic.com"
MESSAGES, COUNT_TOKENS = "/v1/messages", "/v1/messages/count_tokens"
QUERIES = ("", "beta=true")
REQUEST_HEADERS = ("accept", "anthropic-beta", "anthropic-version", "content-type", "user-agent")
ERROR_TYPES = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.NOT_FOUND: "not_found_error",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "request_too_large",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
    HTTPStatus.BAD_GATEWAY: "api_error",
    HTTPStatus.SERVICE_UNAVAILABLE: "api_error",
}
NO_CREDIT = b"credit balance"


@dataclass(frozen=True)
class AnthropicApi:
    upstream: Upstream
    key: str = field(repr=False)
    models: frozenset[str]
    response_headers: tuple[str, ...] = ("content-type", "request-id", "retry-after", "anthropic-ratelimit-")

    def environment(self, url: str, token: str) -> dict[str, str]:
        return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": token}

    def serves(self, target: str) -> bool:
        path, _, query = target.partition("?")
        return path in (MESSAGES, COUNT_TOKENS) and query in QUERIES

    def call(self, target: str, headers: Mapping[str, str], body: bytes) -> ModelCall:
        try:
            request = json.loads(body)
            model = str(request["model"])
        except (ValueError, KeyError, TypeError) as error:
            raise RefusedCallError(HTTPStatus.BAD_REQUEST, "Not a valid Messages request.") from error
        if model not in self.models:
            raise RefusedCallError(HTTPStatus.FORBIDDEN, OTHER_MODEL)
        given = {name: headers[name] for name in REQUEST_HEADERS if name in headers}
        return ModelCall(
            url=self.upstream.url + target,
            headers={**given, "x-api-key": self.key},
            model=model,
            reader=UsageReader(stream=bool(request.get("stream"))),
            counted=target.partition("?")[0] == MESSAGES,
        )

    def error(self, status: HTTPStatus, message: str) -> tuple[dict[str, str], bytes]:
        error: dict[str, Any] = {"type": ERROR_TYPES.get(status, "invalid_request_error"), "message": message}
        return {}, json.dumps({"type": "error", "error": error}).encode()

    def is_about_model(self, status: int, body: bytes) -> bool:
        return status == HTTPStatus.BAD_REQUEST and NO_CREDIT in body
