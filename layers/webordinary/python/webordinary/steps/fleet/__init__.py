"""The fleet function: its launches, and the checks of every taken slot."""

from webordinary.steps.fleet.findings import FleetResult
from webordinary.steps.fleet.fleet import Fleet, tasks_to_read
from webordinary.steps.fleet.launcher import PARALLEL_LAUNCHES

__all__ = ["PARALLEL_LAUNCHES", "Fleet", "FleetResult", "tasks_to_read"]
