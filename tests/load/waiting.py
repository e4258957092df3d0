"""Six people write at once and three workers serve them: fairness, and what the simulator predicts.

Waiting is the time from a job's dispatch until a worker has its pair. The simulator gets the arrivals, the duration of
each job and the times of starts and ends as they were observed; it decides who waits for how long.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from local.runtime.events import Event, milestone
from tests.e2e.conftest import SentMail
from tests.load.running_system import PAIRS, RunningSystem
from tools.simulation.fleet_run import FleetRun
from tools.simulation.settings import Scenario
from tools.simulation.workload import ReplyKind, SimulatedMail, Workload
from webordinary.contract.messages.base import Pair
from webordinary.contract.settings import SparePolicy, Timing
from webordinary.protocol.policies import FleetSize

WORKERS = 3
STAY_SECONDS = 1.0
QUESTION = "Which headline does the home page have, please?"
MOST_OVERTAKINGS = WORKERS  # which of them starts first is chance
PREDICTED = (0.5, 2.0)  # of the observed median


@dataclass(frozen=True)
class Served:
    pair: str
    dispatched: float
    claimed: float
    ended: float

    @property
    def waited(self) -> float:
        return self.claimed - self.dispatched


@dataclass(frozen=True)
class Burst:
    alone: Served
    served: Sequence[Served]
    predicted: Sequence[float]  # seconds, in no order
    peak_workers: int

    @property
    def ratio_to_alone(self) -> float:
        return statistics.median(one.waited for one in self.served) / self.alone.waited

    @property
    def prediction(self) -> float:
        """Of the sums, since half of the pairs wait for a start only and the others for a job."""
        return sum(self.predicted) / sum(one.waited for one in self.served)

    @property
    def longest_over_alone(self) -> float:
        """The last reply of all, as a multiple of one mail alone."""
        first = min(one.dispatched for one in self.served)
        return (max(one.ended for one in self.served) - first) / (self.alone.ended - self.alone.dispatched)

    @property
    def overtakings(self) -> int:
        """How many pairs were served before one that was dispatched earlier, at most for one pair."""
        return max(
            sum(other.dispatched > one.dispatched and other.claimed < one.claimed for other in self.served)
            for one in self.served
        )


def measured(system: RunningSystem, progress: Callable[[str], None]) -> Burst:
    system.stop_workers()
    system.let_workers_stay(STAY_SECONDS)
    people = list(PAIRS)
    alone = _served(system, _ask(system, people[:1]))[0]
    system.stop_workers()
    progress(f"one mail alone, then {len(people)} at once")
    since = system.stack.events.position()
    served = _served(system, _ask(system, people))
    events = system.stack.events.all(since=since)
    system.stop_workers()
    timing = Timing.model_validate(system.stack.outputs["timing"])
    return Burst(alone, served, _predicted(served, events, timing), system.stack.workers.peak)


def _ask(system: RunningSystem, pairs: Sequence[Pair]) -> Mapping[Pair, SentMail]:
    return {pair: system.sender.send(PAIRS[pair], QUESTION) for pair in pairs}


def _served(system: RunningSystem, mails: Mapping[Pair, SentMail]) -> list[Served]:
    for mail in mails.values():
        mail.wait_for_reply()
    return [
        Served(
            pair.key,
            mail.wait_for("job_dispatched").at,
            _claim_of(system, pair, mail).at,
            mail.wait_for("job_ended").at,
        )
        for pair, mail in mails.items()
    ]


def _claim_of(system: RunningSystem, pair: Pair, mail: SentMail) -> Event:
    return system.stack.events.all(milestone("pair_claimed", job_id=mail.job_id, pair=pair.key))[-1]


def _predicted(served: Sequence[Served], events: Sequence[Event], timing: Timing) -> list[float]:
    starts, ends = _starts(events), _ends(events)
    workload = Workload(
        {
            **Workload.load().numbers,
            "worker.start_seconds": [min(starts), max(starts)],
            "worker.claim_seconds": [0.0, 0.0],
            "worker.end_seconds": statistics.median(ends) if ends else 0.0,
            "worker.spot_interruptions_per_day": 0.0,
        }
    )
    stay = dict.fromkeys(("idle_seconds", "idle_after_question_seconds", "idle_after_end_seconds"), STAY_SECONDS)
    size = FleetSize(WORKERS, 0, SparePolicy.FIXED)
    fleet = FleetRun(Scenario("load", "", timing.model_copy(update=stay), size), workload, Random(0))  # noqa: S311
    begin = min(one.dispatched for one in served)
    arrivals = sorted(
        (one.dispatched - begin, one.pair, (SimulatedMail(ReplyKind.EDIT, one.ended - one.claimed, None),))
        for one in served
    )
    until = max(one.ended for one in served) - begin + 600
    return fleet.run(arrivals, until).waits[True]


def _starts(events: Sequence[Event]) -> list[float]:
    """From the launch of a worker to its claim: every worker of a burst is expected."""
    launched = {str(one.fields["container_id"]): one.at for one in events if one.milestone == "worker_started"}
    claimed = {str(one.fields["container_id"]): one.at for one in events if one.milestone == "pair_claimed"}
    return [at - launched[worker] for worker, at in claimed.items() if worker in launched]


def _ends(events: Sequence[Event]) -> list[float]:
    """From the release of a pair to the launch of the worker that takes the slot."""
    released = sorted(one.at for one in events if one.milestone == "pair_released")
    launched = sorted(one.at for one in events if one.milestone == "worker_started")[WORKERS:]
    return [max(0.0, at - before) for before, at in zip(released, launched, strict=False)]
