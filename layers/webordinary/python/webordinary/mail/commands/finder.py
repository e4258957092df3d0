"""Finds the command that a mail consists of. Everything that is not clearly a command is an edit.

A command is a mail that says nothing else: "Undo", "Hi,⏎⏎please publish it.⏎⏎Thanks, Tom", "Perfect, go live". The text
is taken apart into clauses; one of them must be a command, and all the others courtesy. What says more is an edit, with
every word of it, and `beside` names the command that is mentioned: "Publish⏎⏎and make the title blue". The exception
is a name behind a slash ("/build"), alone on the first line, which nobody writes by accident.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from webordinary.contract.outcomes import Command
from webordinary.mail.mime.subjects import plain_subject, prefix_of
from webordinary.mail.models import CommandRequest
from webordinary.mail.vocabulary.matching import fold, folded, has_unspaced
from webordinary.mail.vocabulary.patterns import lazy_pattern

LONGEST_COMMAND = 400  # a mail that is longer says more than a command
LONGEST_CLAUSE = 80
MOST_CLAUSES = 14
MOST_WORDS = 12
LONGEST_GREETING = 5
_CLAUSES = lazy_pattern(
    r"[\n.!?,;:\u2026\u2013\u2014\u3002\uff01\uff1f\uff0c\u3001\uff1b\uff1a\u0964\u061f\u060c\u061b]+"
)
_WORDS = lazy_pattern(r"[^\s\"()\[\]*_\u201c\u201d\u201e\u00ab\u00bb/-]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_ELIDED = lazy_pattern(r"\bl'(?=\w)")
_EXPLICIT = lazy_pattern(r"/([a-z]{3,8})[.!?]?(?:[ \t]+(\S.*))?$", re.IGNORECASE)


class _Vocabulary(NamedTuple):
    phrases: dict[str, Command]
    triggers: frozenset[str]  # of every phrase its longest word that is not common
    trigger_letters: frozenset[str]  # and what is left of them without marks that are no letters
    objects: dict[Command, frozenset[str]]
    unspaced: dict[str, Command]
    unspaced_courtesy: tuple[str, ...]
    courtesy: frozenset[str]
    pleasantries: frozenset[str]
    greetings: tuple[str, ...]
    openings: tuple[str, ...]
    questions: tuple[str, ...]
    changes: frozenset[str]


@cache
def _vocabulary() -> _Vocabulary:
    from webordinary.mail.closing.closing_phrases import CLOSINGS, FAMILIAR_CLOSINGS, SHORT_CLOSINGS, THANKS
    from webordinary.mail.commands import courtesy, objects
    from webordinary.mail.commands import words as data

    # A command's own name is always a word for it; an edit needs none.
    phrases: dict[str, Command] = {command.value: command for command in Command if command is not Command.EDIT}
    phrases |= {phrase: command for command, rules in data.PHRASES.items() for phrase in folded(rules)}
    triggers = frozenset(
        max(phrase.split(), key=lambda word: (word not in objects.COMMON.words, len(word))) for phrase in phrases
    )
    return _Vocabulary(
        phrases,
        triggers,
        frozenset(letters for word in triggers for letters in _LETTERS.findall(word)),
        {command: folded(rules) for command, rules in objects.OBJECTS.items()},
        {phrase: command for command, rule in data.UNSPACED.items() for phrase in folded([rule])},
        tuple(sorted(folded([courtesy.UNSPACED_COURTESY]), key=len, reverse=True)),
        folded(courtesy.COURTESY),
        folded((*courtesy.PLEASANTRIES, *courtesy.GREETINGS, *CLOSINGS, *SHORT_CLOSINGS, *FAMILIAR_CLOSINGS, *THANKS)),
        tuple(f"{greeting} " for greeting in folded(courtesy.GREETINGS)),
        tuple(f"{opening} " for opening in folded(courtesy.OPENINGS)),
        courtesy.QUESTIONS.words,
        folded(objects.CHANGES),
    )


def find_command(text: str, subject: str, names: frozenset[str] = frozenset()) -> CommandRequest:
    """The command of a mail whose visible text is `text`, or the edit that it asks for.

    A mail without text, or with nothing but courtesy below a subject of its own, says it in its subject. `names` are
    the words by which the sender signs.
    """
    text = text.strip()
    if not text:
        return _request(plain_subject(subject), names)
    request = _request(text, names)
    if request.command is Command.EDIT and len(text) <= LONGEST_COMMAND and prefix_of(subject) is None:
        subject = plain_subject(subject)
        if not subject.startswith("/") and not _may_command(subject):
            return request
        in_subject = _request(subject, names)
        if in_subject.command is not Command.EDIT and _commands_in(text, names) == (None, False):
            return in_subject
    return request


def as_edit_with_material(request: CommandRequest, text: str) -> CommandRequest:
    """The same request in a mail that brings something along: "please publish this" is then about what it brings."""
    if request.command not in (Command.PUBLISH, Command.COMMIT, Command.PUSH, Command.BUILD) or not text:
        return request
    return CommandRequest(command=Command.EDIT, instruction=text, mentioned_command=request.command)


def _request(text: str, names: frozenset[str]) -> CommandRequest:
    text = text.strip()
    explicit = _explicit(text) if text.startswith("/") else None
    if explicit is not None:
        return explicit
    may_command = len(text) <= LONGEST_COMMAND and _may_command(text)
    command, more = _commands_in(text, names) if may_command else (None, True)
    if command is not None and not more:
        return CommandRequest(command=command, instruction="")
    return CommandRequest(command=Command.EDIT, instruction=text, mentioned_command=command)


def _commands_in(text: str, names: frozenset[str]) -> tuple[Command | None, bool]:
    """The command in a text, and whether the text says anything else."""
    command: Command | None = None
    more = signed = False  # signed: thanks or a closing came last, so that a name may follow
    clauses = split_clauses(text)
    for clause in clauses[:MOST_CLAUSES]:
        meant = _meaning(clause)
        pleasant = meant is None and not more and is_pleasantry(clause)
        if meant is not None and command in (None, meant):
            command = meant
        elif not (more or pleasant or _is_signature(clause, names, after_closing=signed)):
            more = True
        signed = pleasant
    return command, more or len(clauses) > MOST_CLAUSES


def split_clauses(text: str) -> list[str]:
    """What stands between the marks and line breaks of a text."""
    return [clause for clause in _CLAUSES().split(text) if clause.strip()]


def _may_command(text: str) -> bool:
    """Whether a word in the text is the longest of some command: without one there is none."""
    vocabulary = _vocabulary()
    folded_text = fold(text)
    if has_unspaced(text):
        return any(stem in folded_text for stem in vocabulary.unspaced)
    return not vocabulary.trigger_letters.isdisjoint(_LETTERS.findall(folded_text))


def _explicit(text: str) -> CommandRequest | None:
    """ "/build" alone, and "/commit new hours", whose words are the message. "/help page: …" names a page."""
    match = _EXPLICIT().match(text)
    if match is None or match[1].lower() not in Command.__members__.values():
        return None
    command = Command(match[1].lower())
    message = match[2] or ""
    return CommandRequest(command=command, instruction=message) if not message or command is Command.COMMIT else None


def _words_of(clause: str) -> list[str]:
    return _WORDS().findall(_ELIDED().sub("", fold(clause).replace("\u2019", "'")))


def _meaning(clause: str) -> Command | None:
    """The command that a clause gives, if it says nothing else."""
    if len(clause) > LONGEST_CLAUSE or clause.count(" ") > MOST_WORDS:
        return None
    vocabulary = _vocabulary()
    if has_unspaced(clause):
        return vocabulary.unspaced.get(_without_courtesy(clause))
    words = _words_of(clause)
    if vocabulary.triggers.isdisjoint(words):
        return None
    whole = " ".join(words)
    if whole.startswith(vocabulary.questions):
        return None
    if whole.startswith(vocabulary.openings):
        opening = max((opening for opening in vocabulary.openings if whole.startswith(opening)), key=len)
        words = whole[len(opening) :].split()
    if whole in vocabulary.phrases:
        return vocabulary.phrases[whole]
    polite = [word for word in words if word not in vocabulary.courtesy]
    core = " ".join(polite)
    if core in vocabulary.phrases:
        return vocabulary.phrases[core]
    for command, objects in vocabulary.objects.items():
        core = " ".join(word for word in polite if word not in objects)
        meant = vocabulary.phrases.get(core)
        if meant is command:
            return command
        if command is Command.UNDO and meant is Command.STOP and not vocabulary.changes.isdisjoint(polite):
            return command
    return None


def _without_courtesy(clause: str) -> str:
    text = "".join(_words_of(clause))
    for _ in range(5):
        before = text
        for courtesy in _vocabulary().unspaced_courtesy:
            if text.startswith(courtesy) and text != courtesy:
                text = text[len(courtesy) :]
            if text.endswith(courtesy) and text != courtesy:
                text = text[: -len(courtesy)]
        if text == before or text in _vocabulary().unspaced:
            break
    return text


def is_pleasantry(clause: str) -> bool:
    """Greetings, thanks, praise and closings: "Hi Tom", "looks great", "kind regards"."""
    vocabulary = _vocabulary()
    if has_unspaced(clause):
        text = "".join(_words_of(clause))
        return text in vocabulary.unspaced_courtesy or text in vocabulary.pleasantries
    words = _words_of(clause)
    whole = " ".join(words)
    if not words or whole in vocabulary.pleasantries:
        return True
    if all(word in vocabulary.courtesy for word in words):
        return True
    polite = " ".join(word for word in words if word not in vocabulary.courtesy)
    if polite in vocabulary.pleasantries:
        return True
    if len(words) > LONGEST_GREETING or not whole.startswith(vocabulary.greetings):
        return False
    return any(whole.startswith(greeting) and _is_named(clause, greeting) for greeting in vocabulary.greetings)


def _is_named(clause: str, greeting: str) -> bool:
    """Whether only names follow a greeting: "Dear Anna", not "Hi there is a mistake"."""
    rest = clause.split()[len(greeting.split()) :]
    return all(not word[0].islower() or fold(word) in ("all", "team", "there", "everyone", "zusammen") for word in rest)


def _is_signature(clause: str, names: frozenset[str], after_closing: bool) -> bool:
    """The sender's name; any name where a closing stands above it."""
    words = clause.split()
    if names and all(fold(word).strip(".") in names for word in words):
        return True
    return after_closing and len(words) <= 3 and not any(word[0].islower() for word in words)
