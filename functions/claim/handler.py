"""Requests a worker for a pair without an owner, at most once per window."""

from typing import Any

from webordinary.aws import telemetry
from webordinary.contract.messages.ownership import ClaimOrder
from webordinary.contract.settings import Settings
from webordinary.steps.claim import Claim

claim = Claim.from_settings(Settings.load())


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return claim.run(ClaimOrder.read(event)).wire()
