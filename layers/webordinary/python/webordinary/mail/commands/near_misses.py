"""Finds a mistyped command: "pubish". The sender is asked; a near miss is never carried out.

Few words and strict rules, because an ordinary answer to a question of the agent may be one word: "Shop", "Polish",
"statues". A short word matches only if two letters are swapped or one is doubled. A wrong last letter is an inflection.
"""

from __future__ import annotations

from webordinary.contract.outcomes import Command
from webordinary.mail.commands.finder import is_pleasantry, split_clauses
from webordinary.mail.vocabulary.matching import fold

LONGEST = 120
SHORT = 4  # letters: only swapped or doubled ones
LONG = 7  # letters: one may also be wrong or too many

# The words that our replies offer, as single words.
WORDS: dict[Command, str] = {
    Command.PUBLISH: "publish veröffentlichen publier publicar pubblica publiceren opublikuj",
    Command.UNPUBLISH: "unpublish dépublier despublicar depubblica depubliceren",
    Command.UNDO: "undo rückgängig défaire deshacer desfazer ripristina",
    Command.STATUS: "status",
    Command.STOP: "stop stoppen zatrzymaj",
}
_COMMANDS = {fold(word): command for command, words in WORDS.items() for word in words.split()}


def near_command(text: str) -> Command | None:
    """The command that a mail misspells, if the mail says nothing else."""
    if len(text) > LONGEST:
        return None
    clauses = [clause for clause in split_clauses(fold(text)) if not is_pleasantry(clause)]
    words = [word for clause in clauses for word in clause.split() if not is_pleasantry(word)]
    if len(words) != 1 or words[0] in _COMMANDS or not words[0].isalpha():
        return None
    found = {command for word, command in _COMMANDS.items() if _is_near(words[0], word)}
    return found.pop() if len(found) == 1 else None


def _is_near(given: str, word: str) -> bool:
    """Whether one slip of a finger lies between the two."""
    start = next((n for n, (a, b) in enumerate(zip(given, word, strict=False)) if a != b), min(len(given), len(word)))
    left, right = given[start:], word[start:]
    if len(given) == len(word):
        swapped = len(left) > 1 and left[1::-1] + left[2:] == right
        return swapped or (len(word) >= LONG and left[1:] == right[1:] != "")
    if len(given) == len(word) + 1:
        doubled = start > 0 and left[0] == given[start - 1]
        return left[1:] == right and (len(word) >= LONG or doubled)
    return len(given) == len(word) - 1 and left == right[1:] and len(word) > SHORT
