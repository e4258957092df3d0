"""Splits a subject into the prefixes of mail programs ("Re:", "Fwd:") and what the person wrote."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from webordinary.mail.vocabulary.matching import fold, words_of
from webordinary.mail.vocabulary.patterns import lazy_pattern
from webordinary.mail.vocabulary.phrases import phrases

MOST_PREFIXES = 10


class Prefix(StrEnum):
    REPLY = "reply"
    FORWARD = "forward"


REPLY_PREFIXES = (
    phrases(
        "re | aw | antw | antwort | sv | vs | odp | ynt | res | rif | bls | atb | vá | rép | resp | balas",
        "Latin",
    ),
    phrases(
        "απ | σχετ | отв | ответ | відп | отг | 回复 | 回覆 | 答复 | 答覆 | 返信 | 回信 | 답장 | 회신",
        "el, ru, zh, ja, ko",
    ),
    phrases("r | odg | răsp | vast | antwoord", "it, hr, ro, et, nl"),
    phrases("השב | תשובה | תגובה | رد | پاسخ | उत्तर | जवाब | ตอบ | ตอบกลับ", "he, ar, fa, hi, th"),
)
FORWARD_PREFIXES = (
    phrases(
        "fw | fwd | wg | tr | rv | enc | i | doorst | vb | fs | vl | pd | továbbítás | ilt | i̇lt | přeposláno",
        "Latin",
    ),
    phrases("转发 | 轉寄 | 転送 | 전달 | προωθ | πρθ | пересл | הועבר | إعادة توجيه | अग्रेषित | ส่งต่อ", "others"),
)


@cache
def _meanings() -> dict[str, Prefix]:
    meanings = {fold(word): Prefix.FORWARD for word in words_of(FORWARD_PREFIXES)}
    return meanings | {fold(word): Prefix.REPLY for word in words_of(REPLY_PREFIXES)}


_PREFIX = lazy_pattern(
    # Hindi and Thai words have marks that are no letters.
    r"\s{0,10}([^\W\d_][^\s\d_.:\uff1a()\[\]^]{0,14}(?: [^\W\d_]{2,10})?)\s{0,3}(?:\[\d{1,3}\]|\(\d{1,3}\)|\^\d)?"
    r"\s{0,3}[:\uff1a]\s{0,10}"
)


def _prefix(subject: str) -> re.Match[str] | None:
    """Skips subjects without a colon, on which the pattern backtracks a lot."""
    return _PREFIX().match(subject) if ":" in subject or "\uff1a" in subject else None


def prefix_of(subject: str) -> Prefix | None:
    """Whether the first prefix of a subject is that of a reply or of a forward."""
    match = _prefix(subject)
    return _meanings().get(fold(match[1])) if match else None


def plain_subject(subject: str) -> str:
    """The subject without "Re:", "Fwd:" and their translations."""
    for _ in range(MOST_PREFIXES):
        match = _prefix(subject)
        if match is None or fold(match[1]) not in _meanings():
            break
        subject = subject[match.end() :]
    return subject.strip()
