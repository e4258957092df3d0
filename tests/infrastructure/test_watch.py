"""Metrics of dashboard and alarms are emitted, and their number does not grow with projects."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.support.applied import AppliedStack
from webordinary.contract.messages.ownership import RequestVerdict
from webordinary.steps.sweep.sweep import SweepResult

ROOT = Path(__file__).resolve().parents[2]
CODE = [ROOT / "layers/webordinary/python/webordinary", ROOT / "container/webordinary_worker", ROOT / "functions"]
NAMESPACE = "webordinary"
LITERAL = re.compile(r'\b(?:count|measure)\(\s*"([\w.]+)"')
OF_CLAIMS = re.compile(r'\b_count\("(\w+)"\)')


def counted() -> set[str]:
    texts = [file.read_text(encoding="utf-8") for folder in CODE for file in folder.rglob("*.py")]
    claims = {f"Claims.{name}" for text in texts for name in OF_CLAIMS.findall(text)}
    verdicts = {f"Claims.{verdict.value}" for verdict in RequestVerdict}
    sweeps = {f"Sweep.{name}" for name in SweepResult.model_fields}
    return {name for text in texts for name in LITERAL.findall(text)} | claims | verdicts | sweeps


def widgets(applied: AppliedStack) -> list[dict[str, Any]]:
    found = applied.client("cloudwatch").get_dashboard(DashboardName="webordinary")
    return list(json.loads(found["DashboardBody"])["widgets"])


def test_every_custom_metric_of_the_dashboard_is_emitted(applied: AppliedStack) -> None:
    metrics = [metric for widget in widgets(applied) for metric in widget["properties"]["metrics"]]
    named = {metric[1] for metric in metrics if metric[0] == NAMESPACE}
    searched = {name for metric in metrics for name in re.findall(r'MetricName="([\w.]+)"', json.dumps(metric[0]))}

    assert named >= {"Claims.won", "Claims.lost", "Claims.seconds_waited", "Fleet.workers", "Fleet.busy"}
    assert named | searched <= counted()


def test_every_custom_metric_of_an_alarm_is_emitted(applied: AppliedStack) -> None:
    alarms = applied.client("cloudwatch").describe_alarms()["MetricAlarms"]
    ours = {alarm["MetricName"] for alarm in alarms if alarm.get("Namespace") == NAMESPACE}

    assert ours
    assert ours <= counted()


def test_dashboard_has_no_metrics_per_project(applied: AppliedStack) -> None:
    """The example projects exist: a metric of theirs would be one per project."""
    text = json.dumps(widgets(applied))

    assert "bakery" not in text
    assert sum(len(widget["properties"]["metrics"]) for widget in widgets(applied)) < 100
