"""Approximate token counts, for the accounting of costs."""

import json
import math

from local.model.messages import MessagesRequest
from local.model.steps import ModelStep

CHARACTERS_PER_TOKEN = 4
UNCACHED_TOKENS = 3  # the uncached rest of a request whose conversation is cached


def count(text: str) -> int:
    return math.ceil(len(text) / CHARACTERS_PER_TOKEN)


def input_tokens(request: MessagesRequest) -> int:
    return count(request.model_dump_json(include={"system", "tools", "messages"}))


def output_tokens(step: ModelStep) -> int:
    return max(1, count(step.text) + sum(count(call.name + json.dumps(call.input)) for call in step.tools))


def usage(request: MessagesRequest, step: ModelStep) -> dict[str, int]:
    """If the client requests caching, all but the newest message counts as read from the cache."""
    total = input_tokens(request)
    newest = min(total, count(request.messages[-1].model_dump_json()))
    fresh, written, cached = total, 0, 0
    if '"cache_control"' in request.model_dump_json():
        fresh = min(UNCACHED_TOKENS, total)
        cached = total - newest if len(request.messages) > 2 else 0
        written = total - fresh - cached if total > fresh + cached else 0
    return {
        "input_tokens": fresh,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": cached,
        "output_tokens": output_tokens(step),
    }
