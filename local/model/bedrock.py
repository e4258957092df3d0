"""Bedrock's runtime in front of the stand-in's turns, as strict as the real one.

Verified: the signature with the keys of a role session, the model id, and the body. Not verified: IAM policies, which
`tests/infrastructure` evaluates.
"""

import base64
import binascii
import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote
from urllib.request import urlopen

from botocore.exceptions import ClientError

from local.aws import EmulatedAws
from local.domain import known_models
from local.model.errors import ApiError
from local.model.messages import MessagesRequest, parse_json, parse_request
from local.model.responses import StreamEvent
from local.runtime.signatures import RoleSession, SignatureError, SignedRequest, verify

VERSION = "bedrock-2023-05-31"
MEDIA_TYPE = "application/vnd.amazon.eventstream"
STRING = 7  # type of a frame's header
ERRORS = {
    400: "ValidationException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    424: "ModelErrorException",
    429: "ThrottlingException",
    500: "InternalServerException",
    503: "ServiceUnavailableException",
}


class BedrockError(ApiError):
    """An error as Bedrock sends it. Overload is 503 here, where Anthropic's API has 529."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(503 if status == 529 else status, message)
        self.code = code or ERRORS.get(self.status, "ServiceUnavailableException")


@dataclass(frozen=True)
class Bedrock:
    """`find_session` looks up a role session by its access key, `find_profile` a profile's source by its ARN."""

    region: str
    find_session: Callable[[str], RoleSession | None]
    find_profile: Callable[[str], str | None] = lambda _: None

    def parse(self, request: SignedRequest, quoted_model: str) -> MessagesRequest:
        """The request, if Bedrock would accept it. Raises BedrockError."""
        try:
            verify(request, self.region, "bedrock", self.find_session, datetime.now(UTC))
        except SignatureError as error:
            raise BedrockError(403, str(error), error.code) from error
        asked = unquote(quoted_model)
        model = self._known(self._source(asked) if asked.startswith("arn:") else asked)
        body = parse_json(request.body)
        for name in ("model", "stream"):
            if name in body:
                raise BedrockError(400, f"{name}: Extra inputs are not permitted")
        if body.get("anthropic_version") != VERSION:
            raise BedrockError(400, f"anthropic_version: Input should be '{VERSION}'")
        preview = {"anthropic-beta": ",".join(body.get("anthropic_beta", []))}
        try:
            return parse_request(json.dumps({**body, "model": model, "stream": True}).encode(), preview)
        except ApiError as error:
            raise BedrockError(error.status, error.message) from error

    def _source(self, profile: str) -> str:
        """The system-defined profile of an application inference profile."""
        source = self.find_profile(profile)
        if source is None:
            raise BedrockError(404, "The inference profile was not found.")
        return source.rpartition("/")[2]

    def _known(self, model: str) -> str:
        geography, _, bare = model.partition(".")
        if bare not in {known.bedrock for known in known_models().values()}:
            bare, geography = model, ""
        if bare not in {known.bedrock for known in known_models().values()}:
            raise BedrockError(400, "The provided model identifier is invalid.")
        if not geography:
            message = f"Invocation of model ID {bare} with on-demand throughput isn't supported. Retry your request "
            raise BedrockError(400, message + "with the ID or ARN of an inference profile that contains this model.")
        if geography not in (self.region.partition("-")[0], "global"):
            raise BedrockError(400, "The provided model identifier is invalid.")
        return model


def sessions_at(url: str) -> Callable[[str], RoleSession | None]:
    """Looks up role sessions in the emulator."""

    def find(access_key: str) -> RoleSession | None:
        try:
            with urlopen(f"{url}/role-sessions/{access_key}") as response:  # noqa: S310 - always the emulator's address
                found = json.load(response)
        except OSError:
            return None
        return RoleSession(**{**found, "expires_at": datetime.fromisoformat(found["expires_at"])})

    return find


def profiles_at(url: str, region: str) -> Callable[[str], str | None]:
    """Looks up application inference profiles in the emulator."""
    client: Any = EmulatedAws(url, region).client("bedrock")

    def find(arn: str) -> str | None:
        try:
            return str(client.get_inference_profile(inferenceProfileIdentifier=arn)["models"][0]["modelArn"])
        except ClientError:
            return None

    return find


def encode_chunk(event: StreamEvent) -> bytes:
    name, data = event
    content = json.dumps({"type": name, **data}).encode()
    return frame("event", "chunk", {"bytes": base64.b64encode(content).decode()})


def frame(message_type: str, kind: str, payload: Mapping[str, Any]) -> bytes:
    """One message of the event stream."""
    headers = {f":{message_type}-type": kind, ":content-type": "application/json", ":message-type": message_type}
    head = b"".join(
        struct.pack("!B", len(name)) + name.encode() + struct.pack("!BH", STRING, len(value)) + value.encode()
        for name, value in headers.items()
    )
    body = json.dumps(payload).encode()
    prelude = struct.pack("!II", 16 + len(head) + len(body), len(head))
    message = prelude + struct.pack("!I", binascii.crc32(prelude)) + head + body
    return message + struct.pack("!I", binascii.crc32(message))
