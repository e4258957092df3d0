"""Messages between the worker and the agent's process: one JSON object per line.

The worker writes a setup, later a prompt, and possibly an interrupt. The agent's process writes one report, and ends
when the worker closes the pipe.

The agent's process trusts the worker. The worker trusts no report; `result` validates it. This module imports as little
as possible, because every agent's start waits for it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

INTERRUPT_LINE = '{"interrupt": true}\n'


class _Line:
    def line(self) -> str:
        """Replaces lone surrogates, which a program leaves where it cuts a text inside an emoji."""
        text = json.dumps(asdict(self), ensure_ascii=False)  # type: ignore[call-overload]  # subclasses are dataclasses
        return text.encode(errors="replace").decode() + "\n"

    @classmethod
    def read(cls, line: str) -> Self:
        return cls(**json.loads(line))


@dataclass(frozen=True)
class AgentSetup(_Line):
    """The options that Claude Code is started with."""

    system_prompt: str
    tree: str
    read_folders: Sequence[str]
    session_id: str | None
    model: str | None
    max_turns: int
    max_dollars: float
    statement_schema: dict[str, Any]


@dataclass(frozen=True)
class AgentPrompt(_Line):
    prompt: str


@dataclass(frozen=True)
class AgentReport(_Line):
    """How a turn ended. `statement` is the structured output, if the agent gave one."""

    summary: str = ""
    statement: Any = None
    is_error: bool = False
    interrupted: bool = False
    session_id: str | None = None
    session_dollars: float = 0.0
