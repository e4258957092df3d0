"""Converts HTML to plain text in linear time.

`html.parser` takes quadratic time on some unclosed tags, and the input comes from strangers. Every look-ahead here
either finds its end or is never repeated.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import NamedTuple

LONGEST_TAG = 4096
LONGEST_LINK = 500
_VOID = frozenset(("br", "img", "hr", "input", "meta", "link", "area", "base", "col", "embed", "source", "wbr"))
_INVISIBLE = frozenset(("head", "style", "script", "title", "template", "noscript", "svg", "object", "select"))
_ONE_BREAK = frozenset(
    ("div", "tr", "li", "dt", "dd", "section", "article", "header", "footer", "address", "center", "caption")
)
_TWO_BREAKS = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "dl", "pre", "blockquote"))
_TAG_START = re.compile(r"<[a-zA-Z/!?]")
_NAME = re.compile(r"/?([a-zA-Z][a-zA-Z0-9:-]{0,40})")
_ATTRIBUTE = re.compile(r"""([a-zA-Z-]{2,20})\s?=\s?("[^"]*"|'[^']*'|[^\s"'>]+)""")
_SPACES = re.compile(r"[ \t\r\n\f\u200b]+")


class Marker(NamedTuple):
    """An attribute value that marks a node; with `rest`, everything after the start of the node is marked too."""

    attribute: str
    value: str
    rest: bool
    reason: str


FindMarker = Callable[[str, dict[str, str]], Marker | None]  # from the name and the attributes of a tag


def html_to_text(html: str) -> str:
    """The whole text of an HTML document. The lines of a blockquote start with "> "."""
    return read_html(html).text()


def read_html(html: str, find_marker: FindMarker | None = None, dropped: frozenset[Marker] = frozenset()) -> HtmlReader:
    """Reads a document without the nodes whose marker is in `dropped`."""
    reader = HtmlReader(find_marker, dropped)
    reader.read(html)
    return reader


