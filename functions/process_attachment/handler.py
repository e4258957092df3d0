"""Makes one attachment of a mail ready for agent and site, or says why it cannot be used."""

from typing import Any

from webordinary.platform import observability
from webordinary.platform.messages import AttachmentPart
from webordinary.platform.settings import Settings
from webordinary.steps.process_attachment import ProcessAttachment

process_attachment = ProcessAttachment.from_settings(Settings.load())


@observability.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return process_attachment.run(AttachmentPart.read(event)).wire()
