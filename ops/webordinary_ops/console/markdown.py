"""The runbooks' Markdown as HTML: headings, paragraphs, lists, tables, code and links. Everything is escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from markupsafe import Markup, escape

INLINE = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)")
ITEM = re.compile(r"(?:(\d+)\.|-) +(.*)")
RUNBOOK = re.compile(r"([a-z-]+)\.md(#[\w-]+)?", re.ASCII)
FENCE = "```"


def as_html(text: str) -> Markup:
    return Markup("\n").join(_blocks(text.splitlines()))


def _blocks(lines: list[str]) -> Iterator[Markup]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.startswith(FENCE):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].startswith(FENCE)), len(lines))
            yield Markup("<pre><code>{}</code></pre>").format("\n".join(lines[at + 1 : end]))
            at = end + 1
        elif line.startswith("#"):
            level = min(len(line) - len(line.lstrip("#")), 3)
            yield Markup("<h{0}>{1}</h{0}>").format(max(level, 2), _inline(line.lstrip("# ")))
            at += 1
        elif line.startswith("|"):
            end = _end(lines, at, lambda one: not one.startswith("|"))
            yield _table(lines[at:end])
            at = end
        elif ITEM.match(line):
            end = _end(lines, at, lambda one: bool(one) and not one.startswith(" ") and not ITEM.match(one))
            yield _list(lines[at:end])
            at = end
        else:
            end = _end(lines, at, lambda one: not one or one.startswith(("#", "|", FENCE)) or bool(ITEM.match(one)))
            yield Markup("<p>{}</p>").format(_inline(" ".join(lines[at:end])))
            at = end


def _end(lines: list[str], start: int, ends: Callable[[str], bool]) -> int:
    return next((n for n in range(start + 1, len(lines)) if ends(lines[n])), len(lines))


def _list(lines: list[str]) -> Markup:
    items: list[list[str]] = []
    for line in lines:
        if found := ITEM.match(line):
            items.append([found[2]])
        else:
            items[-1].append(re.sub(r"^ {1,3}", "", line))
    name = "ol" if lines[0][0].isdigit() else "ul"
    shown = Markup("").join(Markup("<li>{}</li>").format(as_html("\n".join(item))) for item in items)
    return Markup("<{0}>{1}</{0}>").format(name, shown)


def _table(lines: list[str]) -> Markup:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    head, *rest = [row for row in rows if not all(set(cell) <= {"-", ":"} for cell in row)]
    titles = Markup("").join(Markup('<th scope="col">{}</th>').format(_inline(one)) for one in head)
    body = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(Markup("<td>{}</td>").format(_inline(one)) for one in row))
        for row in rest
    )
    return Markup("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(titles, body)


def _inline(text: str) -> Markup:
    """Links lead to other runbooks; the words of other links stay."""
    found, at = Markup(""), 0
    for match in INLINE.finditer(text):
        code, strong, words, target = match.groups()
        found += escape(text[at : match.start()])
        if code is not None:
            found += Markup("<code>{}</code>").format(code)
        elif strong is not None:
            found += Markup("<strong>{}</strong>").format(strong)
        elif (runbook := RUNBOOK.fullmatch(target)) is not None:
            found += Markup('<a href="/runbooks/{}">{}</a>').format(runbook[1], _inline(words))
        else:
            found += _inline(words)
        at = match.end()
    return found + escape(text[at:])
