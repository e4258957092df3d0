"""Scales the fleet to demand: on a schedule, after a worker request, and when a worker ends."""

from typing import Any

from webordinary.aws import telemetry
from webordinary.contract.settings import FleetSettings
from webordinary.steps.fleet import Fleet, tasks_to_read

fleet = Fleet.from_settings(FleetSettings.load())

# The fleet starts no more workers this long before the function's timeout, so that it can report.
RESERVE_MILLISECONDS = 15_000


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    def has_time() -> bool:
        return bool(context.get_remaining_time_in_millis() > RESERVE_MILLISECONDS)

    return fleet.run(has_time, tasks_to_read(event)).wire()
