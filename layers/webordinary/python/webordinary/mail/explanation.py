"""Explains how a mail was parsed: its kind, its command, and for every line "kept" or the rule that removed it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from webordinary.mail.classification import classify_structure
from webordinary.mail.containers.opening import open_containers
from webordinary.mail.mime.structure import normalise_newlines, read_structure
from webordinary.mail.parsing import body_of, parse

KEPT = "kept"
MARKED = "history or signature by HTML marker"


def explain(raw: bytes) -> Iterator[str]:
    """The lines of the explanation, for a terminal."""
    parsed = parse(raw)
    raw = normalise_newlines(raw)
    structure = read_structure(raw)
    found = classify_structure(structure, raw)
    yield f"kind: {found.kind.value}" + (f" ({found.reason})" if found.reason else "")
    yield f"turn: {parsed.turn.value}"
    yield f"command: {parsed.request.command.value}" + (
        f" (mentions {parsed.request.mentioned_command.value})" if parsed.request.mentioned_command else ""
    )
    if not parsed.text and parsed.request.instruction:
        yield "request: taken from the subject, because no line was kept"
    if parsed.truncated:
        yield f"truncated: {', '.join(parsed.truncated)}"
    yield ""
    body = body_of(raw, open_containers(raw, structure))
    rules = body.split.explain_lines()
    for line, rule in _explain_by_markers(rules, body.visible) if body.by_markers else rules:
        yield f"{rule or KEPT:<32} | {line}" if line.strip() else ""


def _explain_by_markers(rules: Iterator[tuple[str, str]], visible: str) -> Iterator[tuple[str, str]]:
    left = Counter(line.strip() for line in visible.split("\n"))
    for line, rule in rules:
        if not line.strip() or left[line.strip()] > 0:
            left[line.strip()] -= 1
            yield line, ""
        else:
            yield line, rule or MARKED
