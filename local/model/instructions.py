"""Reads a mail and finds what it asks for: words to change, to remove or to add, a page to create.

Sentences that are understood (quotes may be straight, curly, German or French; the verbs exist in three languages):
    change "old words" to "new words" [on the contact page]
    replace old words with new words
    change the opening hours [on Saturday] from 8 am to 2 pm to 9 am to 1 pm
    "old words" should read "new words";  write "new words" instead of "old words";  remove "old words"
    add "some text" to the about page;  add to the about page: some text
    create a page called "Jobs" [that says "some text"]
"""
# ruff: noqa: RUF001 - telling typographic quotes and dashes apart is the point here

import re
from collections.abc import Iterator
from dataclasses import dataclass

from local.model.clauses import clauses, politeness_removed, restore

CHANGE = (
    r"(?:change|replace|swap|update|correct|rename|modify|turn|fix|"
    r"ändere|ändern|ersetze|ersetzen|tausche|tauschen|korrigiere|korrigieren|"
    r"changez|changer|remplacez|remplacer|remplace|modifiez|modifier|modifie|corrigez|corriger)"
)
REMOVE = r"(?:remove|delete|drop|entferne|entfernen|lösche|löschen|supprimez|supprimer|supprime|enlevez|retirez)"
ADD = (
    r"(?:add|append|insert|put|write|include|füge|fügen|ergänze|ergänzen|schreibe|schreiben|"
    r"ajoutez|ajouter|ajoute|insérez|insérer|écrivez)"
)
CREATE = r"(?:create|make|add|start|erstelle|erstellen|lege|créez|créer|crée|ajoutez|faites)"
INSTEAD = r"(?:instead of|in place of|rather than|statt|anstatt|anstelle von|au lieu de|à la place de)"
SHOULD = r"(?:should|must|needs to|has to|ought to|soll|sollte|muss|doit|devrait)"
ASK = r"(?:please|can you|could you|would you|bitte|merci de|veuillez|make|set|use|move|show|hide|translate)"

TO = r"(?:to|into|with|by|for|zu|auf|in|durch|mit|gegen|nach|par|en|à|avec|→|->|=>)"
FROM = r"(?:from|von|de)"
WITH = r"(?:with|by|durch|par|gegen)"
QUOTED = r"⟦(\d+)⟧"
BETWEEN = r"[^⟦⟧]*?"

PAGE = re.compile(
    r"\s*\b(?:on|in|at|of|to|from|auf|zu|zur|sur|dans|à|de)\s+(?:(?:the|our|my|der|die|unserer|la|notre)\s+)?"
    r"(?:(?P<before>[\w-]+)[ -](?:page|seite)\b|(?P<compound>\w+?)seite\b|page\s+(?:d'|d’|de\s+)?(?P<after>[\w-]+))",
    re.IGNORECASE,
)
HOME = {"home", "start", "front", "main", "landing", "index", "first", "homepage", "accueil", "haupt"}
OTHER_NAMES = {"kontakt": "contact", "menü": "menu", "speise": "menu"}
NEW_PAGE = (
    r"\b(?:a|another|eine|une)\s+(?:new\s+|neue\s+|nouvelle\s+)?(?:page|seite|unterseite)\b"
    r"|\b(?:new|neue|nouvelle)\s+(?:page|seite)\b"
)
CALLED = r"(?:called|named|titled|about|namens|mit dem titel|appelée|intitulée|nommée)"
DAY = re.compile(r"\b(Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)s?\b", re.IGNORECASE)


@dataclass(frozen=True)
class Change:
    """Words to replace. Unquoted sentences can be read in several ways, the likeliest first."""

    readings: tuple[tuple[str, str], ...]
    page: str | None = None
    near: str | None = None


@dataclass(frozen=True)
class Add:
    text: str
    page: str


@dataclass(frozen=True)
class Create:
    title: str
    text: str


@dataclass(frozen=True)
class Unclear:
    words: str


Instruction = Change | Add | Create | Unclear


def understand(mail: str) -> list[Instruction]:
    found = [instruction for clause, quotes in clauses(mail, VERBS) for instruction in _read(clause, quotes)]
    return list(dict.fromkeys(found))


VERBS = "|".join((CHANGE, REMOVE, ADD, CREATE))


