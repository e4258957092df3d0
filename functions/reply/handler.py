"""Sends the reply to a mail, in its thread."""

from typing import Any

from webordinary.aws import telemetry
from webordinary.contract.messages.reply import ReplyOrder
from webordinary.contract.settings import ReplySettings
from webordinary.steps.reply import Reply

reply = Reply.from_settings(ReplySettings.load())


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return reply.run(ReplyOrder.read(event)).wire()
