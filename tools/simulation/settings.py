"""The settings that are simulated: the contract's times, an environment's Terraform variables, and the scenarios."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.package import ROOT
from webordinary.contract.settings import SparePolicy, Timing
from webordinary.protocol.policies import FleetSize

SCENARIOS = Path(__file__).with_name("scenarios.toml")
VARIABLES = ("max_workers", "spare_workers", "spare_policy", "on_demand_workers", "spot_weight")
UNLIMITED = 1_000_000


@dataclass(frozen=True)
class Scenario:
    name: str
    title: str
    timing: Timing
    size: FleetSize
    most_pairs: int = UNLIMITED


@dataclass(frozen=True)
class Comparison:
    environment: str
    pairs: tuple[int, ...]
    seeds: tuple[int, ...]
    mails: int
    most_mails: int
    scenarios: tuple[Scenario, ...]
    deployed: Scenario  # the environment as it is, with its maximum
    deployed_pairs: tuple[int, ...]

    @classmethod
    def load(cls, file: Path = SCENARIOS) -> Comparison:
        given = tomllib.loads(file.read_text(encoding="utf-8"))
        environment = given["environment"]
        shipped = variables_of(environment)
        return cls(
            environment,
            tuple(given["pairs"]),
            tuple(given["seeds"]),
            given["mails"],
            given["most_mails"],
            tuple(
                _scenario(name, one, {**shipped, "max_workers": UNLIMITED}) for name, one in given["scenario"].items()
            ),
            _scenario("deployed", {"title": f"{environment}.tfvars as it is"}, shipped),
            tuple(given["deployed_pairs"]),
        )


def variables_of(environment: str) -> dict[str, Any]:
    """The fleet's variables of an environment: Terraform's defaults, and what its .tfvars file sets."""
    found: dict[str, Any] = {}
    defaults = (ROOT / "terraform/variables_workers.tf").read_text(encoding="utf-8")
    chosen = (ROOT / f"terraform/environments/{environment}.tfvars").read_text(encoding="utf-8")
    for name in VARIABLES:
        block = re.search(rf'^variable "{name}" {{\n(.*?)^}}', defaults, re.MULTILINE | re.DOTALL)
        default = re.search(r"^  default\s+= (.+?)(?: #.*)?$", block[1], re.MULTILINE) if block else None
        setting = re.search(rf"^{name}\s+= (.+?)(?:\s+#.*)?$", chosen, re.MULTILINE) or default
        if setting is None:
            raise ValueError(f"{name} has no default and is not set in {environment}.tfvars.")
        found[name] = json.loads(setting[1])
    return found


def _scenario(name: str, given: dict[str, Any], shipped: dict[str, Any]) -> Scenario:
    fleet = {**shipped, **given.get("fleet", {})}
    size = FleetSize(
        maximum=fleet["max_workers"],
        spare=fleet["spare_workers"],
        policy=SparePolicy(fleet["spare_policy"]),
        on_demand=fleet["on_demand_workers"],
        spot_weight=fleet["spot_weight"],
    )
    timing = Timing.model_validate(given.get("timing", {}))
    return Scenario(name, given["title"], timing, size, given.get("most_pairs", UNLIMITED))