def _read(clause: str, quotes: list[str]) -> Iterator[Instruction]:
    page = _page(clause)
    for read in (_create, _quoted_changes, _removals, _add, _unquoted_change):
        found = list(read(clause, quotes, page))
        if found:
            yield from found
            return
    if re.match(rf"(?:{ASK}|{VERBS})\b", clause, re.IGNORECASE):
        yield Unclear(restore(politeness_removed(clause), quotes))


def _page(clause: str) -> str | None:
    match = PAGE.search(clause)
    if match is None:
        return None
    name = next(part for part in match.groups() if part).lower()
    return "home" if name in HOME else OTHER_NAMES.get(name, name)


def _create(clause: str, quotes: list[str], _: str | None) -> Iterator[Instruction]:
    if not re.search(rf"\b{CREATE}\b{BETWEEN}(?:{NEW_PAGE})", clause, re.IGNORECASE):
        return
    quoted = re.findall(QUOTED, clause)
    if quoted:
        title, *text = (quotes[int(index)] for index in quoted)
        yield Create(title, " ".join(text))
        return
    named = re.search(rf"\b{CALLED}\s+(.+)", clause, re.IGNORECASE)
    if named:
        yield Create(politeness_removed(named[1]), "")


def _quoted_changes(clause: str, quotes: list[str], page: str | None) -> Iterator[Instruction]:
    asks = re.search(rf"\b{CHANGE}\b", clause, re.IGNORECASE)
    for pair in re.finditer(rf"{QUOTED}({BETWEEN}){QUOTED}", clause):
        first, between, second = quotes[int(pair[1])], pair[2], quotes[int(pair[3])]
        day = _day(re.sub(QUOTED, "", clause))
        if re.search(rf"\b{INSTEAD}\b", between, re.IGNORECASE):
            yield Change(((second, first),), page, day)
        elif (
            (asks and re.search(rf"(?<!\w){TO}(?!\w)", between))
            or re.search(rf"\b{SHOULD}\b", between)
            or re.search(rf"\b{INSTEAD}\s*$", clause[: pair.start()], re.IGNORECASE)
        ):
            yield Change(((first, second),), page, day)


def _removals(clause: str, quotes: list[str], page: str | None) -> Iterator[Instruction]:
    if re.search(rf"\b{REMOVE}\b", clause, re.IGNORECASE):
        for index in re.findall(QUOTED, clause):
            yield Change(((quotes[int(index)], ""),), page)


def _add(clause: str, quotes: list[str], page: str | None) -> Iterator[Instruction]:
    if not re.search(rf"\b{ADD}\b", clause, re.IGNORECASE):
        return
    quoted = re.search(QUOTED, clause)
    after_colon = re.search(r":\s+(.+)$", clause)
    if quoted:
        yield Add(quotes[int(quoted[1])], page or "home")
    elif after_colon:
        yield Add(after_colon[1], page or "home")


def _unquoted_change(clause: str, _: list[str], page: str | None) -> Iterator[Instruction]:
    asks = re.search(rf"\b{CHANGE}\b\s*(?:sie\s+)?(.*)", clause, re.IGNORECASE)
    if not asks or re.search(QUOTED, clause):
        return
    rest = politeness_removed(PAGE.sub("", asks[1]))
    named = re.match(rf"(?P<what>.*?)\b{FROM}\s+(?P<rest>.+)", rest, re.IGNORECASE)
    what, words = (named["what"], named["rest"]) if named else ("", rest)
    separator = WITH if re.search(rf"\s{WITH}\s", words, re.IGNORECASE) else TO
    readings = _readings(words, separator)
    if readings:
        yield Change(readings, page, _day(what))


def _readings(words: str, separator: str) -> tuple[tuple[str, str], ...]:
    """How to split "7 am to 6 pm to 8 am to 5 pm": in the middle, or around it where there is no middle."""
    splits = [match.span() for match in re.finditer(rf"\s+{separator}\s+", words, re.IGNORECASE)]
    half = len(splits) // 2
    middle = splits[half : half + 1] if len(splits) % 2 else splits[max(0, half - 1) : half + 1][::-1]
    return tuple((words[:start].strip(), words[end:].strip()) for start, end in middle)


def _day(words: str) -> str | None:
    match = DAY.search(words)
    return match[1].capitalize() if match else None
