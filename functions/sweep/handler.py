"""Looks at every open job, once a minute, and mends what a lost message or a dead worker left behind."""

from typing import Any

from webordinary.aws import telemetry
from webordinary.contract.settings import ReportSettings
from webordinary.steps.sweep import Sweep

sweep = Sweep.from_settings(ReportSettings.load())

# Left of the function's time when the sweep stops by itself, so that it can say what it did.
RESERVE_MILLISECONDS = 5_000


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    def has_time() -> bool:
        return bool(context.get_remaining_time_in_millis() > RESERVE_MILLISECONDS)

    return sweep.run(has_time).wire()
