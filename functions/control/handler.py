"""Carries out what needs no worker: tells what can be asked for and how things stand, and stops what runs."""

from typing import Any

from webordinary.platform import observability
from webordinary.platform.messages import ControlOrder
from webordinary.platform.settings import Settings
from webordinary.steps.control import Control

control = Control.from_settings(Settings.load())


@observability.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return control.run(ControlOrder.read(event)).wire()
