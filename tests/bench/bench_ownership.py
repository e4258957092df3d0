"""Speed of claims, against raw writes of the same record with the same condition, on the same emulator.

    python -m tests.bench.bench_ownership

A claim is an update, because only the table knows the next fence. Unlike AWS, moto is several times slower for an
update than for a put. The ratio to raw updates shows the overhead of the protocol.
"""

from __future__ import annotations

import importlib.util
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from local.emulator.process import EmulatorProcess
from tests.support.world import make_tables
from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary.contract.settings import Timing
from webordinary.tables.items import milliseconds, to_values
from webordinary.tables.ownership import CLAIMABLE, OwnershipTable

CLAIMED, PUT, UPDATED = Names("claimed", "123456789012"), Names("put", "123456789012"), Names("updated", "123456789012")
TIMING = Timing.model_validate({})
ROUNDS, PAIRS = 10, 40
GOAL = 0.8


def run() -> list[tuple[str, float, str]]:
    """Rows of (name, value, explanation)."""
    runtime = importlib.util.find_spec("awslambdaric")
    if runtime is None or runtime.origin is None:
        raise RuntimeError("awslambdaric is not installed, so the emulator cannot start. Run make setup.")
    with (
        tempfile.TemporaryDirectory() as state,
        EmulatorProcess(state=Path(state), runtime=Path(runtime.origin).parents[1]) as emulator,
    ):
        return _measure(emulator.client("dynamodb"))


class _Writer:
    """Claims every pair once per round, in three ways. Virtual time passes between rounds, so that leases expire."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._now = datetime(2030, 1, 1, tzinfo=UTC)
        self._table = OwnershipTable(client, CLAIMED, TIMING, lambda: self._now)
        self._worker = ""

    def begin_round(self, number: int) -> None:
        self._worker = f"worker-{number}"
        self._now += timedelta(seconds=TIMING.lease_seconds + TIMING.clock_margin_seconds + 1)

    def claim(self, pair: Pair) -> None:
        self._table.claim(pair, self._worker)

    def put(self, pair: Pair) -> None:
        self._client.put_item(
            TableName=PUT.table("ownership"),
            Item=to_values({"projectKey": pair.key, "fence": 1, **self._record()}),
            **self._condition(),
        )

    def update(self, pair: Pair) -> None:
        record = {f":{name}": value for name, value in self._record().items()}
        condition = self._condition()
        condition["ExpressionAttributeValues"] |= to_values({**record, ":one": 1})
        names = [name for name in self._record() if name not in ("status", "ttl")]
        self._client.update_item(
            TableName=UPDATED.table("ownership"),
            Key=to_values({"projectKey": pair.key}),
            UpdateExpression="SET "
            + ", ".join([*(f"{name} = :{name}" for name in names), "#status = :status", "#ttl = :ttl"])
            + " ADD fence :one",
            ExpressionAttributeNames={"#status": "status", "#ttl": "ttl"},
            ReturnValues="ALL_NEW",
            **condition,
        )

    def _record(self) -> dict[str, Any]:
        now = milliseconds(self._now)
        return {
            "containerId": self._worker,
            "endpoint": None,
            "status": "active",
            "claimedAt": now,
            "lastActivity": now,
            "leaseExpiresAt": now + int(TIMING.lease_seconds * 1000),
            "ttl": now // 1000,
        }

    def _condition(self) -> dict[str, Any]:
        now = milliseconds(self._now)
        values = {
            ":me": self._worker,
            ":now_minus_margin": now - int(TIMING.clock_margin_seconds * 1000),
            ":longest": now + int(TIMING.lease_seconds * 10_000),
            ":lease_end": now + int(TIMING.lease_seconds * 1000),
        }
        return {"ConditionExpression": CLAIMABLE, "ExpressionAttributeValues": to_values(values)}


def _measure(client: Any) -> list[tuple[str, float, str]]:
    for names in (CLAIMED, PUT, UPDATED):
        make_tables(client, names)
    writer = _Writer(client)
    calls: list[str] = []
    client.meta.events.register("before-call.dynamodb", lambda model, **_: calls.append(model.name))
    writer.begin_round(0)
    writer.claim(Pair(project="counted", user="ada"))
    calls_of_a_claim = list(calls)
    writes = calls_of_a_claim.count("UpdateItem")
    rates = []
    for number in range(ROUNDS):
        writer.begin_round(number)
        # Alternating, so that other load affects all alike.
        rates.append([_rate(way) for way in (writer.claim, writer.put, writer.update)])
    claims, puts, updates = (statistics.median(column) for column in zip(*rates, strict=True))
    others = len(calls_of_a_claim) - writes
    return [
        (
            "claims over raw conditional puts",
            _ratio(rates, 1),
            f"goal {GOAL}; {claims:.0f} and {puts:.0f} a second, on an emulator that is slow at updates",
        ),
        (
            "claims over raw conditional updates",
            _ratio(rates, 2),
            f"goal {GOAL}; {claims:.0f} and {updates:.0f} a second",
        ),
        ("writes of an uncontended claim", writes, f"goal 1; and {others} other calls"),
    ]


def _ratio(rates: list[list[float]], column: int) -> float:
    return statistics.median(row[0] / row[column] for row in rates)


def _rate(write: Callable[[Pair], None]) -> float:
    started = time.perf_counter()
    for number in range(PAIRS):
        write(Pair(project=f"site-{number}", user="ada"))
    return PAIRS / (time.perf_counter() - started)


if __name__ == "__main__":
    for what, value, meaning in run():
        print(f"{value:7.2f}  {what}: {meaning}")
