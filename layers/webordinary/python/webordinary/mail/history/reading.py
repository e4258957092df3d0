"""One text of a mail, plain or HTML, split into what the person wrote, what was forwarded, and what was removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from webordinary.mail.context import Context, Turn
from webordinary.mail.history.coloured_answers import refers_to_coloured
from webordinary.mail.history.quoting import SplitText
from webordinary.text.marks import pictures_in, render, without_marks

if TYPE_CHECKING:
    from webordinary.mail.history.known_text import KnownText
    from webordinary.mail.mime.html_body import HtmlBody, HtmlText
    from webordinary.text.html import ShownPicture

LONGEST_TEXT = 100_000

LabelOf = Callable[["ShownPicture"], str]


class Reading:
    """`visible` and `forwarded` have marks; `written_out` replaces them by words."""

    def __init__(
        self, text: str, context: Context, known: KnownText | None, pictures: Sequence[ShownPicture] = ()
    ) -> None:
        self.whole = text
        self.full = without_marks(text)
        self.context = context
        self.split = SplitText(text, context, known)
        self.visible = self.split.visible_reply()
        self.forwarded = self.split.forwarded_part()
        self.pictures = pictures  # of the whole text
        self.visible_pictures = pictures
        self.is_forward = self.split.is_forward
        self.from_html = False
        self.by_markers = False  # whether the history was found by markers in the HTML
        self._by_markers_removed = ""
        self._answers_are_coloured = False  # so that the history belongs to the answers

    @classmethod
    def of_html(cls, html: HtmlBody, context_of: Callable[[str], Context], known: KnownText | None) -> Reading:
        source = html.whole
        context = _context(context_of, source)
        if html.is_marked and context.turn is not Turn.ANSWER:
            source = html.without_signature
            context = _context(context_of, source)
        reading = cls(source.text[:LONGEST_TEXT], context, known, source.pictures)
        reading.from_html = True
        if source is not html.whole:
            reading._by_markers_removed = _leftover(html.whole.text, [source.text])
        # Programs put inline answers inside the node that they mark as history.
        elif reading._may_use_markers(html):
            reading._apply_markers(html, known)
        reading._keep_coloured_answers()
        return reading

    def _may_use_markers(self, html: HtmlBody) -> bool:
        answers = html.is_marked and self.context.turn is Turn.ANSWER
        return answers and not self.split.has_known_text and not self.split.has_inline_answers()

    def _apply_markers(self, html: HtmlBody, known: KnownText | None) -> None:
        unmarked = html.without_history
        if unmarked.text == html.whole.text:
            return
        split = SplitText(unmarked.text[:LONGEST_TEXT], self.context, known, without_history=html.has_marked_history)
        visible = split.visible_reply()
        if visible:
            self.by_markers = True
            self.is_forward = split.is_forward
            self.visible, self.visible_pictures = visible, unmarked.pictures
            taken = [visible, self.forwarded, self.split.history(), self.split.removed(), split.removed()]
            self._by_markers_removed = "\n".join(
                text for text in (split.removed(), _leftover(html.whole.text, taken)) if text
            )

    def _keep_coloured_answers(self) -> None:
        if self.context.turn is not Turn.ANSWER or self.split.has_known_text:
            return
        if refers_to_coloured(without_marks(self.visible), self.split.history()):
            self.visible, self.visible_pictures = self.split.with_history(), self.pictures
            self._answers_are_coloured = True
            self.by_markers = False
            self._by_markers_removed = ""

    @property
    def history(self) -> str:
        """The removed earlier mails. What only a marker tells apart is history here, because most of it is."""
        history = self.split.history()
        history = render(_leftover(history, [self.visible]) if self._answers_are_coloured else history)
        if not self.by_markers or not self._by_markers_removed:
            return history
        return f"{render(self._by_markers_removed)}\n\n{history}".strip("\n")

    @property
    def removed(self) -> str:
        """The removed signatures and footers."""
        removed = render(self.split.removed())
        if self.by_markers or not self._by_markers_removed:
            return removed
        return f"{removed}\n{render(self._by_markers_removed)}".strip("\n")

    def visible_text(self, label_of: LabelOf, *, with_colours: bool = True) -> str:
        return _written_out(self.visible, self.visible_pictures, label_of, with_colours=with_colours)

    def whole_text(self, label_of: LabelOf) -> str:
        return _written_out(self.whole, self.pictures, label_of)

    def forwarded_text(self, label_of: LabelOf) -> str:
        return _written_out(self.forwarded, self.pictures, label_of)

    def shown_pictures(self) -> list[ShownPicture]:
        """The pictures in what the person wrote or forwarded."""
        return [
            *(self.visible_pictures[number] for number in sorted(pictures_in(self.visible))),
            *(self.pictures[number] for number in sorted(pictures_in(self.forwarded))),
        ]


def _context(context_of: Callable[[str], Context], source: HtmlText) -> Context:
    return context_of(without_marks(source.text[:LONGEST_TEXT]))


def _written_out(text: str, pictures: Sequence[ShownPicture], label_of: LabelOf, *, with_colours: bool = True) -> str:
    if text.isascii():
        return text
    labels = [label_of(picture) for picture in pictures] if pictures_in(text) else []
    return render(text, labels, with_colours=with_colours).strip("\n")


def _leftover(whole: str, taken: Iterable[str]) -> str:
    """The lines of a text that none of the other texts has."""
    left = Counter(_bare(line) for text in taken for line in text.split("\n"))
    found = []
    for line in whole.split("\n"):
        bare = _bare(line)
        if left[bare] > 0:
            left[bare] -= 1
        elif bare:
            found.append(line.rstrip())
    return "\n".join(found)


def _bare(line: str) -> str:
    return without_marks(line).strip().lstrip("> ")
