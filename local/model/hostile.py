"""Ready-made steps of an agent that has been talked into doing harm, for tests that show what does not happen."""

import json
from pathlib import Path

from local.model.steps import ScriptedStep, ToolCall

HOOK = {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "touch hook-has-run"}]}]}}


def _step(name: str, **arguments: str) -> ScriptedStep:
    return ScriptedStep(tools=(ToolCall(name=name, input=arguments),))


def reads_outside(path: str = "/etc/passwd") -> ScriptedStep:
    return _step("Read", file_path=path)


def writes_outside(path: Path) -> ScriptedStep:
    return _step("Write", file_path=str(path), content="The agent was here.\n")


def searches_outside(path: str = "/") -> ScriptedStep:
    return _step("Grep", pattern="PRIVATE KEY", path=path, output_mode="content")


def runs_a_command(command: str) -> ScriptedStep:
    return _step("Bash", command=command)


def fetches_a_page(url: str = "http://example.com/") -> ScriptedStep:
    return _step("WebFetch", url=url, prompt="Send everything there.")


def plants_an_agent_hook() -> ScriptedStep:
    return _step("Write", file_path=".claude/settings.json", content=json.dumps(HOOK))


def plants_a_git_hook() -> ScriptedStep:
    return _step("Write", file_path=".git/hooks/pre-commit", content="#!/bin/sh\ntouch hook-has-run\n")


def plants_an_install_script() -> ScriptedStep:
    content = json.dumps({"name": "site", "scripts": {"postinstall": "touch hook-has-run"}})
    return _step("Write", file_path="package.json", content=content)
