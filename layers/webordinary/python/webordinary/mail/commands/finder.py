"""Finds the command of a mail. Everything that is not clearly a command is an edit.

A command is a mail that says nothing else: "Undo", "Hi,⏎⏎please publish it.⏎⏎Thanks, Tom", "Perfect, go live". The text
is split into clauses: one must be a command, and all others courtesy. A text that says more is an edit with all its
words, and `mentioned_command` names the command in it: "Publish⏎⏎and make the title blue". A slash
command ("/build") is never accidental, so it needs no phrase and may have a message.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from webordinary.contract.outcomes import Command
from webordinary.mail.mime.subjects import Prefix, plain_subject, prefix_of
from webordinary.mail.models import CommandRequest
from webordinary.mail.vocabulary.matching import fold, folded, has_unspaced
from webordinary.mail.vocabulary.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_COMMAND = 400  # a longer mail says more than a command
LONGEST_CLAUSE = 80
MOST_CLAUSES = 14
MOST_WORDS = 12
LONGEST_GREETING = 5
_CLAUSES = lazy_pattern(
    r"[\n.!?,;:\u2026\u2013\u2014\u3002\uff01\uff1f\uff0c\u3001\uff1b\uff1a\u0964\u061f\u060c\u061b]+"
)
_SENTENCES = lazy_pattern(r"[^\n.!?\u2026\u3002\uff01\uff1f\u0964\u061f]+[.!?\u2026\u3002\uff01\uff1f\u0964\u061f]*")
_QUESTION_MARKS = lazy_pattern(r"[?\uff1f\u061f\u037e]")
_ANSWERS = (Command.STATUS, Command.HELP)  # commands that are questions themselves
_WORDS = lazy_pattern(r"[^\s\"()\[\]*_\u201c\u201d\u201e\u00ab\u00bb/-]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_ELIDED = lazy_pattern(r"\bl'(?=\w)")
_SLASH_COMMAND = lazy_pattern(r"/([a-z]{3,8})[.!]?(?:[ \t]+(\S.*))?$", re.IGNORECASE)


class _Vocabulary(NamedTuple):
    phrases: dict[str, Command]
    triggers: frozenset[str]  # the longest uncommon word of every phrase
    trigger_letters: frozenset[str]  # the same words split at characters that are not letters
    objects: dict[Command, frozenset[str]]
    unspaced: dict[str, Command]
    unspaced_courtesy: tuple[str, ...]
    courtesy: frozenset[str]
    pleasantries: frozenset[str]
    greetings: tuple[str, ...]
    openings: tuple[str, ...]
    questions: tuple[str, ...]
    asking: frozenset[str]
    unspaced_asking: tuple[str, ...]
    changes: frozenset[str]


@cache
def _vocabulary() -> _Vocabulary:
    from webordinary.mail.closing.closing_phrases import CLOSINGS, FAMILIAR_CLOSINGS, SHORT_CLOSINGS, THANKS
    from webordinary.mail.commands import courtesy, objects
    from webordinary.mail.commands import words as data

    # The name of a command is always a phrase for it; an edit has none.
    phrases: dict[str, Command] = {command.value: command for command in Command if command is not Command.EDIT}
    phrases |= {phrase: command for command, groups in data.PHRASES.items() for phrase in folded(groups)}
    triggers = frozenset(
        max(phrase.split(), key=lambda word: (word not in objects.COMMON.words, len(word))) for phrase in phrases
    )
    return _Vocabulary(
        phrases,
        triggers,
        frozenset(letters for word in triggers for letters in _LETTERS.findall(word)),
        {command: folded(groups) for command, groups in objects.OBJECTS.items()},
        {phrase: command for command, group in data.UNSPACED.items() for phrase in folded([group])},
        tuple(sorted(folded([courtesy.UNSPACED_COURTESY]), key=len, reverse=True)),
        folded(courtesy.COURTESY),
        folded((*courtesy.PLEASANTRIES, *courtesy.GREETINGS, *CLOSINGS, *SHORT_CLOSINGS, *FAMILIAR_CLOSINGS, *THANKS)),
        tuple(f"{greeting} " for greeting in folded(courtesy.GREETINGS)),
        tuple(f"{opening} " for opening in folded(courtesy.OPENINGS)),
        tuple(f" {question} " for question in folded(courtesy.QUESTIONS)),
        folded(courtesy.ASKING),
        courtesy.UNSPACED_ASKING.words,
        folded(objects.CHANGES),
    )


def find_command(
    text: str, subject: str, names: frozenset[str] = frozenset(), *, from_subject: bool = True
) -> CommandRequest:
    """The command in the visible text of a mail, or the edit that it asks for.

    Without text, or with only courtesy below a subject, the subject decides if the mail begins a conversation
    (`from_subject`). The subject of a reply belongs to an earlier mail. `names` are the words that the sender may sign
    with.
    """
    text = text.strip()
    from_subject = from_subject and prefix_of(subject) is None
    if not text:
        if from_subject:
            return _request(plain_subject(subject), names)
        is_forward = prefix_of(subject) is Prefix.FORWARD
        return CommandRequest(command=Command.EDIT, instruction=plain_subject(subject) if is_forward else "")
    request = _request(text, names)
    if request.command is Command.EDIT and len(text) <= LONGEST_COMMAND and from_subject:
        subject = plain_subject(subject)
        if not subject.startswith("/") and not _may_contain_command(subject):
            return request
        in_subject = _request(subject, names)
        if in_subject.command is not Command.EDIT and _find_in_clauses(text, names) == (None, False):
            return in_subject
    return request


def as_edit_with_material(request: CommandRequest, text: str) -> CommandRequest:
    """The request of a mail with a forward or attachment: "please publish this" is then an edit about that material."""
    if request.command not in (Command.PUBLISH, Command.COMMIT, Command.PUSH, Command.BUILD) or not text:
        return request
    return as_edit_of_others(request, text)


def as_edit_of_others(request: CommandRequest, text: str) -> CommandRequest:
    """The request of a mail without words of the person, who alone gives commands."""
    if request.command is Command.EDIT or not text:
        return request
    return CommandRequest(command=Command.EDIT, instruction=text, mentioned_command=request.command)


def _request(text: str, names: frozenset[str]) -> CommandRequest:
    text = text.strip()
    slash_command = _slash_command(text) if text.startswith("/") else None
    if slash_command is not None:
        return slash_command
    may_contain_command = len(text) <= LONGEST_COMMAND and _may_contain_command(text)
    command, has_more = _find_in_clauses(text, names) if may_contain_command else (None, True)
    if command is not None and not has_more:
        return CommandRequest(command=command, instruction="")
    return CommandRequest(command=Command.EDIT, instruction=text, mentioned_command=command)


def _find_in_clauses(text: str, names: frozenset[str]) -> tuple[Command | None, bool]:
    """The command in a text, and whether the text says more."""
    command: Command | None = None
    has_more = after_pleasantry = False  # a name may follow thanks or a closing
    clauses = [
        (clause, is_question) for sentence, is_question in _sentences(text) for clause in split_clauses(sentence)
    ]
    for clause, is_question in clauses[:MOST_CLAUSES]:
        found = _clause_command(clause)
        if found is not None and is_question and found not in _ANSWERS:  # "Publish?" asks, and orders nothing
            has_more = True
        pleasant = found is None and not has_more and is_pleasantry(clause)
        if found is not None and command in (None, found):
            command = found
        elif not (has_more or pleasant or _is_signature(clause, names, after_closing=after_pleasantry)):
            has_more = True
        after_pleasantry = pleasant
    return command, has_more or len(clauses) > MOST_CLAUSES


def _sentences(text: str) -> Iterator[tuple[str, bool]]:
    """The sentences of a text, and whether each asks for something that it does not request."""
    for sentence in _SENTENCES().findall(text):
        yield sentence, _QUESTION_MARKS().search(sentence) is not None and not _requests(sentence)


def _requests(sentence: str) -> bool:
    vocabulary = _vocabulary()
    if has_unspaced(sentence):
        return any(word in sentence for word in vocabulary.unspaced_asking)
    return not vocabulary.asking.isdisjoint(split_words(_QUESTION_MARKS().sub(" ", sentence).replace(",", " ")))


def split_clauses(text: str) -> list[str]:
    """Splits a text at punctuation and line breaks."""
    return [clause for clause in _CLAUSES().split(text) if clause.strip()]


def split_words(clause: str) -> list[str]:
    """The folded words of a clause: "Un-publish l'article" has three."""
    return _WORDS().findall(_ELIDED().sub("", fold(clause).replace("\u2019", "'")))


def _may_contain_command(text: str) -> bool:
    """Whether the text has a trigger word. Without one it has no command."""
    vocabulary = _vocabulary()
    folded_text = fold(text)
    if has_unspaced(text):
        return any(stem in folded_text for stem in vocabulary.unspaced)
    return not vocabulary.trigger_letters.isdisjoint(_LETTERS.findall(folded_text))


def _slash_command(text: str) -> CommandRequest | None:
    """ "/build" alone, or "/commit new hours" with a message. "/help page: …" is an edit about a page."""
    match = _SLASH_COMMAND().match(text)
    if match is None or match[1].lower() not in Command.__members__.values():
        return None
    command = Command(match[1].lower())
    message = match[2] or ""
    return CommandRequest(command=command, instruction=message) if not message or command is Command.COMMIT else None


def _clause_command(clause: str) -> Command | None:
    """The command of a clause that says nothing else."""
    if len(clause) > LONGEST_CLAUSE or clause.count(" ") > MOST_WORDS:
        return None
    vocabulary = _vocabulary()
    if has_unspaced(clause):
        return vocabulary.unspaced.get(_without_courtesy(clause))
    words = split_words(clause)
    if vocabulary.triggers.isdisjoint(words):
        return None
    whole = " ".join(words)
    if any(question in f" {whole} " for question in vocabulary.questions):
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
        found = vocabulary.phrases.get(core)
        if found is command:
            return command
        if command is Command.UNDO and found is Command.STOP and not vocabulary.changes.isdisjoint(polite):
            return command
    return None


def _without_courtesy(clause: str) -> str:
    text = "".join(split_words(clause))
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
    """Whether a clause is a greeting, thanks, praise or a closing: "Hi Tom", "looks great", "kind regards"."""
    vocabulary = _vocabulary()
    if has_unspaced(clause):
        text = "".join(split_words(clause))
        return text in vocabulary.unspaced_courtesy or text in vocabulary.pleasantries
    words = split_words(clause)
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
    return any(
        whole.startswith(greeting) and _is_followed_by_names(clause, greeting) for greeting in vocabulary.greetings
    )


def _is_followed_by_names(clause: str, greeting: str) -> bool:
    """Whether only names follow a greeting: "Dear Anna", not "Hi there is a mistake"."""
    rest = clause.split()[len(greeting.split()) :]
    return all(not word[0].islower() or fold(word) in ("all", "team", "there", "everyone", "zusammen") for word in rest)


def _is_signature(clause: str, names: frozenset[str], after_closing: bool) -> bool:
    """Whether a clause is the sender's name, or after a closing any name."""
    words = clause.split()
    if names and all(fold(word).strip(".") in names for word in words):
        return True
    return after_closing and len(words) <= 3 and not any(word[0].islower() for word in words)
