"""Relays worker reports from the output queue to Step Functions, in order for each pair.

Messages in a group of the queue are a pair's reports only if the sender that SQS recorded owns the pair.
"""

from typing import Any

from webordinary.aws import telemetry
from webordinary.aws.sqs_batches import SqsMessage, handle_each
from webordinary.contract.settings import ReportSettings
from webordinary.steps.relay_callback import RelayCallback

relay_callback = RelayCallback.from_settings(ReportSettings.load())


def relay_report(message: SqsMessage) -> None:
    relay_callback.run(message.body, message.group, message.sender_id)


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> Any:
    # A failed report blocks later ones of the same pair only.
    return handle_each(event, relay_report)
