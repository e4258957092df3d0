"""Chooses the text of a mail from its parts: plain text if there is any, else HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from webordinary.contract.thread_tokens import OWN_HEADER
from webordinary.mail.context import Context, Turn
from webordinary.mail.history.quoting import SplitText
from webordinary.mail.mime.headers import read_headers
from webordinary.mail.mime.structure import MailStructure, MimePart, read_structure
from webordinary.mail.vocabulary.patterns import lazy_pattern

if TYPE_CHECKING:
    from webordinary.mail.history.known_text import KnownText
    from webordinary.mail.mime.html_body import HtmlBody

LONGEST_TEXT = 100_000
LONGEST_HTML = 250_000
LONGEST_HISTORY = 20_000
LONGEST_PLACEHOLDER = 400
MOST_HTML_PARTS = 20
_LONG_WORD = lazy_pattern(r"[^\W\d_]{4,}")


class Body:
    """The text of a mail. `context` returns the context of a text, because the choice of the text comes first."""

    def __init__(
        self, raw: bytes, structure: MailStructure, context: Callable[[str], Context], known: KnownText | None = None
    ) -> None:
        self._raw = raw
        self._structure = structure
        self._context = context
        self._known = known
        self._budget = LONGEST_TEXT
        self.from_html = False
        self.by_markers = False  # whether the history was found by markers in the HTML
        self._html_bodies: dict[int, tuple[HtmlBody, bool]] = {}  # by start of the part, with whether it was truncated
        self.text_parts: set[int] = set()  # indexes of the parts that are not attachments
        texts = [number for number, part in enumerate(structure.parts) if _is_text(part, first=number == 0)]
        self.full = "\n\n".join(self._plain_texts(texts)).strip("\r\n")
        self.split = self._split(self.full)
        self.visible = self.split.visible_reply()
        self.forwarded = self.split.forwarded_part()
        if not self.visible or self._is_placeholder(texts):
            self._use_html(texts)
        self._use_enclosed_mail()

    @property
    def history(self) -> str:
        return self.split.history()[:LONGEST_HISTORY]

    def images(self) -> tuple[frozenset[str], frozenset[str]]:
        """The content ids of the images in the HTML: all of them, and those in what the person wrote."""
        html = next((part for part in self._structure.parts if part.content_type == "text/html"), None)
        return self._html_of(html)[0].images() if html is not None else (frozenset(), frozenset())

    def _html_of(self, part: MimePart) -> tuple[HtmlBody, bool]:
        if part.start not in self._html_bodies:
            text, truncated = part.text(self._raw, LONGEST_HTML)
            self._html_bodies[part.start] = _html_body(text), truncated
        return self._html_bodies[part.start]

    def _split(self, text: str, context: Context | None = None) -> SplitText:
        self.context = context or self._context(text)
        return SplitText(text, self.context, self._known)

    def _plain_texts(self, texts: Sequence[int]) -> Iterator[str]:
        for number in texts:
            part = self._structure.parts[number]
            self.text_parts.add(number)
            if part.content_type == "text/html":
                if part.alternative is None and any(
                    self._structure.parts[other].content_type == "text/plain" for other in texts
                ):
                    yield _html_body(self._text_of(part, LONGEST_HTML)).text
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

    def _is_placeholder(self, texts: Sequence[int]) -> bool:
        """A short plain part whose words are not in the alternative HTML: "Your program cannot show this mail"."""
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

        html_text = unescape(self._text_of(html, LONGEST_HTML)).lower()
        return sum(word in html_text for word in words) * 3 < len(words)

    def _use_html(self, texts: Sequence[int]) -> None:
        parts = self._html_parts(texts)
        if not parts:
            return
        if len(parts) == 1:
            html, truncated = self._html_of(parts[0])
            if truncated:
                self._structure.truncated.add("text")
        else:
            html = _html_body("\n<br>\n".join(self._text_of(part, LONGEST_HTML // len(parts)) for part in parts))
        whole = html.text[:LONGEST_TEXT]
        context = self._context(whole)
        answer = context.turn is Turn.ANSWER
        if html.is_marked and not answer:
            whole = html.without_signature()[:LONGEST_TEXT]
            context = self._context(whole)
        split = self._split(whole, context)
        visible = split.visible_reply()
        # Programs put inline answers inside the node that they mark as history.
        if html.is_marked and answer and not split.has_known_text and not split.has_inline_answers():
            unmarked = html.without_history()[:LONGEST_TEXT]
            by_markers = SplitText(unmarked, self.context, self._known).visible_reply() if unmarked != whole else ""
            self.by_markers = bool(by_markers)
            visible = by_markers or visible
        if visible or not self.full:
            self.full, self.visible, self.from_html, self.split = whole, visible, True, split
            self.forwarded = split.forwarded_part()

    def _use_enclosed_mail(self) -> None:
        """A mail attached as a file: forwarded material if the person wrote something, else the content itself."""
        enclosed = next((part for part in self._structure.parts if part.content_type == "message/rfc822"), None)
        if enclosed is None or self.forwarded:
            return
        raw = enclosed.content(self._raw)
        if OWN_HEADER in read_headers(raw, 0, len(raw))[0]:  # our own mail is not a request
            return
        structure = read_structure(raw)
        structure.parts = [part for part in structure.parts if part.content_type != "message/rfc822"]
        inner = Body(raw, structure, self._context)
        self._structure.truncated |= structure.truncated
        if self.visible:
            self.forwarded = inner.visible
        elif not self.full:
            self.full, self.visible, self.from_html = inner.full, inner.visible, inner.from_html


def _html_body(html: str) -> HtmlBody:
    from webordinary.mail.mime.html_body import HtmlBody  # most mails do not need it

    return HtmlBody(html)


def _is_text(part: MimePart, *, first: bool) -> bool:
    if (
        part.content_type not in ("text/plain", "text/html", "text/enriched", "text/markdown")
        or part.disposition == "attachment"
    ):
        return False
    return first or not part.file_name
