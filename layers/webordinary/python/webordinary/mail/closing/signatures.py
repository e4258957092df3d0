"""Removes what follows a message: signature, "Sent from my phone", list and legal footers.

Keeping a signature is harmless, losing a line of a request is not. So a tail is removed only on two pieces of evidence
(a closing and the sender's name, a legal beginning and a legal word), and never directly below a line that introduces
content with a colon. Postscripts stay. Only the last lines are searched, so the cost does not depend on the length.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from webordinary.mail.closing.closing_lines import (
    LONGEST_SIGNATURE,
    Tail,
    are_signature_lines,
    find_closing,
    has_contact,
    is_announced,
    is_closing,
    is_name,
    is_sentence,
    is_signed_by_sender,
)
from webordinary.mail.closing.device_lines import is_device_line
from webordinary.mail.closing.footer_phrases import (
    DISCLAIMER_WORDS,
    DISCLAIMERS,
    FOOTER_EVIDENCE,
    FOOTERS,
    LEGAL_OPENINGS,
    LIST_EVIDENCE,
)
from webordinary.mail.context import Context, Turn
from webordinary.mail.lines.kinds import CODE, DELIMITER, EMPTY, TEXT, Line
from webordinary.mail.vocabulary.matching import fold, words_of
from webordinary.mail.vocabulary.patterns import lazy_pattern

LONGEST_FOOTER = 40
MOST_TAILS = 100
LINES_WITH_NAME = 3
GAP = Line("", "", EMPTY)
_GAPS = (EMPTY, DELIMITER)
_SENTENCE_ENDS = frozenset(".!?)\u2026\u3002\uff01\uff1f\u0964\u061f")
_FOOTER_KINDS = (TEXT, DELIMITER)

_FOOTERS = words_of(FOOTERS)
_DISCLAIMERS = words_of(DISCLAIMERS)
_DISCLAIMER_WORDS = words_of(DISCLAIMER_WORDS)
_LEGAL_OPENINGS = words_of(LEGAL_OPENINGS)
_FOOTER_BEGINNINGS = frozenset(word[:3] for word in _FOOTERS + _DISCLAIMERS)
_SIGNED_NAME = lazy_pattern(r"[-/][^\W\d_][^\W\d_.'-]{0,30}(?: [^\W\d_][^\W\d_.'-]{0,30}){0,2}$")


class Cuts(dict[int, str]):
    """The removed lines by number, each with the rule that removed it."""

    def record(self, lines: Sequence[Line], rule: str) -> None:
        for line in lines:
            self.setdefault(line.number, rule)


def strip_tail(lines: Sequence[Line], context: Context, cuts: Cuts) -> list[Line]:
    """The lines without signatures, device lines and footers."""
    kept = _rstrip(list(lines), None if context.has_headers else cuts)
    postscript = _postscript(kept)
    if postscript is not None:
        above = _strip_tails(kept[:postscript], context, cuts)
        return [*above, GAP, *_strip_tails(kept[postscript:], context, cuts)]
    return _strip_tails(kept, context, cuts)


def _strip_tails(kept: list[Line], context: Context, cuts: Cuts) -> list[Line]:
    _rstrip(kept, None if context.has_headers else cuts)
    for _ in range(MOST_TAILS):
        tail = _tail(kept, context)
        if tail is None:
            break
        cuts.record(kept[tail.start :], tail.rule)
        del kept[tail.start :]
        _rstrip(kept, None if context.has_headers and _ends_section(kept) else cuts)
    return kept


def _rstrip(lines: list[Line], cuts: Cuts | None = None) -> list[Line]:
    """Removes trailing empty lines, and with `cuts` trailing delimiters."""
    while lines and (lines[-1].kind is EMPTY or (cuts is not None and lines[-1].kind is DELIMITER)):
        last = lines.pop()
        if cuts is not None and last.kind is DELIMITER:
            cuts.record([last], "delimiter above a signature")
    return lines


def _tail(lines: Sequence[Line], context: Context) -> Tail | None:
    """The next tail to remove."""
    if not lines:
        return None
    return (
        _device_line(lines, context)
        or _delimited_signature(lines, context)
        or _footer(lines, context)
        or find_closing(lines, context)
        or _signed_name(lines, context)
    )


def _device_line(lines: Sequence[Line], context: Context) -> Tail | None:
    last = len(lines) - 1
    if lines[last].kind is not TEXT or not is_device_line(lines[last].trimmed, strict=context.has_headers):
        return None
    if is_announced(lines, last):
        return None
    return Tail(last, "line added by the mail program")


def _delimited_signature(lines: Sequence[Line], context: Context) -> Tail | None:
    """The topmost delimiter near the end whose lines below are short and look like a signature."""
    if DELIMITER not in [line.kind for line in lines[-LONGEST_FOOTER:]]:
        return None
    written = 0
    start: int | None = None
    for number in range(len(lines) - 1, max(-1, len(lines) - LONGEST_FOOTER), -1):
        line = lines[number]
        if line.kind is DELIMITER:
            if _is_signature_delimiter(lines, number, context):
                start = number
        elif line.kind is CODE:
            break
        elif line.kind is not EMPTY:
            written += 1
            if written > LONGEST_SIGNATURE:
                break
    return None if start is None else Tail(start, "signature below a delimiter")


def _is_signature_delimiter(lines: Sequence[Line], number: int, context: Context) -> bool:
    line = lines[number]
    below = [other for other in lines[number + 1 :] if other.kind is not EMPTY]
    if not below:
        return False
    # The standard delimiter ends in a space; PGP escapes it as "- --".
    is_standard = line.raw.rstrip("\r\n").endswith("-- ") and len(line.trimmed) == 2
    signed = is_signed_by_sender(below[0].trimmed, context)
    if signed and is_standard:
        return True
    if is_announced(lines, number):
        return False
    if context.has_headers and _separates_sections(lines, number, signed=signed):
        return False
    if is_standard:
        return True
    if len(line.trimmed) <= 2 or line.trimmed == "- --":
        return signed or not context.has_headers or not any(is_sentence(other.trimmed) for other in below)
    if signed:
        return not context.has_headers or not _is_one_of_several(lines, number)
    text = " ".join(other.trimmed[:200] for other in below).casefold()
    if any(word in text for word in LIST_EVIDENCE.words):
        return True
    if context.turn is not Turn.ANSWER:
        return False
    if context.has_headers:
        return is_name(below[0].trimmed) and _names_sender(below, context)
    return not line.trimmed.strip("_") or any(word in text for word in FOOTER_EVIDENCE.words)


def _separates_sections(lines: Sequence[Line], number: int, *, signed: bool) -> bool:
    """Whether the same line is drawn more than once, with text between: "Hours / … / ---- / Contact / …".

    A signature may have a line above and below it, if the text above is complete.
    """
    same = _drawn_around_text(lines, number)
    if same == [number]:
        return False
    above = next((line.trimmed for line in reversed(lines[:number]) if line.kind is not EMPTY), "")
    is_complete = not above or above[-1] in _SENTENCE_ENDS or is_closing(above)
    return not (signed and is_complete and same == [number, len(lines) - 1])


def _drawn_around_text(lines: Sequence[Line], number: int) -> list[int]:
    """The numbers of the lines near the end that are drawn like this one, if they have text between them."""
    drawn = lines[number].trimmed
    first = max(0, len(lines) - LONGEST_FOOTER)
    same = [at for at in range(first, len(lines)) if lines[at].kind is DELIMITER and lines[at].trimmed == drawn]
    if len(drawn) < 2 or not same or all(line.kind in _GAPS for line in lines[same[0] : same[-1]]):
        return [number]
    return same


def _ends_section(lines: Sequence[Line]) -> bool:
    """Whether the line at the end is drawn above as well, around a text."""
    last = next((number for number in range(len(lines) - 1, -1, -1) if lines[number].kind is not EMPTY), None)
    return last is not None and lines[last].kind is DELIMITER and _drawn_around_text(lines, last)[0] != last


def _is_one_of_several(lines: Sequence[Line], number: int) -> bool:
    """Whether the sender's name below a drawn line is an entry of a list: of people, of addresses."""
    above = next((line for line in reversed(lines[:number]) if line.kind is not EMPTY), None)
    is_entry = above is not None and has_contact(above)
    return is_entry or not are_signature_lines(lines[number + 1 :], known_writer=True)


