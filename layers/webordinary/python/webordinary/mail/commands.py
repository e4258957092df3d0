"""Finds the command at the top of a mail. Everything that is not clearly a command is an edit.

A command is a first line that says nothing else: "Undo", "please publish it", "Status?". A sentence that merely
begins with such a word ("Stop using the word cheap on the home page") has words left over and is an edit. The
exception is a word with a colon or a slash ("commit: new opening hours", "/build"), which nobody writes by
accident.
"""

from __future__ import annotations

import re

from webordinary.mail.models import CommandRequest
from webordinary.mail.rules import Rule, habit
from webordinary.mail.words import fold
from webordinary.platform.messages import Command

LONGEST_COMMAND_LINE = 80

# Folded: no case, no accents.
WORDS: dict[Command, tuple[Rule, ...]] = {
    Command.BUILD: (
        habit("build | rebuild | build again | run build | run a build | test build | try a build", "English"),
        habit("bauen | neu bauen | construire | construir | bygg", "others"),
    ),
    Command.COMMIT: (
        habit("commit | save | save changes | save my changes", "English"),
        habit("speichern | enregistrer | guardar | salva | opslaan", "others"),
    ),
    Command.PUSH: (habit("push | push changes | push to git | push to remote | sync", "English"),),
    Command.STATUS: (
        habit(
            "status | status report | what is status | what's status | progress | how far are you | any news", "English"
        ),
        habit("is done | is ready | what is the status | what's the status", "questions about the last mail"),
        habit("wie ist stand | etat | estado | stato | statut | voortgang", "others"),
    ),
    Command.STOP: (
        habit(
            "stop | halt | cancel | abort | stop working | never mind | nevermind | forget | cancel request", "English"
        ),
        habit(
            "stopp | abbrechen | anhalten | arrete | arreter | annule | annuler | parar | cancelar", "de, fr, es, pt"
        ),
        habit("ferma | annulla | stoppen | annuleren | avbryt", "it, nl, sv"),
    ),
    Command.UNDO: (
        habit(
            "undo | undo last change | undo changes | undo last changes | undo last edit | take back | go back",
            "English",
        ),
        habit("revert | revert last change | revert changes | revert last edit | roll back | rollback", "English"),
        habit("ruckgangig | ruckgangig machen | mach ruckgangig | defaire | deshacer | desfazer", "de, fr, es, pt"),
        habit("annulla modifica | ongedaan maken | angra | fortryd | cofnij", "it, nl, sv, da, pl"),
    ),
    Command.PUBLISH: (
        habit(
            "publish | publish site | publish website | publish changes | publish page | looks good publish", "English"
        ),
        habit("go live | make live | put live | put online | release | deploy | ship | approved publish", "English"),
        habit("veroffentlichen | publizieren | live schalten | publier | mettre en ligne | publicar", "de, fr, es, pt"),
        habit("pubblica | pubblicare | publiceren | publicera | publicer | opublikuj", "it, nl, sv, da, pl"),
    ),
    Command.HELP: (
        habit("help | commands | what can you do | how does work", "English"),
        habit("hilfe | aide | ayuda | aiuto | ajuda | hulp | hjalp | pomoc", "others"),
    ),
}

# Words around a command that do not change it.
FILLERS = (
    habit(
        "please | pls | plz | kindly | now | immediately | asap | again | just | thanks | thank | you",
        "politeness",
    ),
    habit(
        "it | this | that | these | those | them | the | my | of | and | everything | all | site | website", "objects"
    ),
    habit("hi | hello | hey | ok | okay | yes | can | could | would", "openings"),
    habit("bitte | jetzt | es | das | der | die | alles | danke | s'il | vous | plait | merci | le | la", "de, fr"),
    habit("por | favor | gracias | lo | per | favore | grazie | obrigado", "es, it, pt"),
    habit("alstublieft | aub | tack | tak | prosze", "nl, sv, da, pl"),
)
_MEANINGS = {phrase: command for command, rules in WORDS.items() for rule in rules for phrase in rule.words}
_FILLERS = frozenset(word for rule in FILLERS for word in rule.words)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_EXPLICIT = re.compile(r"\s{0,10}[/!#]?([a-z]{3,8})(?:\s{0,3}[:\uff1a]|(?=\s|$))", re.IGNORECASE)
_REPLY_PREFIXES = habit(
    "re | aw | sv | vs | fw | fwd | wg | tr | rv | enc | res | antw | odp | ynt | 回复 | 答复 | 转发 | 返信",
    "mail programs",
)
_SUBJECT_PREFIX = re.compile(
    rf"(?:{'|'.join(_REPLY_PREFIXES.words)})\s{{0,3}}(?:\[\d{{1,3}}\])?\s{{0,3}}[:\uff1a]\s{{0,10}}", re.IGNORECASE
)


def find_command(text: str, subject: str) -> CommandRequest:
    """The command of a mail whose visible text is `text`; a mail without text says it in its subject."""
    if not text.strip():
        text = plain_subject(subject)
    first, _, rest = text.strip().partition("\n")
    explicit = _explicit(first)
    if explicit is not None:
        command, remainder = explicit
        return CommandRequest(command=command, instruction=f"{remainder}\n{rest}".strip())
    command_found = _meaning(first)
    if command_found is not None:
        return CommandRequest(command=command_found, instruction=rest.strip())
    return CommandRequest(command=Command.EDIT, instruction=text.strip())


def plain_subject(subject: str) -> str:
    """The subject without "Re:", "Fwd:" and their translations."""
    for _ in range(10):
        match = _SUBJECT_PREFIX.match(subject)
        if match is None:
            break
        subject = subject[match.end() :]
    return subject.strip()


def _explicit(line: str) -> tuple[Command, str] | None:
    """ "commit: new hours" and "/build": the name of the command itself, marked as such."""
    match = _EXPLICIT.match(line)
    if match is None:
        return None
    marked = line.strip()[0] in "/!#" or line[match.end() - 1] in ":\uff1a"
    name = match[1].lower()
    if not marked or name not in Command.__members__.values():
        return None
    return Command(name), line[match.end() :].strip()


def _meaning(line: str) -> Command | None:
    if len(line) > LONGEST_COMMAND_LINE:
        return None
    words = _WORD.findall(fold(line).replace("\u2019", "'"))
    if not words:
        return None
    whole = " ".join(words)
    core = " ".join(word for word in words if word not in _FILLERS)
    return _MEANINGS.get(whole) or _MEANINGS.get(core)
