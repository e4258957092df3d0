"""Finds a phrase from a mail in the text of a file, across line breaks."""

import re

LINE_NUMBER = re.compile(r"^\s*\d+[\t→]", re.MULTILINE)
REMINDER = re.compile(r"\n*<system-reminder>.*?</system-reminder>", re.DOTALL)


def pattern(phrase: str) -> str:
    """A regular expression for ripgrep and for Python."""
    return r"\s+".join(re.escape(word) for word in phrase.split())


def occurrences(text: str, phrase: str) -> list[str]:
    """The distinct spellings of the phrase in a text, with their line breaks."""
    return list(dict.fromkeys(re.findall(pattern(phrase), text)))


def without_line_numbers(output: str) -> str:
    """The file's text from the output of the Read tool."""
    return LINE_NUMBER.sub("", REMINDER.sub("", output))


def last_lines(text: str) -> list[str]:
    """The fewest lines at the end of a text that occur only once in it."""
    lines = text.rstrip().split("\n")
    first = len(lines) - 1
    while first > 0 and text.count("\n".join(lines[first:])) > 1:
        first -= 1
    return lines[first:]