class HtmlReader:
    def __init__(self, find_marker: FindMarker | None, dropped: frozenset[Marker]) -> None:
        self._find_marker = find_marker
        self._markers_to_drop = dropped
        self.markers: set[Marker] = set()  # all that were found, dropped or not
        self.content_ids: list[str] = []  # of the images that refer to a MIME part
        self._pieces: list[str] = []
        self._pending_breaks = 0
        self._started = False
        self._quote_depth = 0
        self._preformatted = 0
        self._dropped: tuple[str, int] | None = None  # the tag that is being dropped, and the nesting depth in it
        self._links: list[str] = []
        self._finished = False
        self._next_close = -1
        self._never_closed: set[str] = set()

    def read(self, html: str) -> None:
        position = 0
        while position < len(html) and not self._finished:
            match = _TAG_START.search(html, position)
            if match is None:
                self._text(html[position:])
                return
            opening = match.start()
            if opening > position:
                self._text(html[position:opening])
            if html.startswith("<!--", opening):
                end = html.find("-->", opening + 4)
                position = len(html) if end < 0 else end + 3
                continue
            end = self._end_of_tag(html, opening)
            if end < 0:  # nothing before the next ">" can be a tag, so all of it is text
                position = max(opening + 1, min(self._next_close - LONGEST_TAG, len(html)))
                self._text(html[opening:position])
            else:
                position = self._tag(html, opening + 1, end)

    def _end_of_tag(self, html: str, opening: int) -> int:
        """Where the tag closes, or -1. A ">" inside quotes does not close it, unless the quotes never close."""
        if self._next_close < opening:
            found = html.find(">", opening)
            self._next_close = found if found >= 0 else len(html) + LONGEST_TAG + 1
        limit = opening + LONGEST_TAG
        first = end = self._next_close
        if first > limit:
            return -1
        position = opening
        while html.count('"', position, end) % 2:
            quote = html.find('"', end, limit)
            end = html.find(">", quote, limit) if quote >= 0 else -1
            if end < 0:
                return first
            position = quote + 1
        return end

    def _tag(self, html: str, start: int, end: int) -> int:
        """Handles the tag between the two positions and returns where to continue."""
        match = _NAME.match(html, start, end)
        if match is None:
            return end + 1
        name = match[1].lower()
        closing = html[start] == "/"
        if name in _INVISIBLE and not closing and html[end - 1] != "/":
            return self._skip_invisible(html, name, end + 1)
        if self._dropped is not None:
            self._track_dropped(name, closing)
        elif closing:
            self._close(name)
        else:
            self._open(name, _attributes(html[match.end() : end]))
        return end + 1

    def _skip_invisible(self, html: str, name: str, position: int) -> int:
        if name in self._never_closed:
            return position
        end = html.find(f"</{name}", position)
        if end < 0:
            end = html.find(f"</{name.upper()}", position)
        if end < 0:  # unclosed: skip the tag and read its content as text
            self._never_closed.add(name)
            return position
        return end

    def _track_dropped(self, name: str, closing: bool) -> None:
        if self._dropped is None or self._dropped[0] != name:
            return
        depth = self._dropped[1] + (-1 if closing else 1)
        self._dropped = (name, depth) if depth > 0 else None

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        marker = self._find_marker(name, attributes) if attributes and self._find_marker else None
        if marker is not None:
            self.markers.add(marker)
            if marker in self._markers_to_drop:
                self._finished = marker.rest
                self._dropped = None if marker.rest or name in _VOID else (name, 1)
                self._break(1)
                return
        if name == "br":
            self._pending_breaks = min(3, self._pending_breaks + 1)
        elif name == "hr":
            self._break(1)
            self._text("----------")
            self._break(1)
        elif name == "a":
            self._links.append(attributes.get("href", ""))
        elif name == "img" and attributes.get("src", "")[:4].lower() == "cid:":
            self.content_ids.append(attributes["src"][4:])
        elif name in ("td", "th"):
            self._text(" ")
        self._break_for(name)
        if name == "blockquote":
            self._quote_depth += 1
        elif name == "pre":
            self._preformatted += 1
        elif name == "li":
            self._text("- ")

    def _close(self, name: str) -> None:
        if name == "a" and self._links:
            link = self._links.pop()
            shown = self._pieces[-1][-LONGEST_LINK:] if self._pieces else ""
            if link.startswith(("http://", "https://")) and len(link) < LONGEST_LINK and link.rstrip("/") not in shown:
                self._text(f" <{link}>")
        elif name == "blockquote":
            self._quote_depth = max(0, self._quote_depth - 1)
        elif name == "pre":
            self._preformatted = max(0, self._preformatted - 1)
        self._break_for(name)

    def _break_for(self, name: str) -> None:
        if name in _ONE_BREAK:
            self._break(1)
        elif name in _TWO_BREAKS:
            self._break(2)

    def _break(self, count: int) -> None:
        self._pending_breaks = max(self._pending_breaks, count)

    def _text(self, text: str) -> None:
        if self._dropped is not None or not text:
            return
        if "&" in text:
            text = unescape(text)
        if not self._preformatted:
            text = _SPACES.sub(" ", text)
            at_line_start = self._pending_breaks > 0 or not self._started
            text = text.lstrip(" ") if at_line_start else text
            if not text:
                return
        prefix = "> " * min(self._quote_depth, 10)
        if self._pending_breaks and self._started:
            self._pieces.append("\n" * self._pending_breaks + prefix)
        elif not self._started:
            self._pieces.append(prefix)
        self._pieces.append(text.replace("\n", "\n" + prefix) if prefix else text)
        self._pending_breaks = 0
        self._started = True

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in "".join(self._pieces).replace("\xa0", " ").split("\n")).strip("\n")


def _attributes(tag: str) -> dict[str, str]:
    if "=" not in tag:
        return {}
    return {match[1].lower(): unescape(match[2].strip("\"'")) for match in _ATTRIBUTE.finditer(tag)}
