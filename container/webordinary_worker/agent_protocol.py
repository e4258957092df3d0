"""What the worker and the agent's process tell each other: one JSON object per line.

The worker writes a setup, after a while a prompt, later perhaps an interrupt. The agent's process writes one result.
When the worker's end of the pipe closes, the agent's process ends.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from webordinary_worker.agent_statement import Statement

INTERRUPT_LINE = '{"interrupt": true}\n'


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    def line(self) -> str:
        return self.model_dump_json() + "\n"


class AgentSetup(_Line):
    """All that Claude Code must know when it is started."""

    system_prompt: str
    tree: Path
    read_folders: tuple[Path, ...] = ()
    session_id: str | None = None
    model: str | None = None
    max_turns: int
    max_dollars: float


class AgentPrompt(_Line):
    prompt: str


class AgentResult(_Line):
    """How a run of the agent ended. `session_dollars` is what Claude Code says about all runs of the session so far.

    `summary` are its plain words, `statement` is what it said in the shape that it was asked for, where it did.
    Tokens, dollars and whether the budget was over are what the worker has counted, never what the agent says.
    """

    summary: str = ""
    statement: Statement | None = None
    is_error: bool = False
    interrupted: bool = False
    session_id: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    session_dollars: float = 0.0
    dollars: float = 0.0
    over_budget: bool = False
