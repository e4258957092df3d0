"""The open elements of a document, and how the text in them looks."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from webordinary.text.marks import PLAIN, Look, start_of
from webordinary.text.styles import NOTHING, TRANSPARENT, Effect, StyleSheet, colour_name, effect_of, merge

MOST_OPEN = 1000
FARTHEST_START = 60  # elements that an end tag may close
_STRUCK = frozenset(("s", "del", "strike"))
_INLINE = frozenset(
    ("span", "font", "mark", "b", "i", "u", "s", "em", "strong", "a", "del", "ins", "strike", "big", "small", "code")
)
_CLOSED_BY_ITSELF = frozenset(("p", "li", "td", "th", "tr", "option", "dt", "dd"))
_CELLS = frozenset(("td", "th", "table"))
_AROUND_CELLS = frozenset(("td", "th", "tr", "tbody", "thead", "tfoot", "table", "body", "html"))
_LINK_COLOURS = frozenset(("blue", "purple"))
_NO_HIGHLIGHT = frozenset(("white", "black", "grey", TRANSPARENT, "picture"))
_ATTRIBUTES = frozenset(("style", "class", "id", "color", "bgcolor", "background", "hidden"))


class _State(NamedTuple):
    hidden: bool = False
    too_small: bool = False
    struck: bool = False
    colour: str = ""
    background: str = ""
    highlight: str = ""
    raised: bool = False
    in_link: bool = False
    keeps_lines: bool = False


_START = _State()


class Elements:
    def __init__(self, sheet: StyleSheet) -> None:
        self._sheet = sheet
        self._stack: list[tuple[str, _State]] = []
        self._state = _START
        self.is_invisible = False
        self.mark = ""  # for text here, if it looks special

    @property
    def is_raised(self) -> bool:
        return self._state.raised

    @property
    def keeps_lines(self) -> bool:
        return self._state.keeps_lines

    def open(self, name: str, attributes: dict[str, str]) -> None:
        stack = self._stack
        if stack and stack[-1][0] == name and name in _CLOSED_BY_ITSELF:
            self._return_to(len(stack) - 1)
        if len(stack) < MOST_OPEN:
            stack.append((name, self._state))
        special = name in _STRUCK or name in ("sup", "sub", "mark", "a")
        if special or self._sheet or not _ATTRIBUTES.isdisjoint(attributes):
            self._set(_changed(self._state, name, self._effect(name, attributes)))

    def close(self, name: str) -> None:
        stack = self._stack
        for number in range(len(stack) - 1, max(-1, len(stack) - FARTHEST_START), -1):
            opened = stack[number][0]
            if opened == name:
                self._return_to(number)
                return
            if opened in _CELLS and name not in _AROUND_CELLS:
                return

    def hides(self, name: str, attributes: dict[str, str]) -> bool:
        """Whether a void element is not shown."""
        return self._state.hidden or self._effect(name, attributes).hidden

    def _return_to(self, number: int) -> None:
        state = self._stack[number][1]
        del self._stack[number:]
        self._set(state)

    def _set(self, state: _State) -> None:
        if state is not self._state:
            self._state = state
            is_white = state.colour == "white" and not state.background and not self._sheet.may_colour_backgrounds
            self.is_invisible = state.hidden or state.too_small or is_white
            self.mark = _mark(state)

    def _effect(self, name: str, attributes: dict[str, str]) -> Effect:
        effect = self._sheet.effect_on(name, attributes) if self._sheet else NOTHING
        if "color" in attributes:
            effect = merge(effect, Effect(colour=colour_name(attributes["color"])))
        if "bgcolor" in attributes:
            effect = merge(effect, Effect(background=colour_name(attributes["bgcolor"])))
        if "background" in attributes:
            effect = merge(effect, Effect(background="picture"))
        if "style" in attributes:
            effect = merge(effect, effect_of(attributes["style"]))
        return merge(effect, Effect(hidden=True)) if "hidden" in attributes else effect


@lru_cache(maxsize=512)
def _mark(state: _State) -> str:
    look = Look(state.struck, "" if state.colour in ("white", "black") else state.colour, state.highlight)
    return "" if look == PLAIN else start_of(look)


@lru_cache(maxsize=2048)
def _changed(before: _State, name: str, effect: Effect) -> _State:
    in_link = before.in_link or name == "a"
    colour = before.colour
    if effect.colour == TRANSPARENT:
        effect = effect._replace(hidden=True)
    elif effect.colour is not None and not (in_link and effect.colour in _LINK_COLOURS):
        colour = "" if effect.colour == "black" else effect.colour
    background, highlight = before.background, before.highlight
    if effect.background not in (None, TRANSPARENT):
        background = "" if effect.background == "white" else effect.background or ""
        if name in _INLINE:
            highlight = "" if effect.background in _NO_HIGHLIGHT else effect.background or ""
    elif name == "mark":
        background = highlight = "yellow"
    return _State(
        before.hidden or effect.hidden,
        before.too_small if effect.too_small is None else effect.too_small,
        before.struck or effect.struck is True or (name in _STRUCK and effect.struck is not False),
        colour,
        background,
        highlight,
        name == "sup"
        if effect.raised is None and name in ("sup", "sub")
        else (before.raised if effect.raised is None else effect.raised),
        in_link,
        before.keeps_lines if effect.keeps_lines is None else effect.keeps_lines,
    )
