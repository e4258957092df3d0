"""What customers do: reads a workload file and draws conversations from it."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Any

from tools.errors import SetupError

HOUR, DAY, WEEK = 3600.0, 86400.0, 604800.0
PLAIN = Path(__file__).with_name("workload.toml")


class WorkloadError(SetupError):
    """A workload file has an unknown number, or a number without a source."""


class ReplyKind(StrEnum):
    """What a reply is, as far as it decides how long a worker stays."""

    EDIT = "edit"
    QUESTION = "question"
    PUBLISH = "publish"
    THANKS = "thanks"


@dataclass(frozen=True)
class SimulatedMail:
    kind: ReplyKind
    job_seconds: float
    gap: float | None  # from its reply to the next mail; None if it is the last one


Conversation = tuple[SimulatedMail, ...]


@dataclass(frozen=True)
class Workload:
    numbers: Mapping[str, Any]  # by "section.name"

    @classmethod
    def load(cls, file: Path = PLAIN) -> Workload:
        """The numbers of a file; those that it lacks are the plain workload's."""
        plain = _read(PLAIN)
        given = _read(file)
        unknown = sorted(set(given) - set(plain))
        if unknown:
            raise WorkloadError(f"{file} has unknown numbers: {', '.join(unknown)}.")
        return cls({**plain, **given})

    def number(self, name: str) -> float:
        return float(self.numbers[name])

    def between(self, name: str, random: Random) -> float:
        low, high = map(float, self.numbers[name])
        return low + (high - low) * random.random()

    def conversation(self, random: Random) -> Conversation:
        mails: list[SimulatedMail] = []
        publishes = random.random() < self.number("conversation.publish_first")
        thanks = False
        while True:
            kind = self._kind(random, publishes=publishes, thanks=thanks)
            follows = random.random() < self._follow(kind)
            gap = self._gap(kind, random) if follows else None
            mails.append(SimulatedMail(kind, self.between("worker.job_seconds", random), gap))
            if gap is None:
                return tuple(mails)
            drawn = random.random()
            publishes = drawn < self.number("conversation.publish_next")
            thanks = not publishes and drawn < (
                self.number("conversation.publish_next") + self.number("conversation.thanks_next")
            )

    def arrivals(self, random: Random, pairs: int, until: float) -> Iterator[float]:
        """The times of first mails, with the cycle of day and week (a thinned Poisson process)."""
        profile = self._profile()
        peak = max(profile)
        rate = pairs * self.number("arrivals.conversations_per_pair_and_week") / WEEK * peak
        now = random.expovariate(rate)
        while now < until:
            if random.random() * peak < profile[int(now % WEEK // HOUR)]:
                yield now
            now += random.expovariate(rate)

    def mails_per_conversation(self) -> float:
        sample = Random(0)  # noqa: S311 (a simulation must be repeatable)
        return sum(len(self.conversation(sample)) for _ in range(2000)) / 2000

    def _profile(self) -> list[float]:
        days, hours = self.numbers["arrivals.days"], self.numbers["arrivals.hours"]
        weights = [day * hour for day in days for hour in hours]
        mean = sum(weights) / len(weights)
        return [weight / mean for weight in weights]

    def _kind(self, random: Random, *, publishes: bool, thanks: bool) -> ReplyKind:
        if publishes:
            return ReplyKind.PUBLISH
        if thanks:
            return ReplyKind.THANKS
        return ReplyKind.QUESTION if random.random() < self.number("conversation.question") else ReplyKind.EDIT

    def _follow(self, kind: ReplyKind) -> float:
        return self.number(f"conversation.follow_after_{'end' if kind is ReplyKind.PUBLISH else kind}")

    def _gap(self, kind: ReplyKind, random: Random) -> float:
        name = "gap_after_question_seconds" if kind is ReplyKind.QUESTION else "gap_seconds"
        median = self.number(f"conversation.{name}")
        return random.lognormvariate(math.log(median), self.number("conversation.gap_sigma"))


def _read(file: Path) -> dict[str, Any]:
    numbers: dict[str, Any] = {}
    for section, entries in tomllib.loads(file.read_text(encoding="utf-8")).items():
        for name, entry in entries.items():
            if not isinstance(entry, dict) or "value" not in entry or not str(entry.get("source", "")).strip():
                raise WorkloadError(f"{file}: {section}.{name} needs a value and a source.")
            numbers[f"{section}.{name}"] = entry["value"]
    return numbers
