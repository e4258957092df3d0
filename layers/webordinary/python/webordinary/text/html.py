"""Converts HTML to plain text in linear time.

`html.parser` takes quadratic time on some unclosed tags, and the input comes from strangers. Every look-ahead here
either finds its end or is never repeated.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from webordinary.text.attributes import (
    is_emoji,
    is_indent,
    is_pixel,
    number_in,
    read_attributes,
    without_conditional_comments,
)
from webordinary.text.elements import Elements
from webordinary.text.links import leads_where_it_says, link_target
from webordinary.text.lists import OpenList
from webordinary.text.marks import MOST_PICTURES, picture_mark, render, without_marks
from webordinary.text.styles import LONGEST_SHEET, StyleSheet
from webordinary.text.tables import OpenTable
from webordinary.text.writer import TextWriter

LONGEST_TAG = 4096
_VOID = frozenset(("br", "img", "hr", "input", "meta", "link", "area", "base", "col", "embed", "source", "wbr"))
_INVISIBLE = frozenset(("head", "style", "script", "title", "template", "noscript", "svg", "object", "select"))
_ONE_BREAK = frozenset(
    ("div", "tr", "li", "dt", "dd", "section", "article", "header", "footer", "address", "center", "caption")
)
_TWO_BREAKS = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "dl", "pre", "blockquote"))
_TAG_START = re.compile(r"<[a-zA-Z/!?]")
_NAME = re.compile(r"/?([a-zA-Z][a-zA-Z0-9:-]{0,40})")
_SPACES = re.compile(r"[ \t\r\n\f\u200b]+")
_SPACES_IN_LINES = re.compile(r"[ \t\r\f\u200b]+")
_LINE_BREAKS = re.compile(r"( ?\n[ \n]*)")
_STYLE_BLOCK = re.compile(r"<style[^>]{0,500}>(.*?)(?:</style|\Z)", re.IGNORECASE | re.DOTALL)
_TABLE_TAGS = frozenset(("table", "tr", "td", "th"))
MOST_STYLE_BLOCKS = 20
MOST_INDENTS = 8
DEEPEST_TABLE = 12
LONGEST_SOURCE = 500
LONGEST_DESCRIPTION = 200


class Marker(NamedTuple):
    """An attribute value that marks a node; with `rest`, everything after the start of the node is marked too."""

    attribute: str
    value: str
    rest: bool
    reason: str


class ShownPicture(NamedTuple):
    """An image in a document."""

    source: str
    description: str  # its alternative text


FindMarker = Callable[[str, dict[str, str]], Marker | None]  # from the name and the attributes of a tag


def html_to_text(html: str) -> str:
    """The whole text of an HTML document. The lines of a blockquote start with "> "."""
    reader = read_html(html)
    return render(reader.text(), [picture.description for picture in reader.pictures])


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
        self.pictures: list[ShownPicture] = []
        self._sheet = StyleSheet()
        self._elements = Elements(self._sheet)
        self._writer = TextWriter()
        self._tables: list[OpenTable] = []
        self._lists: list[OpenList] = []
        self._preformatted = 0
        self._raises = False  # whether the next text is raised
        self._quotes: list[bool] = []  # whether each open blockquote is a quote, not an indent
        self._dropped: tuple[str, int] | None = None  # the tag that is being dropped, and the nesting depth in it
        self._link: tuple[str, tuple[int, int]] | None = None  # where the open link leads, and where it begins
        self._finished = False
        self._next_close = -1
        self._never_closed: set[str] = set()

    def read(self, html: str) -> None:
        position = 0
        while position < len(html) and not self._finished:
            match = _TAG_START.search(html, position)
            if match is None:
                self._text(html[position:])
                break
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
        while self._tables:
            self._close_table()

    def _end_of_tag(self, html: str, opening: int) -> int:
        """Where the tag closes, or -1. A ">" inside quotes does not close it, unless the quotes never close."""
        if self._next_close < opening:
            found = html.find(">", opening)
            self._next_close = found if found >= 0 else len(html) + LONGEST_TAG + 1
        limit = opening + LONGEST_TAG
        first = end = self._next_close
        if first > limit:
            has_data = first < len(html) and html[opening : opening + 4].lower() == "<img"
            return first if has_data else -1
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
            self._open(name, read_attributes(html[match.end() : end]))
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
        if name == "style":
            self._sheet.add(html[position : min(end, position + LONGEST_SHEET)])
        elif name == "head" and "<style" in (head := html[position : min(end, position + LONGEST_SHEET)]).lower():
            for block in islice(_STYLE_BLOCK.finditer(without_conditional_comments(head)), MOST_STYLE_BLOCKS):
                self._sheet.add(block[1])
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
                self._writer.break_lines(1)
                return
        if name in _VOID:
            self._open_void(name, attributes)
            return
        was_raised = self._elements.is_raised
        self._elements.open(name, attributes)
        self._raises = self._elements.is_raised and (self._raises or not was_raised)
        if name == "a":
            self._end_link()
            self._link = link_target(attributes.get("originalsrc") or attributes.get("href", "")), self._writer.position
        elif name in _TABLE_TAGS:
            self._open_in_table(name, attributes)
        self._break_for(name)
        if name == "blockquote":
            is_quote = not is_indent(attributes)
            self._quotes.append(is_quote)
            self._writer.quote_depth += is_quote
        elif name == "pre":
            self._preformatted += 1
        elif name in ("ul", "ol"):
            self._lists.append(OpenList(attributes if name == "ol" else None))
        elif name == "li":
            indent = "  " * min(len(self._lists) - 1, MOST_INDENTS)
            bullet = self._lists[-1].next_bullet(attributes.get("value", "")) if self._lists else "- "
            self._writer.bullet(indent + bullet)

    def _open_void(self, name: str, attributes: dict[str, str]) -> None:
        if name == "br":
            self._writer.break_line()
        elif name == "hr":
            self._writer.break_lines(1)
            self._text("----------")
            self._writer.break_lines(1)
        elif name == "img":
            self._image(attributes)

    def _image(self, attributes: dict[str, str]) -> None:
        source = attributes.get("src", "").strip()
        if source[:4].lower() == "cid:":
            self.content_ids.append(unquote(source[4:]))
        if self._elements.is_invisible or self._elements.hides("img", attributes) or is_pixel(attributes):
            return
        description = " ".join(without_marks(attributes.get("data-emoji") or attributes.get("alt", "")).split())
        if is_emoji(description):
            self._text(description)
        elif len(self.pictures) < MOST_PICTURES:
            self._writer.write(picture_mark(len(self.pictures)))
            self.pictures.append(ShownPicture(source[:LONGEST_SOURCE], description[:LONGEST_DESCRIPTION]))

    def _close(self, name: str) -> None:
        if name == "a":
            self._end_link()
        elif name == "blockquote" and self._quotes:
            self._writer.quote_depth -= self._quotes.pop()
        elif name == "pre":
            self._preformatted = max(0, self._preformatted - 1)
        elif name in ("ul", "ol") and self._lists:
            self._lists.pop()
        elif name in _TABLE_TAGS:
            self._close_in_table(name)
        self._elements.close(name)
        self._raises = self._raises and self._elements.is_raised
        self._break_for(name)

    def _end_link(self) -> None:
        if self._link is None:
            return
        (target, position), self._link = self._link, None
        shown = self._writer.text_since(position)
        if target and shown.strip() and not leads_where_it_says(target, without_marks(shown)):
            self._writer.write(f" <{target}>")

    def _open_in_table(self, name: str, attributes: dict[str, str]) -> None:
        if name == "table":
            if self._tables:
                self._tables[-1].cells.has_inner_table = True
            self._tables.append(OpenTable(is_read=len(self._tables) < DEEPEST_TABLE))
        elif self._tables and self._tables[-1].is_read:
            table = self._tables[-1]
            self._end_cell(table)
            if name == "tr":
                table.cells.start_row()
            else:
                table.span = number_in(attributes.get("colspan")), number_in(attributes.get("rowspan"))
                table.in_cell = True
                self._writer.start_cell()
        elif name != "tr":
            self._text(" ")

    def _close_in_table(self, name: str) -> None:
        if not self._tables:
            return
        if name == "table":
            self._close_table()
        elif self._tables[-1].is_read:
            self._end_cell(self._tables[-1])

    def _end_cell(self, table: OpenTable) -> None:
        if table.in_cell:
            table.in_cell = False
            table.cells.add(self._writer.end_cell(), *table.span)

    def _close_table(self) -> None:
        table = self._tables.pop()
        self._end_cell(table)
        self._writer.break_lines(2)
        for line in table.cells.lines():
            if line.strip():
                self._writer.write(line, exactly=True)
                self._writer.break_lines(1)
            else:
                self._writer.break_line()

    def _break_for(self, name: str) -> None:
        if name in _ONE_BREAK:
            self._writer.break_lines(1)
        elif name in _TWO_BREAKS:
            nested = name in ("ul", "ol") and len(self._lists) > 0
            self._writer.break_lines(1 if nested else 2)

    def _text(self, text: str) -> None:
        if self._dropped is not None or not text or self._elements.is_invisible:
            return
        if "&" in text:
            text = unescape(text)
        text = without_marks(text)
        if not self._preformatted:
            text = (_SPACES_IN_LINES if self._elements.keeps_lines else _SPACES).sub(" ", text)
        if self._raises and text.strip():
            self._raises = False
            if text.lstrip("+-\u2212")[:1].isdigit() and self._writer.last_character.isalnum():
                text = f"^{text}"
        if self._elements.keeps_lines and not self._preformatted:
            self._lines(text)
        else:
            self._writer.write(text, self._elements.mark, exactly=self._preformatted > 0)

    def _lines(self, text: str) -> None:
        for piece in _LINE_BREAKS.split(text):
            if "\n" in piece:
                self._writer.break_lines(min(2, piece.count("\n")))
            else:
                self._writer.write(piece, self._elements.mark)

    def text(self) -> str:
        """The text, with marks."""
        return self._writer.text()
