"""Sizes of texts in messages. Step Functions and SQS limit the bytes of a message as JSON, not its characters."""

from __future__ import annotations

import json


def json_bytes(text: str) -> int:
    """The bytes of a text in JSON, with its escapes and without quotes."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) - 2


def cut(text: str, most: int) -> str:
    """The longest start of a text that takes at most `most` bytes in JSON."""
    if json_bytes(text) <= most:
        return text
    low, high = 0, min(len(text), most)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if json_bytes(text[:middle]) <= most else (low, middle - 1)
    return text[:low]
