"""Contract, function, step, unit test, sample event and state or trigger share one name."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from webordinary.contract.values import contract

ROOT = Path(__file__).resolve().parents[2]
STEPS = ROOT / "layers/webordinary/python/webordinary/steps"
DEFINITION = (ROOT / "statemachine/email_processor.asl.json").read_text()
FUNCTIONS = sorted(contract()["functions"])

EVENTS = (ROOT / "terraform/modules/functions/events.tf").read_text()
# Functions that no state invokes, with their trigger in Terraform.
TRIGGERS = {
    "broker": r'resource "aws_lambda_function_url" "broker"',
    "intake": r"queue_readers = \{[^}]*\bintake\b",
    "fleet": r'resource "aws_cloudwatch_event_target" "fleet"',
    "relay_callback": r"queue_readers = \{[^}]*\brelay_callback\b",
    "sweep": r'resource "aws_cloudwatch_event_target" "sweep"',
}


def class_name(name: str) -> str:
    return "".join(part.title() for part in name.split("_"))


def test_folders_and_modules_match_the_contract() -> None:
    assert sorted(path.parent.name for path in ROOT.glob("functions/*/handler.py")) == FUNCTIONS
    assert sorted(path.stem for path in STEPS.iterdir() if not path.name.startswith("__")) == FUNCTIONS
    tests = {path.stem.removeprefix("test_") for path in (ROOT / "tests/unit/steps").glob("test_*.py")}
    assert tests >= set(FUNCTIONS)
    assert all(test.startswith(tuple(FUNCTIONS)) for test in tests)  # a step may have further test files


@pytest.mark.parametrize("name", FUNCTIONS)
def test_step_class_has_its_function_name_and_from_settings(name: str) -> None:
    module = STEPS / name / f"{name}.py" if (STEPS / name).is_dir() else STEPS / f"{name}.py"
    tree = ast.parse(module.read_text())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}

    methods = {node.name for node in classes[class_name(name)].body if isinstance(node, ast.FunctionDef)}

    assert {"from_settings", "run"} <= methods


@pytest.mark.parametrize("name", FUNCTIONS)
def test_handler_runs_only_the_step_of_its_name(name: str) -> None:
    handler = (ROOT / f"functions/{name}/handler.py").read_text()

    assert re.findall(r"from webordinary\.steps\.(\w+) import (\w+)", handler) == [(name, class_name(name))]
    assert f"\n{name} = {class_name(name)}.from_settings(" in handler  # at import time: see aws/clients
    assert f"{name}.run(" in handler


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_has_a_sample_event(name: str) -> None:
    assert isinstance(json.loads((ROOT / f"functions/{name}/event.json").read_text()), dict)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - set(TRIGGERS)))
def test_state_invokes_the_function_of_its_name(name: str) -> None:
    states = dict(all_states(json.loads(re.sub(r"\$\{timing\.\w+\}", "1", DEFINITION))))

    assert states[class_name(name)]["Parameters"]["FunctionName"] == f"${{functions.{name}}}"


@pytest.mark.parametrize("name", sorted(TRIGGERS))
def test_function_without_a_state_has_a_trigger(name: str) -> None:
    assert f"${{functions.{name}}}" not in DEFINITION
    assert re.search(TRIGGERS[name], EVENTS)


def all_states(part: Any) -> list[tuple[str, dict[str, Any]]]:
    """Every state with its name, including those in branches and maps."""
    if isinstance(part, list):
        return [found for each in part for found in all_states(each)]
    if not isinstance(part, dict):
        return []
    own = list(part.get("States", {}).items())
    return own + [found for value in part.values() for found in all_states(value)]
