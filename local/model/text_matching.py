"""Finds the words of a mail in the text of a file, however its lines are broken."""

import re

LINE_NUMBER = re.compile(r"^\s*\d+[\t→]", re.MULTILINE)
REMINDER = re.compile(r"\n*<system-reminder>.*?</system-reminder>", re.DOTALL)


def pattern(words: str) -> str:
    """A regular expression for ripgrep and for Python."""
    return r"\s+".join(re.escape(word) for word in words.split())


def occurrences(text: str, words: str) -> list[str]:
    """The different ways in which the words are written in a text."""
    return list(dict.fromkeys(re.findall(pattern(words), text)))


def without_line_numbers(shown: str) -> str:
    """The file's own text from what the Read tool shows of it."""
    return LINE_NUMBER.sub("", REMINDER.sub("", shown))


def last_lines(text: str) -> list[str]:
    """As many lines at the end of a text as it takes to tell the place from all others."""
    lines = text.rstrip().split("\n")
    first = len(lines) - 1
    while first > 0 and text.count("\n".join(lines[first:])) > 1:
        first -= 1
    return lines[first:]
