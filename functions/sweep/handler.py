"""Checks every open job once a minute and recovers from lost messages and dead workers."""

from typing import Any

from webordinary.aws import telemetry
from webordinary.contract.settings import SweepSettings
from webordinary.steps.sweep import Sweep

sweep = Sweep.from_settings(SweepSettings.load())

# The sweep stops this long before the function's timeout, so that it can report.
RESERVE_MILLISECONDS = 5_000


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    def has_time() -> bool:
        return bool(context.get_remaining_time_in_millis() > RESERVE_MILLISECONDS)

    return sweep.run(has_time).wire()
