"""Hands a job to its pair's queue and keeps the task token with the job's record. The execution then waits."""

from typing import Any

from webordinary import assembly
from webordinary.platform import observability
from webordinary.platform.messages import DispatchOrder
from webordinary.platform.settings import Settings

settings = Settings.load()


@observability.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    order = DispatchOrder.read(event)
    assembly.router(settings).dispatch(order)
    return {"jobId": order.job.job_id}
