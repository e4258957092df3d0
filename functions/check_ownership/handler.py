"""Tells the state machine who owns a pair, and interrupts what runs there if a newer mail should."""

from typing import Any

from webordinary.platform import observability
from webordinary.platform.messages import OwnershipQuestion
from webordinary.platform.settings import Settings
from webordinary.steps.check_ownership import CheckOwnership

check_ownership = CheckOwnership.from_settings(Settings.load())


@observability.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return check_ownership.run(OwnershipQuestion.read(event)).wire()
