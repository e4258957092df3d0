"""The very small editor: carries out the instructions of a mail and says what it did."""

import html
import re

from local.model.desk import CannotError, Desk, Plan, of_page
from local.model.instructions import Add, Change, Create, Instruction, Unclear, understand
from local.model.places import at_the_end, contains, replacements

LAYOUT_IMPORT = re.compile(r'^import (\w+) from "(\.\./[^"]*layouts?/[^"]+)";?$', re.MULTILINE | re.IGNORECASE)

NOT_UNDERSTOOD = (
    "I could not understand what to change, so I changed nothing. I am a stand-in for the model and understand only "
    "plain sentences such as: change “these words” to “those words”."
)


def carry_out(mail: str, tools: frozenset[str]) -> Plan[str]:
    instructions = understand(mail)
    if not instructions:
        return NOT_UNDERSTOOD
    desk = Desk(tools)
    sentences = []
    for instruction in instructions:
        try:
            sentences.append((yield from _carry_out(instruction, desk)))
        except CannotError as reason:
            sentences.append(str(reason))
    return " ".join(sentences)


def _carry_out(instruction: Instruction, desk: Desk) -> Plan[str]:
    match instruction:
        case Change():
            return (yield from _change(instruction, desk))
        case Add():
            return (yield from _add(instruction, desk))
        case Create():
            return (yield from _create(instruction, desk))
        case Unclear(words):
            return f"I could not understand “{words}”, so I left that as it is. I am a stand-in for the model."


def _change(change: Change, desk: Desk) -> Plan[str]:
    desk.need("Edit")
    for old, new in change.readings:
        texts = yield from desk.files_with(old)
        if texts:
            return (yield from _replace(texts, old, new, change, desk))
        if new and (there := (yield from desk.files_with(new))):
            return f"“{new}” is already there, in {_list(list(there))}, so I changed nothing."
    old = change.readings[0][0]
    return f"I could not find “{old}” on the site, so I changed nothing there."


def _replace(texts: dict[str, str], old: str, new: str, change: Change, desk: Desk) -> Plan[str]:
    exact = any(contains(text, old, exact_case=True) for text in texts.values())
    paths = [path for path, text in texts.items() if contains(text, old, exact_case=exact)]
    if change.page:
        paths = of_page(paths, change.page) or paths
    for path in paths:
        for replacement in replacements(texts[path], old, new, change.near, exact):
            yield from desk.edit(path, replacement)
    if not new:
        return f"I removed “{old}” from {_list(paths)}."
    return f"I changed “{old}” to “{new}” in {_list(paths)}."


def _add(add: Add, desk: Desk) -> Plan[str]:
    pages = yield from desk.pages()
    paths = of_page(pages, add.page)
    if not paths:
        return f"I could not find a page called “{add.page}”, so I added nothing."
    path = paths[0]
    text = yield from desk.read(path)
    markup = not path.endswith((".md", ".mdx"))
    addition = _paragraph(add.text) if markup else add.text
    if contains(text, add.text) or addition in text:
        return f"“{add.text}” is already there, in {path}, so I added nothing."
    yield from desk.edit(path, at_the_end(text, addition, markup))
    return f"I added “{add.text}” to {path}."


def _create(create: Create, desk: Desk) -> Plan[str]:
    pages = yield from desk.pages()
    name = re.sub(r"[^a-z0-9]+", "-", create.title.lower()).strip("-") or "page"
    path = f"src/pages/{name}.astro"
    if path in pages:
        return f"There is already a page {path}, so I created nothing."
    home = of_page(pages, "home")
    pattern_page = (yield from desk.read(home[0])) if home else ""
    yield from desk.write(path, _new_page(create, pattern_page))
    return f"I created the page “{create.title}” in {path}. Nothing links to it yet."


def _new_page(create: Create, home: str) -> str:
    title = _escaped(create.title)
    body = f"  <h1>{title}</h1>\n" + (f"  {_paragraph(create.text)}\n" if create.text else "")
    layout = LAYOUT_IMPORT.search(home)
    if layout is None:
        return f'<html lang="en">\n<head><title>{title}</title></head>\n<body>\n{body}</body>\n</html>\n'
    name = layout[1]
    return f'---\n{layout[0]}\n---\n\n<{name} title="{title}" description="{title}">\n{body}</{name}>\n'


def _paragraph(text: str) -> str:
    return f"<p>{_escaped(text)}</p>"


def _escaped(text: str) -> str:
    return html.escape(text).replace("{", "&#123;").replace("}", "&#125;")


def _list(paths: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(paths[:-1]), paths[-1])))
