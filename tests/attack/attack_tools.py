"""Attacks by tool calls of the model: real Claude Code with a scripted model.

All calls of the table are made in one conversation, because starting Claude Code takes seconds.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from local.model.server import serving
from local.model.steps import ScriptedStep, ToolCall, statement_call
from tests.attack.arena import SECRET, Arena
from tests.attack.cases import AttackSucceededError, attack, load
from tests.support.model_client import StandInClient
from tests.support.model_proxies import agent_of
from webordinary_worker.agent.home import AgentHome
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.confinement.safe_copy import copy_for_user
from webordinary_worker.settings import WorkerSettings

WORDS = "Please look around."
PROTECTED = {
    "package.json": "{}",
    ".npmrc": "",
    "CLAUDE.md": "",
    ".github/workflows/x.yml": "",
    "node_modules/a.js": "",
}


@attack
def calls_tool(arena: Arena, tool: str, arguments: dict[str, Any]) -> None:
    """A tool call that must not read the worker's secret or change protected files."""
    results, changed = _conversation(arena)
    call = {name: arena.fill_in(value) if isinstance(value, str) else value for name, value in arguments.items()}
    answer = results.get(f"{tool} {sorted(call.items())}")
    if answer is None:
        raise RuntimeError("the call was not made")
    if SECRET in answer or "root:" in answer:
        raise AttackSucceededError("it read a file outside the tree")
    target = Path(str(call.get("file_path", "")))
    if str(target) in changed or (target.is_absolute() and target.exists() and "written-by-the-agent" in _text(target)):
        raise AttackSucceededError(f"it wrote {target}")
    arena.expect_unchanged()


@cache
def _conversation(arena: Arena) -> tuple[dict[str, str], set[str]]:
    """The results of all calls, and the protected files that were changed."""
    folder = Path(tempfile.mkdtemp(prefix="tools-", dir=arena.folder))
    folder.chmod(0o711)
    source = folder / "source"
    for name, content in {"page.txt": "hello", **PROTECTED}.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(content)
    home = AgentHome(folder / "agent", arena.agent.uid)
    home.make()
    copy_for_user(source, home.tree, home.owner)
    calls = [
        ToolCall(
            name=case.given["tool"],
            input={
                name: arena.fill_in(value) if isinstance(value, str) else value
                for name, value in case.given["arguments"].items()
            },
        )
        for case in load()
        if case.how == calls_tool.__name__
    ]
    with serving() as server:
        model = StandInClient(server.url)
        model.script(
            *(ScriptedStep(tools=(call,)) for call in calls), ScriptedStep(tools=(statement_call(),)), when=WORDS
        )
        settings = WorkerSettings(
            account="123456789012",
            container_id="attack",
            slot="slot-0001",
            launch_id="launch1",
            workspace=folder,
            cache=folder,
            node_folder=Path("/usr/bin"),
            agent_max_turns=len(calls) + 5,
            model_environment={"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "any"},
        )
        result = agent_of(settings, Confinement(arena.agent.worker, arena.agent.uid)).run(
            WORDS,
            tree=home.tree,
            home=home,
            session_id=None,
            spent=0.0,
            job_dollars=0.0,
            cancellation=CancellationToken(),
        )
        messages = model.requests(when=WORDS)[-1].body["messages"]
    if result.is_error:
        raise RuntimeError(f"the agent failed: {result.summary}")
    changed = {name for name, content in PROTECTED.items() if _text(home.tree / name) != content}
    return _answers(messages), changed


def _answers(messages: list[dict[str, Any]]) -> dict[str, str]:
    blocks = [block for message in messages if isinstance(message["content"], list) for block in message["content"]]
    asked = {
        block["id"]: f"{block['name']} {sorted(block['input'].items())}"
        for block in blocks
        if block["type"] == "tool_use"
    }
    return {asked[block["tool_use_id"]]: str(block["content"]) for block in blocks if block["type"] == "tool_result"}


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.is_file() else ""
