"""Carries out an instruction with Claude Code's tools.

Every function here is a plan: a generator that yields tool calls, receives their results, and returns the sentence that
describes what was done. It raises InstructionFailedError if that is impossible.
"""

import html
import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

from local.model.instructions import Add, Edit, NewPage, TextChange
from local.model.languages import ModelLanguage
from local.model.steps import ToolCall
from local.model.text_matching import last_lines, occurrences, pattern, without_line_numbers

HOME_PAGE = "src/pages/index.astro"
LAYOUT_IMPORT = re.compile(r'^import (\w+) from "\.\./layouts/[^"]+";?$', re.MULTILINE)

Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class ToolResult:
    text: str
    is_error: bool = False


Plan = Generator[ToolCall, ToolResult, Outcome]


class InstructionFailedError(Exception):
    """The stand-in cannot carry out an instruction."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")
        self.what = what
        self.why = why


def carry_out(instruction: Edit, language: ModelLanguage) -> Plan[str]:
    match instruction:
        case TextChange(old, new):
            yield from _change(old, new, language)
            return language.changed.format(old=old, new=new)
        case Add(text, page):
            return (yield from _add(text, page))
        case NewPage(title, text):
            return (yield from _create(title, text))


def pages_with(text: str) -> Plan[list[str]]:
    """The source files that contain a text; a page is named by its file, as far as a stand-in can."""
    arguments = {"pattern": pattern(text), "path": "src", "multiline": True, "output_mode": "files_with_matches"}
    found = yield from _call("Grep", arguments)
    return sorted(re.sub(r"\.\w+$", "", line.rpartition("/")[2]) for line in found.splitlines() if "src/" in line)


def _change(old: str, new: str, language: ModelLanguage) -> Plan[None]:
    arguments = {"pattern": pattern(old), "path": "src", "multiline": True, "output_mode": "files_with_matches"}
    found = yield from _call("Grep", arguments)
    paths = sorted(line for line in found.splitlines() if line.startswith("src/"))
    if not paths:
        raise InstructionFailedError(language.quoted.format(text=old), language.missing)
    for path in paths:
        text = yield from _read(path)
        for spelling in occurrences(text, old):
            yield from _edit(path, spelling, new, everywhere=text.count(spelling) > 1)


def _add(text: str, page: str) -> Plan[str]:
    path = HOME_PAGE if page == "home" else f"src/pages/{page}.astro"
    before = yield from _read(path)
    addition = f"<p>{_escaped(text)}</p>"
    if addition in before:
        return f"“{text}” is already on the page, so I added nothing."
    *above, closing_tag = last_lines(before)
    yield from _edit(path, "\n".join([*above, closing_tag]), "\n".join([*above, f"  {addition}", closing_tag]))
    return f"I added “{text}” to the {page} page."


def _create(title: str, text: str) -> Plan[str]:
    path = f"src/pages/{re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-') or 'page'}.astro"
    layout = LAYOUT_IMPORT.search((yield from _read(HOME_PAGE)))
    if layout is None:
        raise InstructionFailedError(f"The page “{title}”", "The home page has no layout to follow.")
    heading = _escaped(title)
    paragraph = f"  <p>{_escaped(text)}</p>\n" if text else ""
    content = (
        f'---\n{layout[0]}\n---\n\n<{layout[1]} title="{heading}" description="{heading}">\n'
        f"  <h1>{heading}</h1>\n{paragraph}</{layout[1]}>\n"
    )
    yield from _call("Write", {"file_path": path, "content": content})
    return f"I created the page “{title}”. Nothing links to it yet."


def _read(path: str) -> Plan[str]:
    output = yield from _call("Read", {"file_path": path})
    return without_line_numbers(output)


def _edit(path: str, old: str, new: str, *, everywhere: bool = False) -> Plan[None]:
    arguments = {"file_path": path, "old_string": old, "new_string": new, "replace_all": everywhere}
    yield from _call("Edit", arguments)


def _call(name: str, arguments: dict[str, object]) -> Plan[str]:
    result = yield ToolCall(name=name, input=arguments)
    if result.is_error:
        message = " ".join(re.sub(r"</?tool_use_error>", "", result.text).split())
        raise InstructionFailedError(f"The tool {name} failed", message)
    return result.text


def _escaped(text: str) -> str:
    return html.escape(text).replace("{", "&#123;").replace("}", "&#125;")
