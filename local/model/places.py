"""Finds words in the text of a file the way a person would, and says how to replace them there."""
# ruff: noqa: RUF001 - telling typographic quotes and dashes apart is the point here

import re
from dataclasses import dataclass

ALIKE = {
    "'": "['’‘]",
    "’": "['’‘]",
    '"': '["“”„]',
    "“": '["“”„]',
    "”": '["“”„]',
    "-": "[-–—]",
    "–": "[-–—]",
    "—": "[-–—]",
    "&": "(?:&|&amp;)",
}
LINE_NUMBER = re.compile(r"^\s*\d+[\t→]", re.MULTILINE)
REMINDER = re.compile(r"\n*<system-reminder>.*?</system-reminder>", re.DOTALL)


@dataclass(frozen=True)
class Replacement:
    """What the Edit tool is to be told."""

    old: str
    new: str
    everywhere: bool


def pattern(words: str) -> str:
    """A regular expression, for ripgrep and for Python, that forgives line breaks and other kinds of quotes."""
    flexible = r"\s+".join("".join(ALIKE.get(sign, re.escape(sign)) for sign in word) for word in words.split())
    before = r"\b" if words[:1].isalnum() else ""
    after = r"\b" if words[-1:].isalnum() else ""
    return f"{before}{flexible}{after}"


def contains(text: str, words: str, exact_case: bool = False) -> bool:
    return bool(re.search(pattern(words), text, 0 if exact_case else re.IGNORECASE))


def without_line_numbers(shown: str) -> str:
    """The file's own text from what the Read tool shows of it."""
    return LINE_NUMBER.sub("", REMINDER.sub("", shown))


def replacements(text: str, old: str, new: str, near: str | None, exact_case: bool) -> list[Replacement]:
    matches = list(re.finditer(pattern(old), text, 0 if exact_case else re.IGNORECASE))
    close_by = [match for match in matches if near and near.lower() in _lines_around(text, match).lower()]
    wanted = close_by or matches
    written = {match[0] for match in wanted}
    if len(written) == 1 and text.count(wanted[0][0]) == len(wanted):
        return [Replacement(wanted[0][0], new, everywhere=len(wanted) > 1)]
    return _line_by_line(text, wanted, new)


def _line_by_line(text: str, matches: list[re.Match[str]], new: str) -> list[Replacement]:
    """Whole lines as context, where the words alone also occur in places that are not meant."""
    lines: dict[tuple[int, int], list[re.Match[str]]] = {}
    for match in matches:
        lines.setdefault(_line_span(text, match), []).append(match)
    found = []
    for (start, end), inside in lines.items():
        changed = text[start:end]
        for match in reversed(inside):
            changed = changed[: match.start() - start] + new + changed[match.end() - start :]
        found.append(Replacement(text[start:end], changed, everywhere=text.count(text[start:end]) > 1))
    return list(dict.fromkeys(found))


def _line_span(text: str, match: re.Match[str]) -> tuple[int, int]:
    end = text.find("\n", match.end())
    return text.rfind("\n", 0, match.start()) + 1, len(text) if end < 0 else end


def _lines_around(text: str, match: re.Match[str]) -> str:
    start, end = _line_span(text, match)
    return text[start:end]


def at_the_end(text: str, addition: str, indent_markup: bool) -> Replacement:
    """Where a paragraph goes that is to be added to a page: before the last closing tag, or last of all."""
    lines = text.rstrip().split("\n")
    closes = indent_markup and lines[-1].startswith("</")
    first = len(lines) - 1
    while first > 0 and text.count("\n".join(lines[first:])) > 1:
        first -= 1
    anchor = "\n".join(lines[first:])
    changed = [*lines[first:-1], f"  {addition}", lines[-1]] if closes else [*lines[first:], "", addition]
    return Replacement(anchor, "\n".join(changed), everywhere=False)
