"""The agent's process: Claude Code through its SDK, confined to one work tree.

Started by `agent` with an environment that holds no credentials except a token for this turn. Settings, hooks, skills
and MCP servers of the repository are not loaded. The tools read and edit files below the tree and run nothing.

It may be started long before its turn. It loads as the worker's user and switches to the agent's user when the setup
arrives. Then it starts Claude Code, which waits for the prompt.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading

from webordinary_worker.agent import mcp_stub
from webordinary_worker.agent.wire import AgentPrompt, AgentReport, AgentSetup
from webordinary_worker.confinement import sandbox

mcp_stub.install()

import anyio  # noqa: E402
from claude_agent_sdk import (  # noqa: E402  the line above makes it load quickly
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ClaudeSDKError,
    ResultMessage,
    TextBlock,
)

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


def options_of(setup: AgentSetup) -> ClaudeAgentOptions:
    return ClaudeAgentOptions(
        cwd=setup.tree,
        add_dirs=list(setup.read_folders),
        tools=TOOLS,
        disallowed_tools=DENIED,
        permission_mode="acceptEdits",
        setting_sources=[],
        skills=[],
        strict_mcp_config=True,
        # A mail that says @/some/file is words, not a request to read that file.
        verbatim_prompts=True,
        system_prompt=setup.system_prompt,
        resume=setup.session_id,
        model=setup.model,
        max_turns=setup.max_turns,
        max_budget_usd=setup.max_dollars,
        output_format={"type": "json_schema", "schema": setup.statement_schema},
        extra_args={"restricted": None, "permission-prompts": "none"},
    )


async def run_turn(setup: AgentSetup, lines: asyncio.Queue[str], interrupt: asyncio.Event) -> AgentReport:
    said = ""
    async with ClaudeSDKClient(options_of(setup)) as client:
        prompt = AgentPrompt.read(await lines.get()).prompt
        await client.query(prompt)
        interrupting = asyncio.create_task(_interrupt_when(lines, interrupt, client))
        try:
            async for message in client.receive_response():
                if isinstance(message, AssistantMessage):
                    said = _text_of(message) or said
                if isinstance(message, ResultMessage):
                    return _report(message, said, interrupt.is_set())
        finally:
            interrupting.cancel()
    return AgentReport(is_error=True)


async def _interrupt_when(lines: asyncio.Queue[str], interrupt: asyncio.Event, client: ClaudeSDKClient) -> None:
    await lines.get()
    interrupt.set()
    await client.interrupt()


def _text_of(message: AssistantMessage) -> str:
    return "\n".join(block.text for block in message.content if isinstance(block, TextBlock)).strip()


def _report(message: ResultMessage, said: str, interrupted: bool) -> AgentReport:
    # A failing model endpoint is reported as subtype "success" with is_error set: only the flag counts.
    return AgentReport(
        summary=message.result or said,
        statement=message.structured_output,
        is_error=message.is_error and not interrupted,
        interrupted=interrupted,
        session_id=message.session_id,
        session_dollars=message.total_cost_usd or 0.0,
    )


def _listen(loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[str]) -> None:
    """A closed pipe means that the worker has ended."""
    for line in sys.stdin:
        loop.call_soon_threadsafe(lines.put_nowait, line)
    os.killpg(0, signal.SIGKILL)


async def _main(setup: AgentSetup) -> None:
    lines: asyncio.Queue[str] = asyncio.Queue()
    interrupt = asyncio.Event()
    threading.Thread(target=_listen, args=(asyncio.get_running_loop(), lines), daemon=True).start()
    try:
        report = await run_turn(setup, lines, interrupt)
    except ClaudeSDKError as error:
        report = AgentReport(is_error=not interrupt.is_set(), interrupted=interrupt.is_set(), summary=str(error))
    sys.stdout.write(report.line())
    sys.stdout.flush()
    os._exit(0)  # skips Python's cleanup: the worker waits for this process to end


async def _import_lazy_modules() -> None:
    """Imports now what the SDK imports on first use. The agent's user may not be able to read those files."""
    anyio.Lock()


def main() -> None:
    asyncio.run(_import_lazy_modules())
    if not (line := sys.stdin.readline()):
        return  # the worker has ended, or does not need this process
    if bounds := sys.argv[1:]:
        sandbox.become(bounds)
    asyncio.run(_main(AgentSetup.read(line)))


if __name__ == "__main__":
    main()