def _names_sender(lines: Sequence[Line], context: Context) -> bool:
    """Whether one of the first lines is the sender's name, or any has the sender's address."""
    if any(is_signed_by_sender(line.trimmed, context) for line in lines[:LINES_WITH_NAME]):
        return True
    address = context.sender_address
    return address != "" and any(address in line.trimmed[:500].lower() for line in lines)


def _footer(lines: Sequence[Line], context: Context) -> Tail | None:
    for number in range(max(0, len(lines) - LONGEST_FOOTER), len(lines)):
        if lines[number].kind not in _FOOTER_KINDS or (number and lines[number - 1].kind not in _GAPS):
            continue
        text = lines[number].trimmed[:80].casefold().lstrip(" *_[(")
        if text[:3] not in _FOOTER_BEGINNINGS or is_announced(lines, number):
            continue
        if text.startswith(_FOOTERS):
            return Tail(number, "list or virus scanner footer")
        if text.startswith(_DISCLAIMERS):
            paragraph = " ".join(line.trimmed[:600] for line in lines[number : number + 6]).casefold()
            obvious = not context.has_headers and text.startswith(_LEGAL_OPENINGS)
            if obvious or any(word in paragraph for word in _DISCLAIMER_WORDS):
                return Tail(number, "legal footer")
    return None


