"""Reads the attributes of HTML elements, and what they say about an element."""

from __future__ import annotations

import re
from html import unescape

LONGEST_EMOJI = 16
_ATTRIBUTE = re.compile(r"""([a-zA-Z-]{2,20})\s?=\s?("[^"]*"|'[^']*'|[^\s"'>]+)""")


def read_attributes(tag: str) -> dict[str, str]:
    if "=" not in tag:
        return {"hidden": ""} if " hidden" in tag.lower() else {}
    return {match[1].lower(): unescape(match[2].strip("\"'")) for match in _ATTRIBUTE.finditer(tag)}


def without_conditional_comments(html: str) -> str:
    """Without what only Outlook reads."""
    pieces = []
    position = 0
    while (start := html.find("<!--[if", position)) >= 0:
        end = html.find("<![endif]-->", start)
        if end < 0:
            break
        pieces.append(html[position:start])
        position = end + len("<![endif]-->")
    return "".join((*pieces, html[position:]))


def is_indent(attributes: dict[str, str]) -> bool:
    """Whether a blockquote only moves text to the right, as the indent button of some programs does."""
    style = attributes.get("style", "").lower().replace(" ", "")
    return "border:none" in style and "class" not in attributes and "type" not in attributes


def is_pixel(attributes: dict[str, str]) -> bool:
    """Whether an image is too small to be seen, as those that count readers are."""
    return any(attributes.get(side, "").removesuffix("px").strip() in ("0", "1", "2") for side in ("width", "height"))


def is_emoji(text: str) -> bool:
    return 0 < len(text) <= LONGEST_EMOJI and not text.isascii() and not any(map(str.isalnum, text))


def number_in(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 5 else 1
