"""Renders, lints and draws the state machine.

python -m tools.statemachine lint    renders the ASL as Terraform does and runs asl-validator
python -m tools.statemachine draw    writes the diagram into statemachine/README.md
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

from tools.package import ROOT

DEFINITION = ROOT / "statemachine/email_processor.asl.json"
PICTURE = ROOT / "statemachine/README.md"
CONTRACT = ROOT / "layers/webordinary/python/webordinary/contract/contract.json"
LINTER = ROOT / "tools/asl"

HEADING = """# The state machine

Generated from [`email_processor.asl.json`](email_processor.asl.json) by `python -m tools.statemachine draw`. Thick
arrows are normal transitions; dotted arrows are taken when a state has failed after its retries.

"""


def render(functions: dict[str, str] | None = None, timing: dict[str, Any] | None = None) -> dict[str, Any]:
    """The definition with its template values filled in, like Terraform's templatefile."""
    contract = json.loads(CONTRACT.read_text(encoding="utf-8"))
    arn = "arn:aws:lambda:eu-west-1:123456789012:function:"
    values = {
        "functions": functions or {name: f"{arn}{name}" for name in contract["functions"]},
        "timing": timing or contract["timing"],
    }

    def fill(match: re.Match[str]) -> str:
        group, _, name = match.group(1).partition(".")
        return str(values[group][name])

    text = re.sub(r"\$\{([a-z_.]+)\}", fill, DEFINITION.read_text(encoding="utf-8"))
    rendered: dict[str, Any] = json.loads(text)
    return rendered


def lint() -> int:
    if not (LINTER / "node_modules").is_dir():
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=LINTER, check=True)
    with tempfile.NamedTemporaryFile("w", suffix=".asl.json") as file:
        json.dump(render(), file)
        file.flush()
        command = [
            "node",
            str(LINTER / "node_modules/asl-validator/dist/bin/asl-validator.js"),
            "--json-path",
            file.name,
        ]
        return subprocess.run(command, check=False).returncode


def draw() -> str:
    """The state machine as a Mermaid diagram."""
    lines = ["```mermaid", "flowchart TD", *(f"  {line}" for line in _machine(render(), "")), "```", ""]
    return HEADING + "\n".join(lines)


def _machine(machine: dict[str, Any], prefix: str) -> Iterator[str]:
    for name, state in machine["States"].items():
        node = prefix + name
        yield f"{node}{_shape(name, state)}"
        yield from _arrows(state, node, prefix)
        inner = state.get("Branches", []) + ([state["ItemProcessor"]] if "ItemProcessor" in state else [])
        for number, machine_inside in enumerate(inner):
            yield f"subgraph {node}_{number} [{name}: {machine_inside['StartAt']}]"
            yield from (f"  {line}" for line in _machine(machine_inside, f"{node}_{number}_"))
            yield "end"
            yield f"{node} ==> {node}_{number}_{machine_inside['StartAt']}"


def _arrows(state: dict[str, Any], node: str, prefix: str) -> Iterator[str]:
    if "Next" in state:
        yield f"{node} ==> {prefix}{state['Next']}"
    for choice in state.get("Choices", []):
        value = choice.get("StringEquals", choice.get("BooleanEquals"))
        yield f"{node} == {str(value).lower()} ==> {prefix}{choice['Next']}"
    if "Default" in state:
        yield f"{node} -- otherwise --> {prefix}{state['Default']}"
    for catch in state.get("Catch", []):
        label = " or ".join(error.removeprefix("States.") for error in catch["ErrorEquals"])
        yield f"{node} -. {label} .-> {prefix}{catch['Next']}"


def _shape(name: str, state: dict[str, Any]) -> str:
    if state["Type"] == "Choice":
        return "{" + name + "}"
    if state["Type"] in ("Succeed", "Fail"):
        return f"([{name}])"
    return f"[{name}]"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.statemachine", description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["lint", "draw"])
    if parser.parse_args(arguments).action == "lint":
        return lint()
    PICTURE.write_text(draw(), encoding="utf-8")
    print(f"Wrote {PICTURE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
