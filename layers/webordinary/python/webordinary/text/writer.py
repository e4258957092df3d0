"""Writes the words of a document as lines: breaks, quote marks, bullets. At most one empty line between two lines."""

from __future__ import annotations

from webordinary.text.marks import END

MOST_QUOTE_MARKS = 10


class _Buffer:
    """The text of the document, or of one cell."""

    __slots__ = ("bullet", "last", "pending", "pieces", "quote_base", "started")

    def __init__(self, quote_base: int = 0) -> None:
        self.pieces: list[str] = []
        self.pending = 0
        self.started = False
        self.bullet = ""
        self.last = ""  # the last character, without marks
        self.quote_base = quote_base

    def text(self) -> str:
        lines = "".join(self.pieces).replace("\xa0", " ").split("\n")
        return "\n".join([line.rstrip() for line in lines]).strip("\n")


class TextWriter:
    def __init__(self) -> None:
        self.quote_depth = 0
        self._outer: list[_Buffer] = []
        self._buffer = _Buffer()

    @property
    def last_character(self) -> str:
        return "" if self._buffer.pending else self._buffer.last

    @property
    def position(self) -> tuple[int, int]:
        """Where the next text will be, for `text_since`."""
        return len(self._outer), len(self._buffer.pieces)

    def text_since(self, position: tuple[int, int]) -> str:
        return "".join(self._buffer.pieces[position[1] :]) if position[0] == len(self._outer) else ""

    def break_lines(self, count: int) -> None:
        self._buffer.pending = max(self._buffer.pending, count)

    def break_line(self) -> None:
        """One more line break, such as that of `<br>`."""
        self._buffer.pending = min(2, self._buffer.pending + 1)

    def bullet(self, text: str) -> None:
        self.break_lines(1)
        self._buffer.bullet = text

    def write(self, text: str, mark: str = "", *, exactly: bool = False) -> None:
        buffer = self._buffer
        at_start = buffer.pending > 0 or not buffer.started or buffer.bullet != ""
        if at_start and not exactly:
            text = text.lstrip(" ")
            if not text.strip(" \xa0"):
                if text and buffer.pending == 1 and not buffer.bullet:
                    buffer.pending = 2  # a paragraph with only a hard space is an empty line
                return
        if not text:
            return
        depth = self.quote_depth - buffer.quote_base
        prefix = "> " * min(depth, MOST_QUOTE_MARKS) if depth > 0 else ""
        if buffer.pending and buffer.started:
            buffer.pieces.append("\n" * buffer.pending + prefix)
        elif not buffer.started:
            buffer.pieces.append(prefix)
        buffer.last = text[-1]
        if "\n" in text:
            text = text.replace("\n", f"{END}\n{prefix}{mark}" if mark else "\n" + prefix)
        buffer.pieces.append(f"{buffer.bullet}{mark}{text}{END}" if mark else buffer.bullet + text)
        buffer.pending = 0
        buffer.bullet = ""
        buffer.started = True

    def start_cell(self) -> None:
        self._outer.append(self._buffer)
        self._buffer = _Buffer(self.quote_depth)

    def end_cell(self) -> str:
        text = self._buffer.text()
        self._buffer = self._outer.pop()
        return text

    def text(self) -> str:
        return self._buffer.text()
