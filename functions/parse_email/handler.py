"""Parses a stored mail: sender, thread and request. Decides whether it becomes a job."""

from typing import Any

from webordinary.aws import telemetry
from webordinary.contract.messages.mail import RawMail
from webordinary.contract.settings import ParseEmailSettings
from webordinary.steps.parse_email import ParseEmail

parse_email = ParseEmail.from_settings(ParseEmailSettings.load())


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return parse_email.run(RawMail.read(event)).wire()
