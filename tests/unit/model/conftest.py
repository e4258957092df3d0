"""A conversation with the stand-in, with fakes of Claude Code's file tools."""

import re
from typing import Any

import pytest

from local.model.messages import MessagesRequest
from local.model.next_turn import next_turn
from local.model.steps import EDITOR_CALL, ToolCall

ALL_TOOLS = ("Read", "Edit", "Write", "Glob", "Grep")


class Conversation:
    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        self.tools: tuple[str, ...] = ALL_TOOLS
        self.refusals: list[str] = []
        self.messages: list[dict[str, Any]] = []
        self.calls: list[ToolCall] = []

    def mail(self, text: str) -> str:
        """Sends a mail, runs all tool calls, and returns the final text."""
        self.messages.append({"role": "user", "content": f"Do what this says.\n<mail>\n{text}\n</mail>"})
        while (step := next_turn(self.request())).tools:
            self._call(step.tools[0])
        self.messages.append({"role": "assistant", "content": step.text})
        return step.text

    def request(self) -> MessagesRequest:
        tools = [{"name": name} for name in self.tools]
        body = {"model": "claude-made-up", "max_tokens": 100, "messages": self.messages, "tools": tools}
        return MessagesRequest.model_validate(body)

    def _call(self, call: ToolCall) -> None:
        name = f"{EDITOR_CALL}{len(self.calls)}"
        self.calls.append(call)
        output, is_error = getattr(self, f"_{call.name.lower()}")(**call.input)
        use = {"type": "tool_use", "id": name, "name": call.name, "input": call.input}
        result = {"type": "tool_result", "tool_use_id": name, "content": output, "is_error": is_error}
        self.messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]

    def _structuredoutput(self, **_: object) -> tuple[str, bool]:
        return "Structured output provided successfully", False

    def _grep(self, pattern: str, **_: object) -> tuple[str, bool]:
        paths = [path for path, text in self.files.items() if re.search(pattern, text)]
        return "\n".join([f"Found {len(paths)} files", *paths]) if paths else "No files found", False

    def _read(self, file_path: str) -> tuple[str, bool]:
        lines = self.files[file_path].splitlines()
        return "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, start=1)), False

    def _edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> tuple[str, bool]:
        if self.refusals:
            return f"<tool_use_error>{self.refusals.pop(0)}</tool_use_error>", True
        count = self.files[file_path].count(old_string)
        if count == 0:
            return "<tool_use_error>String to replace not found in file.</tool_use_error>", True
        if count > 1 and not replace_all:
            return f"<tool_use_error>Found {count} matches, but replace_all is false.</tool_use_error>", True
        self.files[file_path] = self.files[file_path].replace(old_string, new_string)
        return "The file has been updated.", False

    def _write(self, file_path: str, content: str) -> tuple[str, bool]:
        self.files[file_path] = content
        return "File created.", False


@pytest.fixture
def files() -> dict[str, str]:
    return {
        "src/pages/index.astro": (
            '---\nimport Page from "../layouts/Page.astro";\n---\n<Page title="Home">\n'
            "  <p>Saturday: 8 am to 2 pm</p>\n  <p>Sunday: 8 am to noon</p>\n  <p>Rye and\n  wheat bread</p>\n</Page>\n"
        ),
        "src/pages/about.astro": "<Page>\n  <p>We sell bread. Fresh bread.</p>\n  <p>It's good.</p>\n</Page>\n",
        "src/content/menu/rye.md": "# Rye\n\nDark bread at 8 am, white bread at 18 am\n",
    }


@pytest.fixture
def conversation(files: dict[str, str]) -> Conversation:
    return Conversation(files)
