"""The tests of all tables, and of the steps that use them, on dynalite."""

from __future__ import annotations

from tests.peers.conftest import DynaliteRun

LEAST_TESTS, LEAST_REQUESTS = 600, 15_000


def test_tables_work_on_dynalite(dynalite_run: DynaliteRun) -> None:
    assert dynalite_run.status == 0, dynalite_run.output[-6000:]
    assert dynalite_run.count(r"(\d+) passed") >= LEAST_TESTS
    assert dynalite_run.count(r"requests to dynalite: (\d+)") >= LEAST_REQUESTS
