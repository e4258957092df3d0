"""What the styles of an HTML element show: hidden or struck text, colours, raised digits.

Inline styles, attributes and simple rules of a style sheet (`p`, `.red`, `span.red`, `#top`) are read. Other rules are
ignored, which can only leave text in.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

LONGEST_SHEET = 100_000
MOST_RULES = 2_000

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_SIMPLE = re.compile(r"([a-z][a-z0-9]{0,20})?(?:([.#])([a-z0-9_-]{1,80}))?$")
_LENGTH = re.compile(r"(-?\d{0,6}\.?\d{0,6})\s*(px|pt|em|rem|%)?$")
_RGB = re.compile(
    r"(rgb|hsl)a?\(\s*([\d.]{1,8})(?:deg)?[\s,]+([\d.]{1,8})%?[\s,]+([\d.]{1,8})%?(?:[\s,/]+([\d.]{1,8}%?))?\s*\)"
)
_BRACE = re.compile(r"[{}]")
_HEX = re.compile(r"#([0-9a-f]{3,8})$")
_OFF_SCREEN = -900  # pixels
_POSITIONED = ("absolute", "fixed", "relative")
_NOTHING_LEFT = re.compile(r"scale(?:3d|x|y)?\(\s*0*\.?0*%?\s*[,)]|translate(?:3d|x|y)?\([^()]{0,30}-\d{4}")
_CLIPPED_AWAY = re.compile(r"inset\(\s*(?:[5-9]\d|100)(?:\.\d+)?%\s*\)|circle\(\s*0(?![.\d])")
_CLIP = re.compile(r"rect\(([^()]{1,80})\)")
_SEPARATOR = re.compile(r"[\s,]+")
_KEEPS_LINES = ("pre", "pre-wrap", "pre-line", "break-spaces")

# Colour names of CSS, by the word that people use.
_NAMES = {
    "red": "red crimson firebrick darkred tomato orangered indianred maroon lightcoral",
    "orange": "orange darkorange coral lightsalmon",
    "yellow": "yellow gold lightyellow khaki goldenrod lemonchiffon lightgoldenrodyellow",
    "green": "green lime limegreen darkgreen forestgreen seagreen mediumseagreen lightgreen olive olivedrab springgreen"
    " yellowgreen lawngreen greenyellow palegreen darkolivegreen chartreuse darkseagreen mediumspringgreen",
    "turquoise": "teal turquoise cyan aqua darkcyan darkturquoise mediumturquoise lightseagreen aquamarine",
    "blue": "blue navy royalblue dodgerblue steelblue mediumblue darkblue midnightblue deepskyblue skyblue lightblue"
    " cornflowerblue lightskyblue slateblue darkslateblue powderblue cadetblue mediumslateblue",
    "purple": "purple rebeccapurple indigo blueviolet darkviolet darkorchid mediumpurple violet orchid plum"
    " darkmagenta mediumorchid",
    "pink": "pink hotpink deeppink magenta fuchsia lightpink palevioletred mediumvioletred",
    "brown": "brown saddlebrown sienna chocolate peru rosybrown sandybrown tan burlywood",
    "grey": "gray grey silver darkgray darkgrey lightgray lightgrey",
    "white": "white snow ivory whitesmoke ghostwhite",
    "black": "black windowtext dimgray dimgrey darkslategray darkslategrey",
}
_BY_NAME = {name: word for word, names in _NAMES.items() for name in names.split()}
TRANSPARENT = "transparent"


class Effect(NamedTuple):
    """What one element changes. None: as in the element around it."""

    hidden: bool = False
    struck: bool | None = None
    colour: str | None = None
    background: str | None = None
    raised: bool | None = None
    too_small: bool | None = None
    keeps_lines: bool | None = None  # line breaks in the source are shown


NOTHING = Effect()


def merge(first: Effect, second: Effect) -> Effect:
    """Both effects; the second wins."""
    if first is NOTHING or second is NOTHING:
        return second if first is NOTHING else first
    return Effect(
        first.hidden or second.hidden,
        first.struck if second.struck is None else second.struck,
        first.colour if second.colour is None else second.colour,
        first.background if second.background is None else second.background,
        first.raised if second.raised is None else second.raised,
        first.too_small if second.too_small is None else second.too_small,
        first.keeps_lines if second.keeps_lines is None else second.keeps_lines,
    )


@lru_cache(maxsize=512)
def effect_of(style: str) -> Effect:
    """The effect of the declarations in a style attribute or rule."""
    values: dict[str, str] = {}
    for declaration in style[:4000].lower().split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            values[name.strip()] = value.replace("!important", "").strip()
    decoration = f"{values.get('text-decoration', '')} {values.get('text-decoration-line', '')}"
    struck = True if "line-through" in decoration else (False if "none" in decoration else None)
    align, white_space = values.get("vertical-align"), values.get("white-space")
    found = Effect(
        _is_hidden(values),
        struck,
        colour_name(values["color"]) if "color" in values else None,
        _background(values),
        None if align is None else align == "super",
        _is_too_small(values),
        None if white_space is None else white_space in _KEEPS_LINES,
    )
    return NOTHING if found == NOTHING else found


def _is_hidden(values: dict[str, str]) -> bool:
    if values.get("display") == "none" or values.get("mso-hide") == "all":
        return True
    if values.get("visibility") in ("hidden", "collapse") or values.get("content-visibility") == "hidden":
        return True
    if any(_is_zero(values.get(name)) for name in ("opacity", "zoom", "scale")):
        return True
    if values.get("overflow", "").startswith("hidden") and any(
        _is_pixel(values.get(name)) for name in ("max-height", "height", "max-width", "width")
    ):
        return True
    if _NOTHING_LEFT.search(values.get("transform", "")) or _CLIPPED_AWAY.search(values.get("clip-path", "")):
        return True
    return _is_off_screen(values)


def _is_off_screen(values: dict[str, str]) -> bool:
    position = values.get("position")
    moved = ["text-indent", "margin-left"]
    if position in _POSITIONED:
        moved += ["left", "top", "right", "bottom"]
    clip = _CLIP.match(values.get("clip", "")) if position in ("absolute", "fixed") else None
    return any(_pixels(values.get(name)) < _OFF_SCREEN for name in moved) or (clip is not None and _is_empty(clip[1]))


def _is_empty(clip: str) -> bool:
    """Whether a rectangle of top, right, bottom and left has no area."""
    sides = _SEPARATOR.split(clip.strip())
    if len(sides) != 4 or "auto" in sides:
        return False
    top, right, bottom, left = map(_pixels, sides)
    return right <= left or bottom <= top


def _is_too_small(values: dict[str, str]) -> bool | None:
    size = values.get("font-size")
    if size is None or _LENGTH.match(size) is None:
        return None
    return abs(_pixels(size)) <= (0.0 if size.endswith(("em", "%")) else 1.0)


def _is_pixel(value: str | None) -> bool:
    """Whether a length is at most that of one pixel."""
    return _is_zero(value) or (value is not None and value.endswith("px") and 0 < _pixels(value) <= 1)


def _is_zero(value: str | None) -> bool:
    found = _LENGTH.match(value) if value else None
    return found is not None and found[1] not in ("", ".", "-") and float(found[1]) == 0


def _pixels(value: str | None) -> float:
    found = _LENGTH.match(value) if value else None
    return float(found[1]) if found is not None and found[1] not in ("", ".", "-", "-.") else 0.0


def _background(values: dict[str, str]) -> str | None:
    for name in ("mso-highlight", "background-color", "background"):
        value = values.get(name)
        if value:
            if "url(" in value or "gradient" in value:
                return "picture"
            found = colour_name(value if value.startswith(("rgb", "hsl")) else value.split()[0])
            if found is not None:
                return found
    return None


@lru_cache(maxsize=512)
def colour_name(value: str) -> str | None:
    """The everyday word for a colour; None if the value is not a colour."""
    value = value.strip().lower()
    if value in (TRANSPARENT, "none"):
        return TRANSPARENT
    if value in _BY_NAME:
        return _BY_NAME[value]
    rgb = _rgb(value)
    return None if rgb is None else (TRANSPARENT if rgb[3] == 0 else _word(*rgb[:3]))


def _rgb(value: str) -> tuple[int, int, int, float] | None:
    digits = _HEX.match(value)
    if digits is not None and len(digits[1]) in (3, 4, 6, 8):
        wide = digits[1] if len(digits[1]) > 4 else "".join(digit * 2 for digit in digits[1])
        alpha = int(wide[6:8], 16) / 255 if len(wide) == 8 else 1.0
        return int(wide[:2], 16), int(wide[2:4], 16), int(wide[4:6], 16), alpha
    found = _RGB.match(value)
    if found is None:
        return None
    try:
        first, second, third = float(found[2]), float(found[3]), float(found[4])
        alpha = float(found[5].rstrip("%")) if found[5] else 1.0
    except ValueError:
        return None
    if found[1] == "hsl":
        from colorsys import hls_to_rgb

        red, green, blue = hls_to_rgb((first % 360) / 360, min(third, 100) / 100, min(second, 100) / 100)
        return round(red * 255), round(green * 255), round(blue * 255), alpha
    return min(255, int(first)), min(255, int(second)), min(255, int(third)), alpha


def _word(red: int, green: int, blue: int) -> str:
    high, low = max(red, green, blue), min(red, green, blue)
    chroma, light = high - low, (high + low) / 2
    if chroma < 45:
        return "white" if light >= 240 else ("grey" if light >= 120 else "black")
    if high == red:
        hue = 60 * ((green - blue) / chroma % 6)
    elif high == green:
        hue = 60 * ((blue - red) / chroma + 2)
    else:
        hue = 60 * ((red - green) / chroma + 4)
    if (hue < 15 or hue >= 345) and low > 150:
        return "pink"
    if 15 <= hue < 48 and high < 170:
        return "brown"
    if 290 <= hue < 345:
        return "purple" if high < 150 else "pink"
    limits = (15, "red"), (48, "orange"), (70, "yellow"), (165, "green"), (190, "turquoise"), (255, "blue")
    return next((word for limit, word in limits if hue < limit), "purple" if hue < 345 else "red")


class StyleSheet:
    """The simple rules of a document's style blocks."""

    def __init__(self) -> None:
        self._rules: dict[str, Effect] = {}
        self._budget = LONGEST_SHEET
        self.may_colour_backgrounds = False  # a rule that was not understood sets a background

    def __bool__(self) -> bool:
        return bool(self._rules)

    def add(self, text: str) -> None:
        text = text[: self._budget]
        self._budget -= len(text)
        text = _COMMENT.sub(" ", text)
        position = 0
        while position < len(text) and len(self._rules) < MOST_RULES:
            opened = text.find("{", position)
            if opened < 0:
                return
            selectors = text[position:opened].rpartition(";")[2].strip().lower()
            if selectors.startswith("@"):
                position = _end_of_block(text, opened)
                continue
            closed = text.find("}", opened)
            closed = len(text) if closed < 0 else closed
            self._add_rule(selectors, text[opened + 1 : closed])
            position = closed + 1

    def _add_rule(self, selectors: str, declarations: str) -> None:
        effect = effect_of(declarations)
        if effect is NOTHING:
            return
        for selector in selectors.split(",")[:50]:
            simple = _SIMPLE.match(selector.strip())
            if simple is None or not simple[0]:
                self.may_colour_backgrounds |= effect.background is not None
            else:
                self._rules[simple[0]] = merge(self._rules.get(simple[0], NOTHING), effect)

    def effect_on(self, name: str, attributes: dict[str, str]) -> Effect:
        effect = self._rules.get(name, NOTHING)
        for cls in attributes.get("class", "").lower().split()[:10]:
            effect = merge(effect, self._rules.get(f".{cls}", NOTHING))
            effect = merge(effect, self._rules.get(f"{name}.{cls}", NOTHING))
        if "id" in attributes:
            key = attributes["id"].strip().lower()
            effect = merge(effect, self._rules.get(f"#{key}", NOTHING))
            effect = merge(effect, self._rules.get(f"{name}#{key}", NOTHING))
        return effect


def _end_of_block(text: str, opened: int) -> int:
    """Where the block that opens at a brace ends, with the blocks inside it."""
    depth = 0
    for brace in _BRACE.finditer(text, opened):
        depth += 1 if brace[0] == "{" else -1
        if depth <= 0:
            return brace.end()
    return len(text)
