"""A step as the Messages API would answer it: as one JSON message, or as a stream of events."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from local.model.messages import MessagesRequest
from local.model.steps import ModelStep, ToolCall
from local.model.token_count import usage

PIECE = 24  # characters in one delta, so that clients have pieces to put together

StreamEvent = tuple[str, dict[str, Any]]


class ModelResponse:
    """One turn with its ids, ready to be encode_event in either form."""

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
        words = [{"type": "text", "text": self.step.text}] if self.step.text else []
        calls = [{"type": "tool_use", "id": name, "name": call.name, "input": call.input} for name, call in self.calls]
        ending = {"stop_reason": self.stop_reason, "stop_sequence": None, "usage": self.usage}
        return {**self.head, "content": [*words, *calls], **ending}

    def opening(self) -> Iterator[StreamEvent]:
        """Everything up to the end of the text: where a hanging answer stops."""
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
            for piece in _pieces(self.step.text):
                yield "content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": piece}}

    def ending(self) -> Iterator[StreamEvent]:
        if self.step.text:
            yield "content_block_stop", {"index": 0}
        for index, (name, call) in enumerate(self.calls, start=1 if self.step.text else 0):
            yield from _call_events(index, name, call)
        delta = {"stop_reason": self.stop_reason, "stop_sequence": None}
        yield "message_delta", {"delta": delta, "usage": {"output_tokens": self.usage["output_tokens"]}}
        yield "message_stop", {}


def _call_events(index: int, name: str, call: ToolCall) -> Iterator[StreamEvent]:
    block = {"type": "tool_use", "id": name, "name": call.name, "input": {}}
    yield "content_block_start", {"index": index, "content_block": block}
    for piece in _pieces(json.dumps(call.input)):
        yield "content_block_delta", {"index": index, "delta": {"type": "input_json_delta", "partial_json": piece}}
    yield "content_block_stop", {"index": index}


def _pieces(text: str) -> list[str]:
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]


def encode_event(event: StreamEvent) -> bytes:
    name, data = event
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()
