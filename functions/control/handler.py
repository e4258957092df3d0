"""Carries out the commands that need no worker: help, status and stop."""

from typing import Any

from webordinary.aws import telemetry
from webordinary.contract.messages.job import ControlOrder
from webordinary.contract.settings import Settings
from webordinary.steps.control import Control

control = Control.from_settings(Settings.load())


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return control.run(ControlOrder.read(event)).wire()
