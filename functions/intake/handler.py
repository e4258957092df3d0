"""Starts one execution per stored mail. Reads the email queue in batches; only failed records are retried."""

from typing import Any

from webordinary.aws import telemetry
from webordinary.aws.sqs_batches import SqsMessage, handle_each
from webordinary.contract.settings import IntakeSettings
from webordinary.steps.intake import Intake

intake = Intake.from_settings(IntakeSettings.load())


def start_executions(message: SqsMessage) -> None:
    intake.run(message.body)


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> Any:
    return handle_each(event, start_executions)
