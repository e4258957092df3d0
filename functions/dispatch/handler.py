"""Queues a job for its pair and stores the task token in the job's record. The execution then waits."""

from typing import Any

from webordinary.aws import telemetry
from webordinary.contract.messages.job import DispatchOrder
from webordinary.contract.settings import Settings
from webordinary.steps.dispatch import Dispatch

dispatch = Dispatch.from_settings(Settings.load())


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    order = DispatchOrder.read(event)
    dispatch.run(order)
    return {"jobId": order.job.job_id}
