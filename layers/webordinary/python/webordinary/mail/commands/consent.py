"""Decides whether a mail says yes and nothing else."""

from __future__ import annotations

import re

from webordinary.mail.commands.finder import is_pleasantry, split_clauses
from webordinary.mail.vocabulary.matching import fold, folded
from webordinary.mail.vocabulary.phrases import phrases

LONGEST_CONSENT = 200
_MARKS = re.compile(r"[^\w\s'-]")
YES = folded(
    (
        phrases("yes | yes please | yep | yeah | ok | okay | sure | go ahead | approved | i approve | please do", "en"),
        phrases(
            "ja | ja bitte | ja gerne | gerne | in ordnung | einverstanden | freigegeben | passt | genehmigt", "de"
        ),
        phrases("oui | oui merci | d'accord | c'est bon | allez-y | vas-y | approuvé | validé", "fr"),
        phrases(
            "sí | vale | de acuerdo | adelante | aprobado | claro | sim | pode | pode ser | aprovado | certo", "es, pt"
        ),
        phrases("sì | si | va bene | d'accordo | approvato | certo | prego", "it"),
        phrases("akkoord | goedgekeurd | doe maar | prima | tak | zgoda | zgadzam się | proszę | dobrze", "nl, pl"),
        phrases("はい | お願いします | はいお願いします | 了解です | 承認します | 公開してください | どうぞ", "ja"),
        phrases("да | хорошо | согласен | согласна | jo | javisst | godkänt | godkjent | godkendt", "ru, sv, no, da"),
    )
)


def says_yes(text: str) -> bool:
    """ "Yes, please. Kind regards, Anna" does; "yes, but make it blue" does not."""
    if len(text) > LONGEST_CONSENT:
        return False
    clauses = split_clauses(text)
    others = [clause for clause in clauses if _plain(clause) not in YES]
    return len(others) < len(clauses) and all(is_pleasantry(clause) or _is_name(clause) for clause in others)


def _plain(clause: str) -> str:
    return " ".join(_MARKS.sub(" ", fold(clause)).split())


def _is_name(clause: str) -> bool:
    words = clause.split()
    return len(words) <= 3 and not any(word[0].islower() for word in words)
