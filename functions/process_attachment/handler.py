"""Makes one attachment of a mail ready for agent and site, or says why it cannot be used."""

from typing import Any

from webordinary import assembly
from webordinary.platform import observability
from webordinary.platform.messages import AttachmentPart
from webordinary.platform.settings import Settings

settings = Settings.load()


@observability.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return assembly.attachments(settings).process(AttachmentPart.read(event)).wire()
