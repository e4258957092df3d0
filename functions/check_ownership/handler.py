"""Tells the state machine who owns a pair, and interrupts what runs there if a newer mail should."""

from typing import Any

from webordinary import assembly, observability
from webordinary.messages import OwnershipQuestion
from webordinary.settings import Settings

settings = Settings.load()


@observability.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    question = OwnershipQuestion.read(event)
    return assembly.router(settings).answer_ownership(question.job).wire()
