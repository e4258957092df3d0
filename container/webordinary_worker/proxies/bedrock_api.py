"""Claude on Amazon Bedrock. The worker signs with the role session of its pair, so that no key exists.

Claude Code sends unsigned requests to the proxy, with the turn's token as a bearer token. The proxy sends each to one
URL, which it builds itself from a configured model, or the project's own profile of it, and the worker's region.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, unquote

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import BotoCoreError

from webordinary.aws import telemetry
from webordinary.contract.errors import WebordinaryError
from webordinary_worker.proxies.event_stream import EventStreamReader
from webordinary_worker.proxies.model_api import OTHER_MODEL, ModelCall, RefusedCallError
from webordinary_worker.proxies.upstream import Upstream

SERVICE = "bedrock"
STREAM = re.compile(r"/model/([^/?]+)/invoke-with-response-stream")
REQUEST_HEADERS = ("accept", "content-type", "user-agent")
ERROR_TYPES = {
    HTTPStatus.UNAUTHORIZED: "AccessDeniedException",
    HTTPStatus.FORBIDDEN: "AccessDeniedException",
    HTTPStatus.NOT_FOUND: "ResourceNotFoundException",
    HTTPStatus.TOO_MANY_REQUESTS: "ThrottlingException",
    HTTPStatus.BAD_GATEWAY: "ServiceUnavailableException",
    HTTPStatus.SERVICE_UNAVAILABLE: "ServiceUnavailableException",
}
# In the ValidationException for an unknown model, and for one that needs an inference profile.
ABOUT_MODEL = (b"model identifier is invalid", b"Invocation of model ID")


@dataclass(frozen=True)
class BedrockApi:
    """`credentials` returns the pair session's current credentials, as botocore does.

    `profiles` are the ARNs of the project's own inference profiles, by the id that the agent requests.
    """

    upstream: Upstream
    region: str
    models: frozenset[str]
    credentials: Callable[[], Any] = field(repr=False)
    profiles: Mapping[str, str] = field(default_factory=dict)
    response_headers: tuple[str, ...] = ("content-type", "retry-after", "x-amzn-")

    def environment(self, url: str, token: str) -> dict[str, str]:
        return {
            "CLAUDE_CODE_USE_BEDROCK": "1",
            "CLAUDE_CODE_SKIP_BEDROCK_AUTH": "1",
            "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1",
            "ANTHROPIC_BEDROCK_BASE_URL": url,
            "AWS_BEARER_TOKEN_BEDROCK": token,
            "AWS_REGION": self.region,
        }

    def serves(self, target: str) -> bool:
        return STREAM.fullmatch(target) is not None

    def call(self, target: str, headers: Mapping[str, str], body: bytes) -> ModelCall:
        found = STREAM.fullmatch(target)
        model = unquote(found[1]) if found else ""
        if model not in self.models:
            raise RefusedCallError(HTTPStatus.FORBIDDEN, OTHER_MODEL)
        url = f"{self.upstream.url}/model/{quote(self.profiles.get(model, model), safe='')}/invoke-with-response-stream"
        given = {name: headers[name] for name in REQUEST_HEADERS if name in headers}
        return ModelCall(url=url, headers=self._signed(url, given, body), model=model, reader=EventStreamReader())

    def error(self, status: HTTPStatus, message: str) -> tuple[dict[str, str], bytes]:
        headers = {"x-amzn-errortype": ERROR_TYPES.get(status, "ValidationException")}
        return headers, json.dumps({"message": message}).encode()

    def is_about_model(self, status: int, body: bytes) -> bool:
        return status == HTTPStatus.BAD_REQUEST and any(text in body for text in ABOUT_MODEL)

    def _signed(self, url: str, headers: Mapping[str, str], body: bytes) -> dict[str, str]:
        request = AWSRequest("POST", url, dict(headers), body)
        try:
            SigV4Auth(self.credentials(), SERVICE, self.region).add_auth(request)
        except (BotoCoreError, WebordinaryError, OSError) as error:
            telemetry.logger().warning(
                "Could not renew the pair's session; the agent gets an error.", extra={"cause": str(error)}
            )
            raise RefusedCallError(HTTPStatus.SERVICE_UNAVAILABLE, "No session for the model.") from error
        return dict(request.headers.items())
