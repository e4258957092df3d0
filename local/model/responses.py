"""A step as a response of the Messages API: one JSON message, or a stream of events."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from local.model.messages import MessagesRequest
from local.model.steps import ModelStep, ToolCall
from local.model.token_count import usage

CHUNK = 24  # characters per delta, so that clients have to join several

StreamEvent = tuple[str, dict[str, Any]]


class ModelResponse:
    """One turn with its ids."""

    def __init__(self, request: MessagesRequest, step: ModelStep, call_prefix: str, new_id: Callable[[], str]) -> None:
        self.step = step
        self.stop_reason = "tool_use" if step.tools else "end_turn"
        self.usage = usage(request, step)
        self.calls = [(f"{call_prefix}{new_id()}", call) for call in step.tools]
        self.head: dict[str, Any] = {
            "id": f"msg_{new_id()}",
            "type": "message",
            "role": "assistant",
            "model": request.model,
        }

    def message(self) -> dict[str, Any]:
        text = [{"type": "text", "text": self.step.text}] if self.step.text else []
        calls = [
            {"type": "tool_use", "id": call_id, "name": call.name, "input": call.input} for call_id, call in self.calls
        ]
        ending = {"stop_reason": self.stop_reason, "stop_sequence": None, "usage": self.usage}
        return {**self.head, "content": [*text, *calls], **ending}

    def opening(self) -> Iterator[StreamEvent]:
        """The events up to the end of the text, where a hanging response pauses."""
        start: dict[str, Any] = {
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {**self.usage, "output_tokens": 1},
        }
        yield "message_start", {"message": {**self.head, **start}}
        yield "ping", {}
        if self.step.text:
            yield "content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}
            for chunk in _chunks(self.step.text):
                yield "content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": chunk}}

    def ending(self) -> Iterator[StreamEvent]:
        if self.step.text:
            yield "content_block_stop", {"index": 0}
        for index, (call_id, call) in enumerate(self.calls, start=1 if self.step.text else 0):
            yield from _call_events(index, call_id, call)
        delta = {"stop_reason": self.stop_reason, "stop_sequence": None}
        yield "message_delta", {"delta": delta, "usage": {"output_tokens": self.usage["output_tokens"]}}
        yield "message_stop", {}


def _call_events(index: int, call_id: str, call: ToolCall) -> Iterator[StreamEvent]:
    block = {"type": "tool_use", "id": call_id, "name": call.name, "input": {}}
    yield "content_block_start", {"index": index, "content_block": block}
    for chunk in _chunks(json.dumps(call.input)):
        yield "content_block_delta", {"index": index, "delta": {"type": "input_json_delta", "partial_json": chunk}}
    yield "content_block_stop", {"index": index}


def _chunks(text: str) -> list[str]:
    return [text[start : start + CHUNK] for start in range(0, len(text), CHUNK)]


def encode_event(event: StreamEvent) -> bytes:
    name, data = event
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()
