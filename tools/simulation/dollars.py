"""What a simulated run costs, with the prices and call counts of the cost page."""

from __future__ import annotations

from dataclasses import dataclass

from tools.cost_model import BROKER_CALLS, HOURS, CostModel
from tools.simulation.measures import Measures
from webordinary.aws.ecs_tasks import Capacity
from webordinary.contract.settings import Timing

# Items of the cost page that depend on the lifetime of workers; here they follow from the run.
OF_LIFETIMES = ("empty polls", "broker polls of idle workers", "other broker calls", "lease renewals")


@dataclass(frozen=True)
class Dollars:
    workers: float
    workers_on_demand: float  # the same workers, all of them on demand
    other: float

    @property
    def all(self) -> float:
        return self.workers + self.other

    @property
    def all_on_demand(self) -> float:
        return self.workers_on_demand + self.other


def dollars_of(measures: Measures, model: CostModel, timing: Timing, pairs: int, seconds: float) -> Dollars:
    price = model.prices
    per_mail = sum(amount for item, amount in model.mail(mails=1).items() if item not in OF_LIFETIMES)
    poll = model.invocation("broker") + 2 * price["dynamodb"]["read_unit"]
    other = (
        measures.mails * per_mail
        + measures.claims * BROKER_CALLS * model.invocation("broker")
        + (measures.job_seconds + measures.quiet_seconds) / timing.renewal_seconds * model.renewal()
        + measures.quiet_seconds / timing.long_poll_seconds * price["sqs"]["fifo_request"]
        + measures.quiet_seconds / timing.renewal_seconds * poll
        + measures.idle_seconds * model.waiting_second()
        + sum(model.idle_month(pairs).values()) * seconds / 3600 / HOURS
    )
    hours = {capacity: seconds / 3600 for capacity, seconds in measures.lifetimes.items()}
    on_demand, spot = model.worker_hour(spot=False), model.worker_hour(spot=True)
    return Dollars(
        workers=hours[Capacity.ON_DEMAND] * on_demand + hours[Capacity.SPOT] * spot,
        workers_on_demand=sum(hours.values()) * on_demand,
        other=other,
    )
