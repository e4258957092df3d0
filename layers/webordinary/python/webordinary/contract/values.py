"""Reads `contract.json`: names, patterns, times and limits that Terraform reads too."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def contract() -> dict[str, Any]:
    text = (Path(__file__).parent / "contract.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def pattern(kind: str) -> str:
    return str(contract()["patterns"][kind])


def reserved(kind: str) -> frozenset[str]:
    """Ids that match their pattern but must not be used."""
    return frozenset(contract()["reserved"][kind])


def limit(kind: str) -> int:
    return int(contract()["limits"][kind])
