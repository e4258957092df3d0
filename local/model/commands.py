"""Phrases that name a command and that the mail parser leaves to the agent. A real model understands far more.

A phrase counts only in a short mail without a negation, as the system prompt asks of a real model.
"""

import re

SUBJECT = re.compile(r"^Subject: .*")
LONGEST = 90  # characters
NEGATIONS = re.compile(
    r"\b(?:no|not|don't|nicht|kein\w*|noch|pas|ne|não|nie|niet|non|nao|until|bis|if|wenn|si|se)\b|ない|まだ",
    re.IGNORECASE,
)
PHRASES = {
    "unpublish": r"off the live (?:site|website)|wieder offline nehmen|die veröffentlichung zurücknehmen"
    r"|retirez\b.*hors ligne|vuelve a bajarlo",
    "publish": r"put (?:it|this|that) (?:live|online)|lo puedes subir|lägg upp|mach das (?:live|online)|mettilo online"
    r"|公開お願い|で公開",
    "undo": r"take that back|put it back the way it was|come prima",
    "status": r"what's going on with|how is it going|¿cómo va|wie steht es um|où ça en est|a che punto siete",
    "stop": r"i'll write again|forget about it|vergesst es|laissez tomber|lasciate stare",
    "help": r"what can i ask you|was kannst du alles|que sais-tu faire",
}


def command_in(mail: str) -> str:
    """The command that a mail asks for and nothing else; empty if there is none."""
    text = " ".join(SUBJECT.sub("", mail.strip()).split())
    if len(text) > LONGEST or NEGATIONS.search(text):
        return ""
    return next((name for name, phrase in PHRASES.items() if re.search(phrase, text, re.IGNORECASE)), "")
