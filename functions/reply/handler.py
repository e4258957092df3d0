"""Sends the one answer to a mail, in its thread."""

from typing import Any

from webordinary import assembly
from webordinary.platform import observability
from webordinary.platform.messages import ReplyOrder
from webordinary.platform.settings import ReplySettings

settings = ReplySettings.load()


@observability.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return assembly.replies(settings).send(ReplyOrder.read(event)).wire()
