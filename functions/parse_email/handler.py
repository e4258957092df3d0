"""Reads a stored mail: who wrote it, in which thread, what is asked. Decides whether it becomes a job."""

from typing import Any

from webordinary.platform import observability
from webordinary.platform.messages import RawMail
from webordinary.platform.settings import ParseEmailSettings
from webordinary.steps.parse_email import ParseEmail

parse_email = ParseEmail.from_settings(ParseEmailSettings.load())


@observability.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return parse_email.run(RawMail.read(event)).wire()
