"""Numbers and bullets of an HTML list."""

from __future__ import annotations

_ROMAN = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


class OpenList:
    """A list that is being read. `attributes` are those of an ordered list."""

    def __init__(self, attributes: dict[str, str] | None) -> None:
        self._is_ordered = attributes is not None
        self._kind = (attributes or {}).get("type", "1")
        self._next = _whole((attributes or {}).get("start", ""), 1)

    def next_bullet(self, value: str) -> str:
        if not self._is_ordered:
            return "- "
        number = _whole(value, self._next)
        self._next = number + 1
        return f"{_written(number, self._kind)}. "


def _whole(text: str, otherwise: int) -> int:
    text = text.strip()
    if not text.isascii() or not text.lstrip("-").isdigit() or len(text) > 6:
        return otherwise
    try:
        return int(text)
    except ValueError:
        return otherwise


def _written(number: int, kind: str) -> str:
    if kind in ("a", "A") and 1 <= number <= 26:
        letter = chr(ord("a") + number - 1)
        return letter if kind == "a" else letter.upper()
    if kind in ("i", "I") and 1 <= number < 200:
        roman = ""
        for value, letters in _ROMAN:
            while number >= value:
                roman += letters
                number -= value
        return roman if kind == "i" else roman.upper()
    return str(number)
