"""Tells the state machine who owns a pair, and interrupts what runs there if a newer mail should."""

from typing import Any

from webordinary import assembly
from webordinary.platform import observability
from webordinary.platform.messages import OwnershipQuestion
from webordinary.platform.settings import Settings

settings = Settings.load()


@observability.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    question = OwnershipQuestion.read(event)
    return assembly.router(settings).answer_ownership(question.job).wire()
