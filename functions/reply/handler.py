"""Sends the one answer to a mail, in its thread."""

from typing import Any

from webordinary.platform import observability
from webordinary.platform.messages import ReplyOrder
from webordinary.platform.settings import ReplySettings
from webordinary.steps.reply import Reply

reply = Reply.from_settings(ReplySettings.load())


@observability.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return reply.run(ReplyOrder.read(event)).wire()
