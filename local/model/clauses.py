"""Cuts a mail into the clauses that may each ask for something, with what is quoted kept out of the way.

A quoted string becomes `⟦n⟧` in the clause, so that no rule can trip over the words inside it.
"""
# ruff: noqa: RUF001 - telling typographic quotes and dashes apart is the point here

import re

QUOTATIONS = re.compile(
    r'"([^"]{1,2000}?)"|“([^“”]{1,2000}?)”|„([^„“”"]{1,2000}?)[“”"]|«\s*([^«»]{1,2000}?)\s*»|‘([^‘’]{1,2000}?)’(?!\w)'
    r"|(?<![\w'])'([^'\n](?:[^\n]*?[^\s'])?)'(?=[\s.,;:!?)]|$)"
)
LIST_MARKER = re.compile(r"^\s*(?:[-*•–]|\d+[.)])\s+")
POLITENESS = re.compile(
    r"(?:[\s,]*\b(?:please|thanks|thank you|many thanks|bitte|danke|vielen dank|merci|s['’]il vous pla[iî]t|hinzu)\b)*"
    r"[\s.,;!?]*$",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(r"(?<=[.!?⟧])\s+(?=[A-ZÄÖÜÉÀ])|\s*;\s*")
WRAPPED_AT = 50  # a line this long was probably broken by the mail program and goes on in the next one


def clauses(mail: str, verbs: str) -> list[tuple[str, list[str]]]:
    quotes: list[str] = []

    def keep(match: re.Match[str]) -> str:
        words = next(group for group in match.groups() if group is not None)
        quotes.append(" ".join(words.split()))
        return f"⟦{len(quotes) - 1}⟧"

    lines = [line for line in mail.replace("\r", "").split("\n") if not line.startswith(">")]
    text = QUOTATIONS.sub(keep, "\n".join(lines))
    begins = re.compile(rf"(?:(?:please|bitte)\s+)?(?:{verbs})\b", re.IGNORECASE)
    joint = re.compile(rf"[,\s]+(?:(?:and|then|also|und|dann|et|puis)\s+)+(?={begins.pattern})", re.IGNORECASE)
    found = [
        clause.strip()
        for line in _unwrapped(text.split("\n"), begins)
        for sentence in SENTENCE_END.split(line)
        for clause in joint.split(sentence)
    ]
    return [(clause, quotes) for clause in found if clause]


def _unwrapped(lines: list[str], begins: re.Pattern[str]) -> list[str]:
    joined: list[str] = []
    previous_length = 0
    for line in lines:
        item = LIST_MARKER.sub("", line).strip()
        starts_anew = previous_length < WRAPPED_AT or item != line.strip() or begins.match(item)
        if starts_anew or not item or not joined:
            joined.append(item)
        else:
            joined[-1] = f"{joined[-1]} {item}"
        previous_length = len(line)
    return joined


def politeness_removed(words: str) -> str:
    return POLITENESS.sub("", words).strip()


def restore(clause: str, quotes: list[str]) -> str:
    return re.sub(r"⟦(\d+)⟧", lambda match: f"“{quotes[int(match[1])]}”", clause)
