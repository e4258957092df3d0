"""The agent's process: Claude Code through its SDK, confined to one work tree.

Started by `agent` with an environment that holds no credentials but a token for this turn. Settings, hooks, skills and
servers that the repository brings are not loaded; the tools read and edit files below the tree and run nothing.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ClaudeSDKError,
    ResultMessage,
    TextBlock,
)
from pydantic import ValidationError

from webordinary_worker.agent_protocol import AgentResult, AgentTask
from webordinary_worker.agent_statement import Statement, statement_schema

TOOLS = ["Read", "Edit", "Write", "Glob", "Grep"]
# What decides which code runs or what is installed stays as the site's developers made it.
UNTOUCHABLE = (
    "package.json",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    ".npmrc",
    ".git",
    ".git/**",
    ".github/**",
    ".claude/**",
    ".mcp.json",
    "CLAUDE.md",
    "node_modules/**",
)
DENIED = [f"Edit(**/{path})" for path in UNTOUCHABLE]


def options_of(task: AgentTask) -> ClaudeAgentOptions:
    return ClaudeAgentOptions(
        cwd=task.tree,
        add_dirs=list(task.read_folders),
        tools=TOOLS,
        disallowed_tools=DENIED,
        permission_mode="acceptEdits",
        setting_sources=[],
        skills=[],
        strict_mcp_config=True,
        # A mail that says @/some/file is words, not a request to read that file.
        verbatim_prompts=True,
        system_prompt=task.system_prompt,
        resume=task.session_id,
        model=task.model,
        max_turns=task.max_turns,
        max_budget_usd=task.max_dollars,
        output_format={"type": "json_schema", "schema": statement_schema()},
        extra_args={"restricted": None, "permission-prompts": "none"},
    )


async def carry_out(task: AgentTask, interrupt: asyncio.Event) -> AgentResult:
    said = ""
    async with ClaudeSDKClient(options_of(task)) as client:
        await client.query(task.prompt)
        interrupting = asyncio.create_task(_interrupt_when(interrupt, client))
        try:
            async for message in client.receive_response():
                if isinstance(message, AssistantMessage):
                    said = _text_of(message) or said
                if isinstance(message, ResultMessage):
                    return _result(message, said, interrupt.is_set())
        finally:
            interrupting.cancel()
    return AgentResult(is_error=True)


async def _interrupt_when(interrupt: asyncio.Event, client: ClaudeSDKClient) -> None:
    await interrupt.wait()
    await client.interrupt()


def _text_of(message: AssistantMessage) -> str:
    return "\n".join(block.text for block in message.content if isinstance(block, TextBlock)).strip()


def _result(message: ResultMessage, said: str, interrupted: bool) -> AgentResult:
    # A failing model endpoint is reported as subtype "success" with is_error set: only the flag counts.
    return AgentResult(
        summary=message.result or said,
        statement=_statement(message),
        is_error=message.is_error and not interrupted,
        interrupted=interrupted,
        session_id=message.session_id,
        session_dollars=message.total_cost_usd or 0.0,
    )


def _statement(message: ResultMessage) -> Statement | None:
    try:
        return Statement.model_validate(message.structured_output)
    except ValidationError:
        return None  # it would not say it in this shape, though it was told to: its plain words have to do


def _listen(loop: asyncio.AbstractEventLoop, interrupt: asyncio.Event) -> None:
    """An interrupt comes as a line; the end of the pipe means that the worker is gone."""
    for _ in sys.stdin:
        loop.call_soon_threadsafe(interrupt.set)
    os.killpg(0, signal.SIGKILL)


async def _main() -> None:
    task = AgentTask.model_validate_json(sys.stdin.readline())
    interrupt = asyncio.Event()
    threading.Thread(target=_listen, args=(asyncio.get_running_loop(), interrupt), daemon=True).start()
    try:
        result = await carry_out(task, interrupt)
    except ClaudeSDKError as error:
        result = AgentResult(is_error=not interrupt.is_set(), interrupted=interrupt.is_set(), summary=str(error))
    sys.stdout.write(result.line())
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_main())
