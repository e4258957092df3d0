"""Scales the fleet to demand: on a schedule, after a worker request, and when a worker ends."""

from typing import Any

from webordinary.aws import telemetry
from webordinary.contract.settings import FleetSettings
from webordinary.steps.fleet import Fleet

fleet = Fleet.from_settings(FleetSettings.load())


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return fleet.run().wire()
