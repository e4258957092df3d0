"""How fast claims are, beside raw conditional puts on the same emulator in the same run.

python -m tests.bench.bench_ownership
"""

from __future__ import annotations

import importlib.util
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from local.emulator.process import EmulatorProcess
from tests.model.tables import create_tables
from webordinary.messages import Pair
from webordinary.names import Names
from webordinary.ownership import OwnershipTable
from webordinary.records import to_values
from webordinary.settings import Timing

NAMES = Names("bench", "123456789012")
ROUNDS, PER_ROUND = 10, 60
GOAL = 0.8


def run() -> list[tuple[str, float, str]]:
    """Rows of (what, value, unit)."""
    runtime = importlib.util.find_spec("awslambdaric")
    if runtime is None or runtime.origin is None:
        raise RuntimeError("awslambdaric is not installed, so the emulator cannot start. Run make setup.")
    with (
        tempfile.TemporaryDirectory() as state,
        EmulatorProcess(state=Path(state), runtime=Path(runtime.origin).parents[1]) as emulator,
    ):
        return _measure(emulator.client("dynamodb"))


def _measure(client: Any) -> list[tuple[str, float, str]]:
    create_tables(client, NAMES)
    table = OwnershipTable(client, NAMES, Timing.model_validate({}))
    calls: list[str] = []
    client.meta.events.register("before-call.dynamodb", lambda model, **_: calls.append(model.name))

    def put(number: int) -> None:
        client.put_item(
            TableName=NAMES.table("claim_requests"),
            Item=to_values({"projectKey": f"site-{number}#ada", "fence": 1}),
            ConditionExpression="attribute_not_exists(projectKey)",
        )

    def claim(number: int) -> None:
        table.claim(Pair(project=f"site-{number}", user="ada"), "worker-a")

    put(0)
    calls.clear()
    claim(0)
    calls_of_a_claim = list(calls)
    # Turn by turn, so that a busy moment of the machine slows both alike.
    rates = [(_rate(put, turn), _rate(claim, turn)) for turn in range(ROUNDS)]
    puts, claims = (statistics.median(column) for column in zip(*rates, strict=True))
    return [
        ("claims", claims, "1/s"),
        ("raw conditional puts", puts, "1/s"),
        (f"claims beside raw puts (goal {GOAL})", statistics.median(c / p for p, c in rates), "×"),
        ("writes of an uncontended claim (goal 1)", calls_of_a_claim.count("UpdateItem"), "writes"),
        (
            "other calls of an uncontended claim (goal 0)",
            len(calls_of_a_claim) - calls_of_a_claim.count("UpdateItem"),
            "calls",
        ),
    ]


def _rate(operation: Callable[[int], None], turn: int) -> float:
    first = 1 + turn * PER_ROUND
    started = time.perf_counter()
    for number in range(first, first + PER_ROUND):
        operation(number)
    return PER_ROUND / (time.perf_counter() - started)


if __name__ == "__main__":
    for what, value, unit in run():
        print(f"{what}: {value:.2f} {unit}")
