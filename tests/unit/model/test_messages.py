"""Invalid requests are rejected with the API's error messages."""

import json

import pytest

from local.model.errors import InvalidRequestError, NotAuthenticatedError
from local.model.messages import check_headers, parse_request
from local.model.steps import ModelStep
from local.model.token_count import usage

TOOL_USE = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {}}
TOOL_RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "text"}
ASK = {"role": "user", "content": "Hello"}


def body(**changes: object) -> bytes:
    whole = {"model": "claude-made-up", "max_tokens": 10, "messages": [ASK], **changes}
    return json.dumps({name: value for name, value in whole.items() if value is not None}).encode()


def conversation(*messages: object) -> bytes:
    return body(messages=list(messages))


def turn(role: str, *blocks: object) -> dict[str, object]:
    return {"role": role, "content": list(blocks)}


@pytest.mark.parametrize(
    ("request_body", "message"),
    [
        (b"{", "not valid JSON"),
        (body(model=None), "model: Field required"),
        (body(max_tokens=None), "max_tokens: Field required"),
        (body(max_tokens=0), "max_tokens: Input should be greater than or equal to 1"),
        (body(messages=None), "messages: Field required"),
        (body(messages=[]), "messages: List should have at least 1 item"),
        (conversation({"role": "wizard", "content": "x"}), "messages.0.role: Input should be"),
        (conversation({"role": "system", "content": "x"}), "first message must use the user role"),
        (conversation(ASK, {"role": "system", "content": "x"}), "messages.1.role: Input should be"),
        (conversation({"role": "assistant", "content": "x"}), "first message must use the user role"),
        (conversation({"role": "user", "content": ""}), "non-empty content"),
        (conversation(turn("user", {"type": "text", "text": ""})), "text content blocks must be non-empty"),
        (conversation(turn("user", {"type": "text"})), "text.text: Field required"),
        (conversation(turn("user", {"type": "hologram"})), "'hologram' is not a known content block type"),
        (conversation(ASK, turn("assistant", TOOL_USE)), "without `tool_result` blocks immediately after: toolu_1"),
        (conversation(ASK, turn("assistant", TOOL_USE), ASK), "without `tool_result` blocks immediately after"),
        (conversation(turn("user", TOOL_RESULT)), "unexpected `tool_use_id`"),
        (
            conversation(ASK, *[turn("assistant", TOOL_USE), turn("user", TOOL_RESULT)] * 2),
            "`tool_use` ids must be unique",
        ),
        (body(tools=[{"name": "Read"}, {"name": "Read"}]), "Tool names must be unique"),
    ],
)
def test_a_malformed_request_is_refused(request_body: bytes, message: str) -> None:
    with pytest.raises(InvalidRequestError) as error:
        parse_request(request_body, {})

    assert message in error.value.message


def test_a_conversation_with_answered_tool_calls_is_accepted() -> None:
    parse_request(conversation(ASK, turn("assistant", TOOL_USE), turn("user", TOOL_RESULT)), {})


def test_system_messages_inside_a_conversation_need_a_preview_header() -> None:
    parse_request(conversation(ASK, {"role": "system", "content": "x"}), {"anthropic-beta": "some-preview"})


def test_a_request_without_a_key_is_not_authenticated() -> None:
    with pytest.raises(NotAuthenticatedError):
        check_headers({"anthropic-version": "2023-06-01"})


def test_a_request_without_a_version_is_refused() -> None:
    with pytest.raises(InvalidRequestError):
        check_headers({"x-api-key": "made-up"})


@pytest.mark.parametrize("key", [{"x-api-key": "made-up"}, {"authorization": "Bearer made-up"}])
def test_both_kinds_of_keys_are_accepted(key: dict[str, str]) -> None:
    check_headers({"anthropic-version": "2023-06-01", **key})


def test_usage_is_a_quarter_of_the_characters() -> None:
    request = parse_request(conversation({"role": "user", "content": "x" * 4000}), {})

    counted = usage(request, ModelStep(text="y" * 400))

    assert 1000 < counted["input_tokens"] < 1100
    assert counted["output_tokens"] == 100


def test_cached_conversation_counts_as_cache_read() -> None:
    newest = turn("user", {"type": "text", "text": "x" * 400, "cache_control": {"type": "ephemeral"}})
    request = parse_request(
        conversation({"role": "user", "content": "x" * 4000}, turn("assistant", ASK_AGAIN), newest), {}
    )

    counted = usage(request, ModelStep(text="y"))

    assert counted["cache_read_input_tokens"] > 1000
    assert counted["cache_creation_input_tokens"] < 300
    assert counted["input_tokens"] == 3


ASK_AGAIN = {"type": "text", "text": "And?"}
