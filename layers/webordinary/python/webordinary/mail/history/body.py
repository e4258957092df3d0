"""Chooses the text of a mail from its parts: plain text if it says all that the HTML says, else HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

from webordinary.contract.thread_tokens import OWN_HEADER
from webordinary.mail.containers.opening import open_containers
from webordinary.mail.context import Context, Turn
from webordinary.mail.history.reading import Reading
from webordinary.mail.mime.headers import read_headers
from webordinary.mail.mime.pictures import PART, PictureNames
from webordinary.mail.mime.structure import MailStructure, MimePart, read_structure
from webordinary.mail.vocabulary.patterns import lazy_pattern
from webordinary.text.marks import picture_mark, render, without_marks

if TYPE_CHECKING:
    from webordinary.mail.history.known_text import KnownText
    from webordinary.mail.history.quoting import SplitText
    from webordinary.mail.mime.html_body import HtmlBody
    from webordinary.text.html import ShownPicture

LONGEST_TEXT = 100_000
LONGEST_HTML = 250_000
LONGEST_HISTORY = 20_000
LONGEST_PLACEHOLDER = 400
MOST_HTML_PARTS = 20
MOST_ENCLOSED_MAILS = 10
DEEPEST_ENCLOSED = 3
_LONG_WORD = lazy_pattern(r"[^\W\d_]{4,}")


class Body:
    """The text of a mail. `context` returns the context of a text, because the choice of the text comes first."""

    def __init__(
        self,
        raw: bytes,
        structure: MailStructure,
        context: Callable[[str], Context],
        known: KnownText | None = None,
        *,
        depth: int = 0,
    ) -> None:
        """`depth`: in how many other mails this one is enclosed."""
        self._depth = depth
        self._raw = raw
        self._structure = structure
        self._context = context
        self._known = known
        self._budget = LONGEST_TEXT
        self._html_bodies: dict[MimePart, tuple[HtmlBody, bool]] = {}  # with whether the part was truncated
        self.text_parts: set[int] = set()  # indexes of the parts that are not attachments
        self._pictures: list[ShownPicture] = []  # in plain text
        self._enclosed = ""
        self._is_enclosed = False  # whether the reading is that of a mail attached as a file
        self.names = PictureNames(structure.parts)
        texts = [number for number, part in enumerate(structure.parts) if _is_text(part, first=number == 0)]
        full = "\n\n".join(self._plain_texts(texts)).strip("\r\n")
        self.reading = self._plain = Reading(full, context(without_marks(full)), known, self._pictures)
        self._texts = texts
        if not self.reading.visible or self._is_placeholder(texts):
            self._use_html(texts, must_say_more=False)
        elif self._html_may_say_more(texts):
            self._use_html(texts, must_say_more=True)
        self._use_enclosed_mails()
        self._write_out()

    def _write_out(self) -> None:
        label_of = self.names.label_of
        self.visible = self.spoken = self.reading.visible_text(label_of)
        if self.reading.from_html or self._pictures:
            # The same without colours and pictures, in which a command is looked for.
            self.spoken = self.reading.visible_text(_no_label, with_colours=False)
        inline = self.reading.forwarded_text(label_of)
        self.forwarded = "\n\n".join(text for text in (inline, self._enclosed) if text)

    @property
    def is_forward(self) -> bool:
        """Whether the text is another mail, forwarded or earlier, without words of the person."""
        return self._is_enclosed or self.reading.is_forward

    @property
    def full(self) -> str:
        return self.reading.full

    @property
    def context(self) -> Context:
        return self.reading.context

    @property
    def split(self) -> SplitText:
        return self.reading.split

    @property
    def from_html(self) -> bool:
        return self.reading.from_html

    @property
    def by_markers(self) -> bool:
        return self.reading.by_markers

    @property
    def history(self) -> str:
        return self.reading.history[:LONGEST_HISTORY]

    @property
    def removed(self) -> str:
        """Signatures and footers: most likely no part of the request."""
        return self.reading.removed[:LONGEST_HISTORY]

    def versions(self) -> list[str]:
        """What the person wrote, without colours: as read, and by the other of plain text and HTML if it differs."""
        readings = [self.reading]
        html = self._joined_html(self._texts)
        if html is not None and self._plain.full:
            from webordinary.mail.history.comparison import letters_of

            if letters_of(html.text) != letters_of(self._plain.full):
                is_html = self.reading.from_html
                readings.append(self._plain if is_html else Reading.of_html(html, self._context, self._known))
        return [reading.visible_text(self.names.label_of, with_colours=False) for reading in readings]

    def images(self) -> tuple[frozenset[str], frozenset[str]]:
        """The content ids of the images in the HTML: all of them, and those in what the person wrote or forwards."""
        html = next(
            (part for part in self._structure.parts if part.content_type == "text/html" and not part.is_enclosed), None
        )
        if html is None:
            return frozenset(), frozenset()
        shown, written = self._html_of(html)[0].images()
        sources = {unquote(picture.source[4:]) for picture in self.reading.shown_pictures()}
        return shown, written | (shown & sources)

    def placed_parts(self) -> frozenset[int]:
        """The indexes of the parts whose pictures stand in the text."""
        numbers = (self.names.part_of(picture) for picture in self.reading.shown_pictures())
        return frozenset(number for number in numbers if number is not None)

    def _html_of(self, part: MimePart) -> tuple[HtmlBody, bool]:
        if part not in self._html_bodies:
            text, truncated = part.text(self._raw, LONGEST_HTML)
            self._html_bodies[part] = _html_body(text), truncated
        return self._html_bodies[part]

    def _plain_texts(self, texts: Sequence[int]) -> Iterator[str]:
        parts = self._structure.parts
        has_plain_text = any(parts[number].content_type != "text/html" for number in texts)
        read = [
            number for number in texts if parts[number].content_type != "text/html" or not parts[number].alternative
        ]
        between = _pictures_between(parts, read) if has_plain_text else {}
        for number in sorted((*texts, *between)):
            part = parts[number]
            if number in between:
                yield picture_mark(len(self._pictures))
                self._pictures.append(between[number])
                continue
            self.text_parts.add(number)
            if part.content_type == "text/html":
                if part.alternative is None and has_plain_text:
                    yield render(_html_body(self._text_of(part, LONGEST_HTML)).text)
            elif self._budget > 0:
                text = self._text_of(part, self._budget)
                self._budget -= len(text)
                if text.strip():
                    yield text
            else:
                self._structure.truncated.add("text")

    def _text_of(self, part: MimePart, limit: int) -> str:
        text, truncated = part.text(self._raw, limit)
        if truncated:
            self._structure.truncated.add("text")
        return text

    def _html_parts(self, texts: Sequence[int]) -> list[MimePart]:
        parts = (self._structure.parts[number] for number in texts)
        return [part for part in parts if part.content_type == "text/html"][:MOST_HTML_PARTS]

    def _html_may_say_more(self, texts: Sequence[int]) -> bool:
        if len(texts) < 2:
            return False
        from webordinary.mail.history.comparison import may_say_more

        parts = self._html_parts(texts)
        if not any(part.alternative is not None for part in parts):
            return False
        forwards = self.context.turn is Turn.FORWARD or self.reading.forwarded != ""
        return any(may_say_more(part.text(self._raw, LONGEST_HTML)[0], self.full, forwards=forwards) for part in parts)

    def _is_placeholder(self, texts: Sequence[int]) -> bool:
        """A short plain part whose words are not in the alternative HTML: "Your program cannot show this mail"."""
        if len(texts) < 2 or len(self.full) > LONGEST_PLACEHOLDER:
            return False
        html = next((part for part in self._html_parts(texts) if part.alternative is not None), None)
        if html is None:
            return False
        words = set(_LONG_WORD().findall(self.reading.visible.lower()))
        if len(words) < 4:
            return False
        raw = self._raw if html.source is None else html.source
        undecoded = raw[html.start : min(html.end, html.start + LONGEST_PLACEHOLDER * 8)].lower()
        if sum(word.encode() in undecoded for word in words) * 3 >= len(words):
            return False
        from html import unescape

        html_text = unescape(self._text_of(html, LONGEST_HTML)).lower()
        return sum(word in html_text for word in words) * 3 < len(words)

    def _use_html(self, texts: Sequence[int], *, must_say_more: bool) -> None:
        html = self._joined_html(texts)
        if html is None:
            return
        reading = Reading.of_html(html, self._context, self._known)
        if must_say_more:
            from webordinary.mail.history.comparison import says_more

            if says_more(reading, self.reading):
                self.reading = reading
        elif reading.visible or not self.full:
            self.reading = reading

    def _joined_html(self, texts: Sequence[int]) -> HtmlBody | None:
        parts = self._html_parts(texts)
        if not parts:
            return None
        if len(parts) == 1:
            html, truncated = self._html_of(parts[0])
            if truncated:
                self._structure.truncated.add("text")
            return html
        numbers = [number for number in texts if self._structure.parts[number].content_type == "text/html"]
        between = _pictures_between(self._structure.parts, numbers[:MOST_HTML_PARTS])
        pieces = [
            f'<img src="{between[number].source}">'
            if number in between
            else self._text_of(self._structure.parts[number], LONGEST_HTML // len(parts))
            for number in sorted((*numbers[:MOST_HTML_PARTS], *between))
        ]
        return _html_body("\n<br>\n".join(pieces))

    def _use_enclosed_mails(self) -> None:
        """Mails attached as files: forwarded material if the person wrote something, else the first is the content."""
        enclosed = [part for part in self._structure.parts if part.content_type == "message/rfc822"]
        if not enclosed or self.reading.forwarded:
            return
        texts: list[str] = []
        for part in enclosed[:MOST_ENCLOSED_MAILS]:
            raw = part.content(self._raw)
            if OWN_HEADER in read_headers(raw, 0, len(raw))[0]:  # our own mail is not a request
                continue
            structure = open_containers(raw, read_structure(raw))
            if self._depth + 1 >= DEEPEST_ENCLOSED:
                structure.parts = [inner for inner in structure.parts if inner.content_type != "message/rfc822"]
            context = self._context if not (self.reading.visible or texts) else _as_material
            inner = Body(raw, structure, context, depth=self._depth + 1)
            self._structure.truncated |= structure.truncated
            if not self.reading.visible and not self.full and not texts:
                self.reading = inner.reading
                self._is_enclosed = True
                self.names = inner.names
                texts.append(inner._enclosed)
            elif self.reading.visible:
                texts.append(inner.reading.whole_text(inner.names.label_of).strip())
                texts.append(inner._enclosed)
        self._enclosed = "\n\n".join(text for text in texts if text)


def _html_body(html: str) -> HtmlBody:
    from webordinary.mail.mime.html_body import HtmlBody  # most mails do not need it

    return HtmlBody(html)


def _as_material(_: str) -> Context:
    """A mail of other people: all of it is material."""
    return Context(Turn.FRESH, True)


def _no_label(_: ShownPicture) -> str:
    return ""


def _pictures_between(parts: Sequence[MimePart], texts: Sequence[int]) -> dict[int, ShownPicture]:
    """The images that stand between the texts of a mail, or below the last of several, by index."""
    if len(texts) < 2:
        return {}
    from webordinary.text.html import ShownPicture

    return {
        number: ShownPicture(f"{PART}{number}", "")
        for number in range(texts[0] + 1, len(parts))
        if parts[number].content_type.startswith("image/") and parts[number].disposition == "inline"
    }


def _is_text(part: MimePart, *, first: bool) -> bool:
    if (
        part.content_type not in ("text/plain", "text/html", "text/enriched", "text/markdown")
        or part.disposition == "attachment"
        or part.is_enclosed
    ):
        return False
    return first or not part.file_name
