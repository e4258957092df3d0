"""Relays worker reports from the output queue to Step Functions, in order for each pair.

Messages in a group of the queue are a pair's reports only if the sender that SQS recorded owns the pair.
"""

from typing import Any

from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from webordinary.aws import telemetry
from webordinary.contract.settings import ReportSettings
from webordinary.steps.relay_callback import RelayCallback

relay_callback = RelayCallback.from_settings(ReportSettings.load())
# A failed report blocks later ones of the same pair only.
processor = SqsFifoPartialProcessor(skip_group_on_error=True)


def relay_report(record: SQSRecord) -> None:
    relay_callback.run(record.body, record.attributes.message_group_id or "", record.attributes.sender_id)


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> Any:
    return process_partial_response(event=event, record_handler=relay_report, processor=processor, context=context)
