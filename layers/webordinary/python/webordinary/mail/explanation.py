"""Explains what became of a mail: its kind, what it asks for, and every line with kept or the rule that cut it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from webordinary.mail.classification import verdict_on
from webordinary.mail.mime.containers import normalised, take_apart
from webordinary.mail.parsing import body_of, parse

KEPT = "kept"
MARKED = "marked by the program as history or signature"


def explain(raw: bytes) -> Iterator[str]:
    """The lines of the explanation, for a terminal."""
    parsed = parse(raw)
    raw = normalised(raw)
    structure = take_apart(raw)
    verdict = verdict_on(structure, raw)
    yield f"kind: {verdict.kind.value}" + (f" ({verdict.reason})" if verdict.reason else "")
    yield f"turn: {parsed.turn.value}"
    yield f"command: {parsed.request.command.value}" + (
        f" (mentions {parsed.request.mentioned_command.value})" if parsed.request.mentioned_command else ""
    )
    if not parsed.text and parsed.request.instruction:
        yield "request: taken from the subject, because no line is kept"
    if parsed.truncated:
        yield f"too much to read in full: {', '.join(parsed.truncated)}"
    yield ""
    body = body_of(raw, structure)
    rules = body.reading.explained()
    for line, rule in _by_marks(rules, body.visible) if body.by_marks else rules:
        yield f"{rule or KEPT:<32} | {line}" if line.strip() else ""


def _by_marks(rules: Iterator[tuple[str, str]], visible: str) -> Iterator[tuple[str, str]]:
    left = Counter(line.strip() for line in visible.split("\n"))
    for line, rule in rules:
        if not line.strip() or left[line.strip()] > 0:
            left[line.strip()] -= 1
            yield line, ""
        else:
            yield line, rule or MARKED
