"""Prepares one attachment for agent and site, or returns the reason why it is refused."""

from typing import Any

from webordinary.aws import telemetry
from webordinary.contract.messages.mail import AttachmentPart
from webordinary.contract.settings import Settings
from webordinary.steps.process_attachment import ProcessAttachment

process_attachment = ProcessAttachment.from_settings(Settings.load())


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return process_attachment.run(AttachmentPart.read(event)).wire()
