"""Tells the state machine who owns a pair, and interrupts what runs there if a newer mail should."""

from typing import Any

from webordinary.platform import observability
from webordinary.platform.messages import OwnershipQuestion
from webordinary.platform.settings import Settings
from webordinary.steps.check_ownership import CheckOwnership

settings = Settings.load()


@observability.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return CheckOwnership.from_settings(settings).run(OwnershipQuestion.read(event)).wire()
