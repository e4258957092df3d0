"""The request of the Messages API, validated as strictly as the API does."""

import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from local.model.errors import InvalidRequestError, NotAuthenticatedError

REQUIRED_FIELDS = {
    "text": ("text",),
    "image": ("source",),
    "document": ("source",),
    "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",),
    "tool_use": ("id", "name", "input"),
    "tool_result": ("tool_use_id",),
}


class ApiObject(BaseModel):
    # Preview features add fields before they are documented, so unknown fields are allowed.
    model_config = ConfigDict(extra="allow", frozen=True)


class ContentBlock(ApiObject):
    """One content block. Its type determines the required fields."""

    type: str
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: dict[str, Any] | None = None
    tool_use_id: str | None = None
    content: "str | list[ContentBlock] | None" = None
    is_error: bool | None = None

    @model_validator(mode="after")
    def has_required_fields(self) -> "ContentBlock":
        missing = [name for name in REQUIRED_FIELDS.get(self.type, ()) if getattr(self, name, None) is None]
        if missing:
            raise ValueError(f"{self.type}.{missing[0]}: Field required")
        return self

    def plain_text(self) -> str:
        """The text of a text block or of a tool result."""
        if self.type == "text":
            return self.text or ""
        if isinstance(self.content, list):
            return "\n".join(block.plain_text() for block in self.content)
        return self.content or ""


class ModelMessage(ApiObject):
    role: Literal["user", "assistant", "system"]
    content: str | list[ContentBlock]

    def blocks(self) -> list[ContentBlock]:
        return [ContentBlock(type="text", text=self.content)] if isinstance(self.content, str) else self.content

    def tool_uses(self) -> list[str]:
        return [block.id or "" for block in self.blocks() if block.type == "tool_use"]

    def tool_results(self) -> list[str]:
        return [block.tool_use_id or "" for block in self.blocks() if block.type == "tool_result"]


class ToolDefinition(ApiObject):
    name: str = Field(min_length=1, max_length=128)
    input_schema: dict[str, Any] | None = None

    @model_validator(mode="after")
    def has_object_schema(self) -> "ToolDefinition":
        schema = self.input_schema
        if schema is not None and schema.get("type") != "object":
            raise ValueError("input_schema.type: Field required")
        if schema is not None and not {"oneOf", "allOf", "anyOf"}.isdisjoint(schema):
            raise ValueError("input_schema does not support oneOf, allOf, or anyOf at the top level")
        return self


class MessagesRequest(ApiObject):
    model: str = Field(min_length=1)
    max_tokens: int = Field(ge=1)
    messages: list[ModelMessage] = Field(min_length=1)
    system: str | list[ContentBlock] | None = None
    tools: list[ToolDefinition] = []
    stream: bool = False


class CountTokensRequest(MessagesRequest):
    max_tokens: int = 1


def check_headers(headers: Mapping[str, str]) -> None:
    if not headers.get("x-api-key") and not headers.get("authorization", "").startswith("Bearer "):
        raise NotAuthenticatedError
    if not headers.get("anthropic-version"):
        raise InvalidRequestError("anthropic-version: header is required")


def parse_json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise InvalidRequestError(f"The request body is not valid JSON: {error}") from error


def parse_request(
    body: bytes, headers: Mapping[str, str], kind: type[MessagesRequest] = MessagesRequest
) -> MessagesRequest:
    try:
        request = kind.model_validate(parse_json(body))
    except ValidationError as error:
        raise InvalidRequestError(_first_problem(error)) from error
    preview = bool(headers.get("anthropic-beta"))
    _check_messages(request.messages, preview)
    _check_tool_results(request.messages)
    names = [tool.name for tool in request.tools]
    if len(set(names)) != len(names):
        raise InvalidRequestError("tools: Tool names must be unique.")
    return request


def _first_problem(error: ValidationError) -> str:
    # Content is a string or blocks, and pydantic reports errors for both: the deepest error is about the one sent.
    problem = max(error.errors(), key=lambda each: len(each["loc"]))
    path = ".".join(str(step) for step in problem["loc"] if step not in ("str", "list[ContentBlock]"))
    return f"{path}: {problem['msg'].removeprefix('Value error, ')}"


def _check_messages(messages: list[ModelMessage], preview: bool) -> None:
    if messages[0].role != "user":
        raise InvalidRequestError("messages: first message must use the user role")
    for index, message in enumerate(messages):
        # Claude Code uses a preview feature that allows system messages inside the conversation.
        if message.role == "system" and not preview:
            raise InvalidRequestError(f"messages.{index}.role: Input should be 'user' or 'assistant'")
        if not message.content and not (message.role == "assistant" and message is messages[-1]):
            raise InvalidRequestError(f"messages.{index}: all messages must have non-empty content")
        for block in message.blocks():
            if block.type == "text" and not block.text:
                raise InvalidRequestError(f"messages.{index}: text content blocks must be non-empty")
            if block.type not in REQUIRED_FIELDS and not preview:
                raise InvalidRequestError(f"messages.{index}: '{block.type}' is not a known content block type")


def _check_tool_results(messages: list[ModelMessage]) -> None:
    seen: set[str] = set()
    for index, message in enumerate(messages):
        before = messages[index - 1].tool_uses() if index else []
        after = messages[index + 1].tool_results() if index + 1 < len(messages) else []
        unexpected = [name for name in message.tool_results() if name not in before]
        if unexpected:
            raise InvalidRequestError(
                f"messages.{index}: unexpected `tool_use_id` found in `tool_result` blocks: {unexpected[0]}. "
                "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            )
        unanswered = [name for name in message.tool_uses() if name not in after]
        if unanswered:
            raise InvalidRequestError(
                f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(unanswered)}."
            )
        if seen.intersection(message.tool_uses()):
            raise InvalidRequestError(f"messages.{index}: `tool_use` ids must be unique")
        seen.update(message.tool_uses())
