"""Logs and metrics are off: the model makes thousands of calls."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from webordinary.aws import telemetry


@pytest.fixture(autouse=True)
def no_logs_or_metrics(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    discarded = SimpleNamespace(add_metric=lambda **_: None, metric_set={})
    monkeypatch.setattr(telemetry, "metrics", lambda: discarded)
    level = telemetry.logger().log_level
    telemetry.logger().setLevel("CRITICAL")
    yield
    telemetry.logger().setLevel(level)


@pytest.fixture(autouse=True)
def single_core() -> Iterator[None]:
    """Only one actor runs at a time, and switching to a thread on another core takes three times as long."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    yield
    os.sched_setaffinity(0, allowed)
