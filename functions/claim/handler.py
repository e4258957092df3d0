"""Asks for a worker for a pair that nobody owns, at most once per window."""

from typing import Any

from webordinary.platform import observability
from webordinary.platform.messages import ClaimOrder
from webordinary.platform.settings import Settings
from webordinary.steps.claim import Claim

settings = Settings.load()


@observability.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return Claim.from_settings(settings).run(ClaimOrder.read(event)).wire()
