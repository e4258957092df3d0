"""Starts one execution per stored mail. Fed by the email queue in batches; only what failed comes back."""

from typing import Any

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from webordinary.platform import clients, observability
from webordinary.platform.settings import IntakeSettings
from webordinary.steps.intake import mails_in, start_execution

settings = IntakeSettings.load()
processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)


def start_all(record: SQSRecord) -> None:
    for mail in mails_in(record.body, settings.names):
        start_execution(mail, settings.state_machine_arn, clients.stepfunctions())


@observability.function
def handler(event: dict[str, Any], context: Any) -> Any:
    return process_partial_response(event=event, record_handler=start_all, processor=processor, context=context)
