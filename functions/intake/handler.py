"""Starts one execution per stored mail. Reads the email queue in batches; only failed records are retried."""

from typing import Any

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from webordinary.aws import telemetry
from webordinary.contract.settings import IntakeSettings
from webordinary.steps.intake import Intake

intake = Intake.from_settings(IntakeSettings.load())
processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)


def start_executions(record: SQSRecord) -> None:
    intake.run(record.body)


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> Any:
    return process_partial_response(event=event, record_handler=start_executions, processor=processor, context=context)
