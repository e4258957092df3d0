"""Invokes the fleet function when a pair waits for a worker."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.telemetry import count, logger
from webordinary.contract.names import Names

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient


REQUEST = {"source": "request"}  # the event of an invocation for a waiting pair


class FleetTrigger:
    def __init__(self, client: LambdaClient, names: Names) -> None:
        self._client = client
        self._function = names.live_function("fleet")

    def invoke(self) -> None:
        """Invokes the function asynchronously. If this fails, the scheduled run within a minute does the work."""
        try:
            self._client.invoke(FunctionName=self._function, InvocationType="Event", Payload=json.dumps(REQUEST))
        except (BotoCoreError, ClientError) as error:
            logger().error(
                "Could not invoke the fleet function; its next scheduled run follows within a minute.",
                extra={"cause": str(error)},
            )
            count("Fleet.calls_failed")