@cache
def _postscripts() -> tuple[tuple[str, ...], tuple[str, ...], frozenset[str]]:
    from webordinary.mail.closing.closing_phrases import AFTERTHOUGHTS, POSTSCRIPTS

    marks, thoughts = words_of(POSTSCRIPTS), words_of(AFTERTHOUGHTS)
    return tuple(map(fold, marks)), tuple(map(fold, thoughts)), frozenset(fold(word[0]) for word in marks + thoughts)


def _postscript(lines: Sequence[Line]) -> int | None:
    """Where a postscript begins, near the end."""
    marks, thoughts, letters = _postscripts()
    for number in range(max(1, len(lines) - LONGEST_FOOTER), len(lines)):
        line = lines[number]
        if line.kind is not TEXT:
            continue
        if fold(line.trimmed[0]) not in letters:
            continue
        text = fold(line.trimmed[:40])
        if text.startswith(marks) and _begins_with_word(text, marks):
            return number
        if lines[number - 1].kind is EMPTY and text.startswith(thoughts) and _begins_with_word(text, thoughts):
            return number
    return None


def _begins_with_word(text: str, words: tuple[str, ...]) -> bool:
    return any(text.startswith(word) and not text[len(word) : len(word) + 1].isalnum() for word in words)


def _signed_name(lines: Sequence[Line], context: Context) -> Tail | None:
    """ "-Anna Berg" or "/Anna" as the last line after a gap. A list has more than one item."""
    if len(lines) < 3 or lines[-1].kind is not TEXT or lines[-2].kind is not EMPTY:
        return None
    last = lines[-1].trimmed
    if last[0] not in "-/~\u2013\u2014" or is_announced(lines, len(lines) - 1):
        return None
    above = next((line.trimmed for line in reversed(lines[-7:-1]) if line.kind is not EMPTY), "")
    if context.has_headers:
        named = is_signed_by_sender(last.lstrip("-/~\u2013\u2014 "), context)
    else:
        named = _SIGNED_NAME().match(last) is not None and last[1:2].isupper()
    return Tail(len(lines) - 1, "signed name") if named and not above.startswith(("-", "/")) else None
