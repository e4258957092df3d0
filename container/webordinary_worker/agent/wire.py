"""What the worker and the agent's process tell each other: one JSON object per line.

The worker writes a setup, after a while a prompt, later perhaps an interrupt. The agent's process writes one report.
When the worker's end of the pipe closes, the agent's process ends.

The agent's process believes the worker. The worker believes nothing: what it makes of a report is in `agent_result`.
This module imports no more than it must, because each agent waits for it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

INTERRUPT_LINE = '{"interrupt": true}\n'


class _Line:
    def line(self) -> str:
        """Half a character, as where a program has cut a text within an emoji, is replaced: nobody could read it."""
        text = json.dumps(asdict(self), ensure_ascii=False)  # type: ignore[call-overload]  # all are dataclasses
        return text.encode(errors="replace").decode() + "\n"

    @classmethod
    def read(cls, line: str) -> Self:
        return cls(**json.loads(line))


@dataclass(frozen=True)
class AgentSetup(_Line):
    """All that Claude Code must know when it is started."""

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
    """How a run ended. `statement` is what the agent said in the shape that it was asked for, if it is that shape."""

    summary: str = ""
    statement: Any = None
    is_error: bool = False
    interrupted: bool = False
    session_id: str | None = None
    session_dollars: float = 0.0
