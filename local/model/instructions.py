"""Finds the instructions in a mail. Supports the sentences that demo and tests use:

change|replace ["the hours" from] "old words" to|with "new words"      the same in nine languages: `languages`
add "some text" to the home page
add|create a page called "Jobs" [that says "some text"]
take back|undo "words of an earlier change"                            nimm "Worte einer Änderung" zurück

Which pages mention "words"?                                           Auf welchen Seiten steht "words"?
put it live, take it offline, how is it going, …                       phrases for commands: `commands`

Everything else needs a real model or a test's script.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from local.model.languages import QUOTED, UNQUOTED, change_sentence

CHANGE = re.compile(change_sentence(), re.IGNORECASE)
UNDO = re.compile(rf"\b(?:take back|undo|nimm)\b{UNQUOTED}{QUOTED}", re.IGNORECASE)
ADD = re.compile(rf"\badd\s+{QUOTED}\s+to\s+the\s+([\w-]+)\s+page\b", re.IGNORECASE)
QUESTION = re.compile(
    rf"\b(?:which pages|auf welchen seiten|quelles pages|qué páginas|quali pagine)\b{UNQUOTED}{QUOTED}[^.!]*\?",
    re.IGNORECASE,
)
NEW_PAGE = re.compile(
    rf"\b(?:add|create)\s+a\s+(?:new\s+)?page\b{UNQUOTED}{QUOTED}(?:\s+that\s+says\s+{QUOTED})?", re.IGNORECASE
)


@dataclass(frozen=True)
class TextChange:
    old: str
    new: str


@dataclass(frozen=True)
class Add:
    text: str
    page: str


@dataclass(frozen=True)
class NewPage:
    title: str
    text: str = ""


@dataclass(frozen=True)
class Undo:
    subject: str


@dataclass(frozen=True)
class SiteQuestion:
    """Asks which pages contain a text."""

    text: str


Edit = TextChange | Add | NewPage
Instruction = Edit | Undo | SiteQuestion
SENTENCES: dict[re.Pattern[str], Callable[..., Instruction]] = {
    CHANGE: TextChange,
    ADD: Add,
    NEW_PAGE: NewPage,
    UNDO: Undo,
    QUESTION: SiteQuestion,
}


def _groups(match: re.Match[str]) -> list[str | None]:
    """The groups of the match; of a change, those of the variant that matched."""
    groups = list(match.groups())
    if match.re is CHANGE:
        return groups[:2] if groups[0] is not None else groups[2:]
    return groups


def title_of(instruction: Edit) -> str:
    """A title for the change, in the words of the site and therefore in any language."""
    match instruction:
        case TextChange(old, new):
            return f"{old} → {new}"
        case Add(text, _):
            return text
        case NewPage(title, _):
            return title


def instructions_in(mail: str) -> list[Instruction]:
    """The instructions in the order of the mail, without duplicates."""
    found = [
        (match.start(), make(*(" ".join((text or "").split()) for text in _groups(match))))
        for sentence, make in SENTENCES.items()
        for match in sentence.finditer(mail)
    ]
    return list(dict.fromkeys(instruction for _, instruction in sorted(found, key=lambda each: each[0])))
