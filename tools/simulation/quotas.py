"""How much of each AWS quota a simulated run used at its peak."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from tools.cost_model import TRANSITIONS, CostModel
from tools.simulation.measures import Measures, peak
from webordinary.contract.settings import Timing
from webordinary.protocol.policies import FleetSize

FILE = Path(__file__).with_name("quotas.toml")


@dataclass(frozen=True)
class AccountQuota:
    key: str
    name: str
    limit: float
    adjustable: bool
    source: str
    new_account: float | None = None


def quotas() -> tuple[AccountQuota, ...]:
    return tuple(AccountQuota(key, **given) for key, given in tomllib.loads(FILE.read_text(encoding="utf-8")).items())


def usage(measures: Measures, model: CostModel, timing: Timing, size: FleetSize) -> dict[str, float]:
    """The peak use of each quota. Rates count within one second."""
    on_demand = spot = 0
    for _ in range(measures.peak_workers):
        is_spot = size.capacity_of_next(on_demand=on_demand, spot=spot).value != "FARGATE"
        on_demand, spot = on_demand + (not is_spot), spot + is_spot
    mails = peak(measures.mails_per_second)
    busiest = max((sample.working for sample in measures.samples), default=0)
    return {
        "fargate_on_demand": on_demand * model.settings.vcpus,
        "fargate_spot": spot * model.settings.vcpus,
        "task_starts": peak(measures.launches_per_second),
        "sends": mails,
        "sends_a_day": peak(measures.mails_per_day),
        "executions": mails,
        "open_executions": measures.peak_open,
        "transitions": mails * TRANSITIONS,
        "sessions": peak(measures.claims_per_second),
        "reports": busiest / timing.beat_seconds + mails,
    }
