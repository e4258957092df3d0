"""Returns the owner of a job's pair to the state machine."""

from typing import Any

from webordinary.aws import telemetry
from webordinary.contract.messages.job import OwnershipQuestion
from webordinary.contract.settings import Settings
from webordinary.steps.check_ownership import CheckOwnership

check_ownership = CheckOwnership.from_settings(Settings.load())


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return check_ownership.run(OwnershipQuestion.read(event)).wire()
