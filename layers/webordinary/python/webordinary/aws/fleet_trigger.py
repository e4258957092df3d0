"""Calls the fleet function: somebody waits for a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.telemetry import count, logger
from webordinary.contract.names import Names

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient


class FleetTrigger:
    def __init__(self, client: LambdaClient, names: Names) -> None:
        self._client = client
        self._function = names.live_function("fleet")

    def call(self) -> None:
        """Does not wait for the answer. A call that fails is made up for by the fleet's next run, within a minute."""
        try:
            self._client.invoke(FunctionName=self._function, InvocationType="Event", Payload=b"{}")
        except (BotoCoreError, ClientError) as error:
            logger().error("The fleet could not be called; it runs by itself soon.", extra={"cause": str(error)})
            count("Fleet.calls_failed")
