"""The text of a mail, chosen from its parts: plain where there is any, HTML where there is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from webordinary.contract.thread_tokens import OWN_HEADER
from webordinary.mail.history.quoting import Reading
from webordinary.mail.lines.context import Context, Turn
from webordinary.mail.mime.containers import Part, Structure, read_headers, take_apart
from webordinary.mail.vocabulary.patterns import compiled_later

if TYPE_CHECKING:
    from webordinary.mail.history.known_text import KnownText
    from webordinary.text.html import Markup

LONGEST_TEXT = 100_000
LONGEST_HTML = 250_000
LONGEST_HISTORY = 20_000
LONGEST_PLACEHOLDER = 400
MOST_HTML_PARTS = 20
_LONG_WORD = compiled_later(r"[^\W\d_]{4,}")


class Body:
    """What can be read of a mail. `context` makes the context of a text, once it is known which text it is."""

    def __init__(
        self, raw: bytes, structure: Structure, context: Callable[[str], Context], known: KnownText | None = None
    ) -> None:
        self._raw = raw
        self._structure = structure
        self._context = context
        self._known = known
        self._left = LONGEST_TEXT
        self.from_html = False
        self.by_marks = False  # whether the HTML's own marks told the history from the rest
        self._markup: dict[int, tuple[Markup, bool]] = {}  # by where a part begins, with whether it was cut
        self.shown: set[int] = set()  # indexes of the parts that are text, not attachments
        texts = [number for number, part in enumerate(structure.parts) if _is_text(part, first=number == 0)]
        self.full = "\n\n".join(self._plain(texts)).strip("\r\n")
        self.reading = self._read(self.full)
        self.visible = self.reading.visible_reply()
        self.forwarded = self.reading.forwarded_part()
        if not self.visible or self._is_placeholder(texts):
            self._use_html(texts)
        self._use_enclosed()

    @property
    def history(self) -> str:
        return self.reading.history()[:LONGEST_HISTORY]

    def pictures(self) -> tuple[frozenset[str], frozenset[str]]:
        """The content ids that the HTML shows as pictures: all of them, and those in what the person wrote."""
        html = next((part for part in self._structure.parts if part.content_type == "text/html"), None)
        return self._markup_of(html)[0].pictures() if html is not None else (frozenset(), frozenset())

    def _markup_of(self, part: Part) -> tuple[Markup, bool]:
        if part.start not in self._markup:
            text, cut = part.text(self._raw, LONGEST_HTML)
            self._markup[part.start] = _markup(text), cut
        return self._markup[part.start]

    def _read(self, text: str, context: Context | None = None) -> Reading:
        self.context = context or self._context(text)
        return Reading(text, self.context, self._known)

    def _plain(self, texts: Sequence[int]) -> Iterator[str]:
        for number in texts:
            part = self._structure.parts[number]
            self.shown.add(number)
            if part.content_type == "text/html":
                if part.alternative is None and any(
                    self._structure.parts[other].content_type == "text/plain" for other in texts
                ):
                    yield _markup(self._text_of(part, LONGEST_HTML)).text
            elif self._left > 0:
                text = self._text_of(part, self._left)
                self._left -= len(text)
                if text.strip():
                    yield text
            else:
                self._structure.cut.add("text")

    def _text_of(self, part: Part, limit: int) -> str:
        text, cut = part.text(self._raw, limit)
        if cut:
            self._structure.cut.add("text")
        return text

    def _html_parts(self, texts: Sequence[int]) -> list[Part]:
        parts = (self._structure.parts[number] for number in texts)
        return [part for part in parts if part.content_type == "text/html"][:MOST_HTML_PARTS]

    def _is_placeholder(self, texts: Sequence[int]) -> bool:
        """A short plain part whose words are not in the HTML beside it: "Your program cannot show this mail"."""
        if len(self.full) > LONGEST_PLACEHOLDER:
            return False
        html = next((part for part in self._html_parts(texts) if part.alternative is not None), None)
        if html is None:
            return False
        words = set(_LONG_WORD().findall(self.visible.lower()))
        if len(words) < 4:
            return False
        undecoded = self._raw[html.start : min(html.end, html.start + LONGEST_PLACEHOLDER * 8)].lower()
        if sum(word.encode() in undecoded for word in words) * 3 >= len(words):
            return False
        from html import unescape

        beside = unescape(self._text_of(html, LONGEST_HTML)).lower()
        return sum(word in beside for word in words) * 3 < len(words)

    def _use_html(self, texts: Sequence[int]) -> None:
        parts = self._html_parts(texts)
        if not parts:
            return
        if len(parts) == 1:
            markup, cut = self._markup_of(parts[0])
            if cut:
                self._structure.cut.add("text")
        else:
            markup = _markup("\n<br>\n".join(self._text_of(part, LONGEST_HTML // len(parts)) for part in parts))
        whole = markup.text[:LONGEST_TEXT]
        context = self._context(whole)
        answer = context.turn is Turn.ANSWER
        if markup.is_marked and not answer:
            whole = markup.unsigned()[:LONGEST_TEXT]
            context = self._context(whole)
        reading = self._read(whole, context)
        visible = reading.visible_reply()
        # Programs put answers that are between quotes inside the node that they mark as history.
        if markup.is_marked and answer and not reading.recognised and not reading.has_answers_between():
            unmarked = markup.unmarked()[:LONGEST_TEXT]
            by_marks = Reading(unmarked, self.context, self._known).visible_reply() if unmarked != whole else ""
            self.by_marks = bool(by_marks)
            visible = by_marks or visible
        if visible or not self.full:
            self.full, self.visible, self.from_html, self.reading = whole, visible, True, reading
            self.forwarded = reading.forwarded_part()

    def _use_enclosed(self) -> None:
        """A forward as attachment: below the person's own words it is a forward, without any it is the content."""
        enclosed = next((part for part in self._structure.parts if part.content_type == "message/rfc822"), None)
        if enclosed is None or self.forwarded:
            return
        raw = enclosed.content(self._raw)
        if OWN_HEADER in read_headers(raw, 0, len(raw))[0]:  # what we said ourselves asks for nothing
            return
        structure = take_apart(raw)
        structure.parts = [part for part in structure.parts if part.content_type != "message/rfc822"]
        inner = Body(raw, structure, self._context)
        self._structure.cut |= structure.cut
        if self.visible:
            self.forwarded = inner.visible
        elif not self.full:
            self.full, self.visible, self.from_html = inner.full, inner.visible, inner.from_html


def _markup(html: str) -> Markup:
    from webordinary.text.html import Markup  # most mails can do without

    return Markup(html)


def _is_text(part: Part, *, first: bool) -> bool:
    if (
        part.content_type not in ("text/plain", "text/html", "text/enriched", "text/markdown")
        or part.disposition == "attachment"
    ):
        return False
    return first or not part.file_name
