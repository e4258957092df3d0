"""The HTML body of a mail, with and without what mail programs mark as history or signature."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from webordinary.mail.mime.html_markers import ALL_HISTORY, ALL_SIGNATURES, MARKERS, OUTLOOK_LINE, ZIMBRA_QUOTE
from webordinary.text.html import HtmlReader, Marker, ShownPicture, read_html


class HtmlText(NamedTuple):
    """A text with marks, and the pictures that its marks number."""

    text: str
    pictures: tuple[ShownPicture, ...] = ()


class HtmlBody:
    """An HTML body, read once. The text without marked nodes is read on request."""

    def __init__(self, html: str) -> None:
        self._html = html
        self._whole = self._read()
        self.whole = _text_of(self._whole)

    @property
    def text(self) -> str:
        return self.whole.text

    @property
    def is_marked(self) -> bool:
        return bool(self._whole.markers)

    @property
    def has_marked_history(self) -> bool:
        return bool(self._whole.markers & ALL_HISTORY)

    @cached_property
    def without_history(self) -> HtmlText:
        """The text without marked history and signature."""
        if self._whole.markers & ALL_HISTORY:
            found = _text_of(self._read(ALL_HISTORY | ALL_SIGNATURES))
            return found if found.text else self.without_signature
        return self.without_signature

    @cached_property
    def without_signature(self) -> HtmlText:
        return _text_of(self._read(ALL_SIGNATURES)) if self._whole.markers & ALL_SIGNATURES else self.whole

    def images(self) -> tuple[frozenset[str], frozenset[str]]:
        """Content ids of all images in the body, and of those outside marked history and signatures."""
        new = self._read(ALL_HISTORY | ALL_SIGNATURES) if self._whole.markers else self._whole
        return frozenset(self._whole.content_ids), frozenset(new.content_ids)

    def _read(self, dropped: frozenset[Marker] = frozenset()) -> HtmlReader:
        return read_html(self._html, _find_marker, dropped)


def _text_of(reader: HtmlReader) -> HtmlText:
    return HtmlText(reader.text(), tuple(reader.pictures))


def _find_marker(name: str, attributes: dict[str, str]) -> Marker | None:
    for attribute in ("class", "id", "name", "type"):
        for value in attributes.get(attribute, "").lower().split()[:10]:
            # Outlook puts "x_" before the names in mails that it quotes.
            marker = MARKERS.get((attribute, value.removeprefix("x_")))
            # Gmail's quote button makes the same blockquote, but outside the node that holds the history.
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
