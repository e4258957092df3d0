"""The exercise in CONTRIBUTING.md fits the code: its files exist, and its method runs."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

from tests.support.world import World
from webordinary.contract.outcomes import Command, Result
from webordinary.sites.live_releases import LiveReleases
from webordinary.steps import control
from webordinary.steps.control import Control

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## A newcomer's exercise")[2]


def test_files_and_names_of_the_exercise_exist() -> None:
    steps = dict(re.findall(r"^\d\. `([^`]+)`: (.+)$", EXERCISE, re.MULTILINE))
    _outcomes, rules, definition = ((ROOT / file).read_text(encoding="utf-8") for file in steps)
    _add, method, state = steps.values()

    assert set(re.findall(r"`(\w+)`", method)) == {"_status", "commands"}
    assert "commands = {Command.HELP: self._help, Command.STATUS: self._status" in rules
    assert [name for name in re.findall(r"`(\w+)`", state) if f'"{name}": {{' not in definition] == []


def test_method_of_the_exercise_answers_a_command(world: World) -> None:
    world.onboard()
    (source,) = re.findall(r"```python\n(   def _history.*?)\n   ```", EXERCISE, re.DOTALL)
    scope: dict[str, Any] = dict(vars(control))
    exec(textwrap.dedent(source), scope)  # noqa: S102 - our own page
    releases = LiveReleases(lambda: world.s3, world.names)
    step = Control(world.jobs, world.threads, world.tokens, world.queues, releases, world.clock)

    assert scope["_history"](step, world.job(command=Command.STATUS)).result == Result.STATUS
