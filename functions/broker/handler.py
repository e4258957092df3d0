"""Assigns pairs to workers through a function URL. Lambda identifies the caller, never the request."""

from typing import Any

from webordinary.aws import telemetry
from webordinary.aws.function_url_caller import ForeignCallerError, FunctionUrlCall, json_response
from webordinary.contract.errors import InvalidMessageError
from webordinary.contract.messages.broker import BrokerRequest
from webordinary.contract.settings import BrokerSettings
from webordinary.steps.broker import Broker

settings = BrokerSettings.load()
broker = Broker.from_settings(settings)


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    try:
        call = FunctionUrlCall.read(event)
        task_id = call.session_of(settings.worker_role_arn)
        request = BrokerRequest.read(call.content)
    except (ForeignCallerError, InvalidMessageError) as error:
        telemetry.logger().error(str(error))
        telemetry.count("Broker.strangers")
        return json_response(403 if isinstance(error, ForeignCallerError) else 400)
    return json_response(200, broker.run(request, task_id, context.aws_request_id))
