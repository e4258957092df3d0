"""What one simulated run measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from webordinary.aws.ecs_tasks import Capacity

SAMPLE_SECONDS = 900.0  # of the fleet's size


@dataclass(frozen=True)
class FleetSample:
    at: float
    starting: int
    idle: int
    working: int
    quiet: int


@dataclass
class Measures:
    mails: int = 0
    answered: int = 0
    given_up: int = 0
    launches: int = 0
    interruptions: int = 0
    repeated_jobs: int = 0
    yields: int = 0
    claims: int = 0
    job_seconds: float = 0.0
    quiet_seconds: float = 0.0  # with a pair, without a job
    idle_seconds: float = 0.0  # without a pair
    peak_workers: int = 0
    peak_open: int = 0
    waits: dict[bool, list[float]] = field(
        default_factory=lambda: {True: [], False: []}
    )  # by whether it is a first mail
    lifetimes: dict[Capacity, float] = field(default_factory=lambda: dict.fromkeys(Capacity, 0.0))
    samples: list[FleetSample] = field(default_factory=list)
    mails_per_second: Counter[int] = field(default_factory=Counter)
    launches_per_second: Counter[int] = field(default_factory=Counter)
    claims_per_second: Counter[int] = field(default_factory=Counter)
    mails_per_day: Counter[int] = field(default_factory=Counter)

    def mail(self, now: float) -> None:
        self.mails += 1
        self.mails_per_second[int(now)] += 1
        self.mails_per_day[int(now // 86400)] += 1
        self.peak_open = max(self.peak_open, self.mails - self.answered - self.given_up)

    def waited(self, seconds: float, *, first: bool) -> None:
        self.waits[first].append(seconds)

    def launch(self, at: float) -> None:
        self.launches += 1
        self.launches_per_second[int(at)] += 1

    def claim(self, now: float) -> None:
        self.claims += 1
        self.claims_per_second[int(now)] += 1

    def add_lifetime(self, capacity: Capacity, seconds: float) -> None:
        self.lifetimes[capacity] += seconds

    def fleet(self, now: float, starting: int, idle: int, working: int, quiet: int) -> None:
        self.peak_workers = max(self.peak_workers, starting + idle + working + quiet)
        if not self.samples or now >= self.samples[-1].at + SAMPLE_SECONDS:
            self.samples.append(FleetSample(now, starting, idle, working, quiet))

    @property
    def worker_seconds(self) -> float:
        return sum(self.lifetimes.values())


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which this share of the values lies; 0 without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def peak(counted: Counter[int]) -> int:
    return max(counted.values(), default=0)
