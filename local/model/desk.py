"""The tools as the stand-in uses them: looking for words, reading, editing, and getting up again after an error.

Everything here is a plan: a generator that yields the tool call it wants and is sent the tool's result.
"""

import re
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeVar

from local.model.places import Replacement, contains, pattern, without_line_numbers
from local.model.steps import ToolCall

PAGES = "src/pages/**/*.{astro,md,mdx,html}"
SOURCES = "src/**/*.{astro,md,mdx,html,ts,js,json,yaml,yml}"
NOT_FOR_PEOPLE = re.compile(r"(^|/)(node_modules|dist|\.astro|\.git|\.claude)/|(^|/)package(-lock)?\.json$")
HEADLINE = re.compile(r"^(Found \d+ files?.*|No (files|matches) found.*|\(.*\))$")
FILES_AT_MOST = 40
REPAIRS_AT_MOST = 3

Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class ToolResult:
    text: str
    is_error: bool = False


Plan = Generator[ToolCall, ToolResult, Outcome]


class CannotError(Exception):
    """The stand-in has to give up on an instruction; its sentence is the answer to the person."""


@dataclass(frozen=True)
class Desk:
    """The tools that the request offers; no others are called."""

    tools: frozenset[str]

    def need(self, *names: str) -> None:
        missing = [name for name in names if name not in self.tools]
        if missing:
            raise CannotError(f"I would need the tool {missing[0]} for that, and I was not given it.")

    def files_with(self, words: str) -> Plan[dict[str, str]]:
        """The files in which the words occur, in any case of letters, with their text."""
        if "Grep" in self.tools:
            question = {"pattern": pattern(words), "-i": True, "multiline": True, "output_mode": "files_with_matches"}
            answer = yield ToolCall(name="Grep", input=question)
        else:
            self.need("Glob")
            answer = yield ToolCall(name="Glob", input={"pattern": SOURCES})
        paths = _paths(answer)
        if len(paths) > FILES_AT_MOST:
            raise CannotError(
                f"There are {len(paths)} files to look into for “{words}”: too many, so I left them alone."
            )
        texts: dict[str, str] = {}
        for path in paths:
            text = yield from self.read(path)
            if contains(text, words):
                texts[path] = text
        return texts

    def pages(self) -> Plan[list[str]]:
        self.need("Glob")
        answer = yield ToolCall(name="Glob", input={"pattern": PAGES})
        return _paths(answer)

    def read(self, path: str) -> Plan[str]:
        self.need("Read")
        result = yield ToolCall(name="Read", input={"file_path": path})
        if result.is_error:
            raise CannotError(f"I could not read {path}: {result.text.strip()}")
        return without_line_numbers(result.text)

    def edit(self, path: str, replacement: Replacement) -> Plan[None]:
        self.need("Edit")
        everywhere = replacement.everywhere
        for _ in range(REPAIRS_AT_MOST):
            wanted = {"file_path": path, "old_string": replacement.old, "new_string": replacement.new}
            result = yield ToolCall(name="Edit", input=wanted | ({"replace_all": True} if everywhere else {}))
            if not result.is_error:
                return
            if "replace_all" in result.text:
                everywhere = True
            elif re.search(r"\bread\b", result.text, re.IGNORECASE):
                yield from self.read(path)
            else:
                break
        raise CannotError(f"I was not able to edit {path}: {_plain(result.text)}")

    def write(self, path: str, content: str) -> Plan[None]:
        self.need("Write")
        result = yield ToolCall(name="Write", input={"file_path": path, "content": content})
        if result.is_error:
            raise CannotError(f"I was not able to write {path}: {_plain(result.text)}")


def _paths(answer: ToolResult) -> list[str]:
    if answer.is_error:
        raise CannotError(f"I could not search the site: {_plain(answer.text)}")
    lines = [line.strip() for line in answer.text.splitlines()]
    return sorted(line for line in lines if line and not HEADLINE.match(line) and not NOT_FOR_PEOPLE.search(line))


def _plain(error: str) -> str:
    return " ".join(re.sub(r"</?tool_use_error>", "", error).split())


def of_page(paths: list[str], page: str) -> list[str]:
    """Those of the files that belong to a page: `src/pages/about.astro`, `src/content/about/…`, `index` for home."""
    name = "index" if page == "home" else page
    return [
        path
        for path in paths
        if PurePosixPath(path).stem.lower() == name
        or (name != "index" and name in (part.lower() for part in PurePosixPath(path).parent.parts))
    ]
