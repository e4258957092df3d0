"""Asks for a worker for a pair that nobody owns, at most once per window."""

from typing import Any

from webordinary.platform import observability
from webordinary.platform.messages import ClaimOrder
from webordinary.platform.settings import Settings
from webordinary.steps.claim import Claim

claim = Claim.from_settings(Settings.load())


@observability.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return claim.run(ClaimOrder.read(event)).wire()
