"""HTML mail to plain text, with what mail programs mark as history or signature left out on request.

A scanner of its own instead of `html.parser`: that one takes quadratic time on some unclosed tags, and mail comes
from strangers. Every look ahead here either finds its end or is never tried again, so the time is linear in the
length.
"""

from __future__ import annotations

import re
from html import unescape

from webordinary.text.html_marks import (
    ALL_HISTORY,
    ALL_SIGNATURES,
    MARKERS,
    OUTLOOK_LINE,
    ZIMBRA_QUOTE,
    Marker,
)

LONGEST_TAG = 4096
LONGEST_LINK = 500
_VOID = frozenset(("br", "img", "hr", "input", "meta", "link", "area", "base", "col", "embed", "source", "wbr"))
_UNSEEN = frozenset(("head", "style", "script", "title", "template", "noscript", "svg", "object", "select"))
_ONE_BREAK = frozenset(
    ("div", "tr", "li", "dt", "dd", "section", "article", "header", "footer", "address", "center", "caption")
)
_TWO_BREAKS = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "dl", "pre", "blockquote"))
_TAG_START = re.compile(r"<[a-zA-Z/!?]")
_NAME = re.compile(r"/?([a-zA-Z][a-zA-Z0-9:-]{0,40})")
_ATTRIBUTE = re.compile(r"""([a-zA-Z-]{2,20})\s?=\s?("[^"]*"|'[^']*'|[^\s"'>]+)""")
_SPACES = re.compile(r"[ \t\r\n\f\u200b]+")


def html_to_text(html: str) -> str:
    """The whole text of an HTML body. Quotes get "> " before each line, as in a plain mail."""
    return _read(html, frozenset()).text()


class Markup:
    """An HTML body, read once; what its marks set apart is read again only when somebody asks for it."""

    def __init__(self, html: str) -> None:
        self._html = html
        self._whole = _read(html, frozenset())
        self.text = self._whole.text()

    @property
    def is_marked(self) -> bool:
        return bool(self._whole.marked)

    def unmarked(self) -> str:
        """The text without marked history and signature."""
        if self._whole.marked & ALL_HISTORY:
            return _read(self._html, ALL_HISTORY | ALL_SIGNATURES).text() or self.unsigned()
        return self.unsigned()

    def unsigned(self) -> str:
        """The text without the signature alone."""
        return _read(self._html, ALL_SIGNATURES).text() if self._whole.marked & ALL_SIGNATURES else self.text

    def pictures(self) -> tuple[frozenset[str], frozenset[str]]:
        """Content ids of all pictures that the body shows, and of those outside of marked history and signatures."""
        new = _read(self._html, ALL_HISTORY | ALL_SIGNATURES) if self._whole.marked else self._whole
        return frozenset(self._whole.pictures), frozenset(new.pictures)


def _read(html: str, dropped: frozenset[Marker]) -> _Converter:
    converter = _Converter(dropped)
    converter.read(html)
    return converter


class _Converter:
    def __init__(self, dropped: frozenset[Marker]) -> None:
        self._markers_to_drop = dropped
        self.marked: set[Marker] = set()  # how nodes were marked as history or signature
        self._pieces: list[str] = []
        self._pending_breaks = 0
        self._started = False
        self._quote_depth = 0
        self._preformatted = 0
        self._dropped: tuple[str, int] | None = None  # the tag that is being left out, and how deep we are in it
        self._links: list[str] = []
        self.pictures: list[str] = []
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
            if end < 0:  # nothing before the next ">" can be a tag, so all of it is read as text at once
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
        """Acts on the tag between the two positions and says where to go on."""
        match = _NAME.match(html, start, end)
        if match is None:
            return end + 1
        name = match[1].lower()
        closing = html[start] == "/"
        if name in _UNSEEN and not closing and html[end - 1] != "/":
            return self._after_unseen(html, name, end + 1)
        if self._dropped is not None:
            self._count_dropped(name, closing)
        elif closing:
            self._close(name)
        else:
            self._open(name, _attributes(html[match.end() : end]))
        return end + 1

    def _after_unseen(self, html: str, name: str, position: int) -> int:
        if name in self._never_closed:
            return position
        end = html.find(f"</{name}", position)
        if end < 0:
            end = html.find(f"</{name.upper()}", position)
        if end < 0:  # broken: skipped as a tag, its content read as text
            self._never_closed.add(name)
            return position
        return end

    def _count_dropped(self, name: str, closing: bool) -> None:
        if self._dropped is None or self._dropped[0] != name:
            return
        depth = self._dropped[1] + (-1 if closing else 1)
        self._dropped = (name, depth) if depth > 0 else None

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        marker = _marker(name, attributes) if attributes else None
        if marker is not None:
            self.marked.add(marker)
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
            self.pictures.append(attributes["src"][4:])
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


def _marker(name: str, attributes: dict[str, str]) -> Marker | None:
    for attribute in ("class", "id", "name", "type"):
        for value in attributes.get(attribute, "").lower().split()[:10]:
            # Outlook puts "x_" before the names in mails that it quotes.
            marker = MARKERS.get((attribute, value.removeprefix("x_")))
            # Gmail's button for a quote makes the same blockquote, but outside of the node that holds the history.
            if marker is not None and not (name == "blockquote" and marker.value == "gmail_quote"):
                return marker
    if name == "div" and _is_outlook_line(attributes.get("style", "")):
        return OUTLOOK_LINE
    if attributes.get("data-marker") == "__QUOTED_TEXT__":
        return ZIMBRA_QUOTE
    return None


def _is_outlook_line(style: str) -> bool:
    """ "border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm" in its many spellings."""
    tight = style.lower().replace(" ", "")
    return tight.startswith("border:none;border-top:solid") and "padding:3.0pt0" in tight.replace(
        "padding:3pt0", "padding:3.0pt0"
    )
