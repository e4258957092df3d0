"""The mails and faults of a chaos run: a pure function of the seed.

Mails are sent in streams, two per pair. A stream sends its conversations in sequence. In a conversation, each mail
replies to the previous reply, or is sent while the agent still works on the previous mail, which it may then preempt.
Every mail adds a unique paragraph, so that its effects can be counted.

Each fault belongs to a mail: it is injected a delay after its mail has reached a milestone. The faults of a chain are
injected in sequence; chains are independent.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

WORDS = ("amber", "birch", "cedar", "dune", "ember", "fern", "grove", "heath", "iris", "jade", "kelp", "linden")
STREAMS_PER_PAIR = 2
MAX_CONVERSATION_LENGTH = 3

Item = TypeVar("Item")


@dataclass(frozen=True)
class Writer:
    sender: str
    project: str
    user: str

    @property
    def pair(self) -> str:
        return f"{self.project}#{self.user}"


WRITERS = (Writer("ada@example.com", "bakery", "ada"), Writer("bob@example.org", "garden", "bob"))


@dataclass(frozen=True)
class PlannedMail:
    number: int
    writer: Writer
    marker: str
    pause: float  # seconds before the mail is sent
    preempted: bool = False  # the next mail is sent before the reply to this one

    @property
    def text(self) -> str:
        return f'Please add "{self.marker}" to the home page.'


Conversation = tuple[PlannedMail, ...]
Stream = tuple[Conversation, ...]


class FaultKind(StrEnum):
    KILL = "worker killed"
    SLEEP = "worker paused past its lease"
    SHORT_STALL = "emulator paused past a renewal"
    LONG_STALL = "emulator paused past a lease"
    REPORT_TWICE = "report delivered again"
    CLAIM_TWICE = "worker request delivered again"
    MAIL_TWICE = "mail delivered again"


@dataclass(frozen=True)
class Fault:
    """`delay` is the time between milestone and fault; for a paused worker, between takeover and resume."""

    kind: FaultKind
    mail: int
    after: str
    delay: float


Chain = tuple[Fault, ...]


@dataclass(frozen=True)
class Plan:
    seed: int
    streams: tuple[Stream, ...]
    chains: tuple[Chain, ...]

    @property
    def mails(self) -> list[PlannedMail]:
        found = [mail for stream in self.streams for conversation in stream for mail in conversation]
        return sorted(found, key=lambda mail: mail.number)

    def faults(self, kind: FaultKind) -> list[Fault]:
        return [fault for chain in self.chains for fault in chain if fault.kind is kind]


@dataclass(frozen=True)
class Size:
    """The number of mails and faults. `duplicates` applies to each kind of duplicate."""

    mails: int
    kills: int
    short_stalls: int = 1
    long_stalls: int = 0
    sleeps: int = 0
    duplicates: int = 1
    preemptions: int = 0


# Short enough that the worker has not started the next mail, which may have its own fault.
MAX_DELAY = {
    "worker_started": 1.0,
    "agent_started": 1.0,
    "agent_finished": 1.0,
    "site_built": 0.8,
    "branch_pushed": 0.6,
    "site_deployed": 0.4,
    "job_reported": 0.2,
    "reply_sent": 1.0,
}
KILL_POINTS = tuple(MAX_DELAY)
# Before the push: the next worker repeats the job from the start.
EARLY = ("agent_started", "agent_finished")
SLEEP_POINTS = ("agent_started", "site_built", "branch_pushed")
STALL_POINTS = ("job_dispatched", "agent_started", "site_built", "branch_pushed")
DUPLICATE_POINTS = {
    FaultKind.REPORT_TWICE: ("job_settled",),
    FaultKind.CLAIM_TWICE: ("job_dispatched", "agent_started"),
    FaultKind.MAIL_TWICE: ("mail_accepted", "agent_started", "reply_sent"),
}


def make_plan(seed: int, size: Size) -> Plan:
    rng = random.Random(seed)  # noqa: S311 (must be repeatable)
    streams = _streams(rng, size.mails)
    preempted = _choose_preempted(rng, streams, size.preemptions)
    mails = [number for number in range(size.mails) if number not in preempted]
    marked = tuple(tuple(_mark_preempted(conversation, preempted) for conversation in stream) for stream in streams)
    return Plan(seed, marked, tuple(_chains(rng, size, mails)))


def _streams(rng: random.Random, mails: int) -> tuple[Stream, ...]:
    streams: list[list[Conversation]] = [[] for _ in range(len(WRITERS) * STREAMS_PER_PAIR)]
    number = 0
    for turn in range(mails):
        if number == mails:
            break
        index = turn % len(streams)
        length = min(rng.randint(1, MAX_CONVERSATION_LENGTH), mails - number)
        writer = WRITERS[index % len(WRITERS)]
        streams[index].append(tuple(_mail(rng, writer, number + step) for step in range(length)))
        number += length
    return tuple(tuple(stream) for stream in streams if stream)


def _choose_preempted(rng: random.Random, streams: tuple[Stream, ...], count: int) -> set[int]:
    candidates = [mail.number for stream in streams for conversation in stream for mail in conversation[:-1]]
    return set(rng.sample(candidates, min(count, len(candidates))))


def _mark_preempted(conversation: Conversation, preempted: set[int]) -> Conversation:
    return tuple(replace(mail, preempted=mail.number in preempted) for mail in conversation)


def _mail(rng: random.Random, writer: Writer, number: int) -> PlannedMail:
    marker = f"Note {number:03} {rng.choice(WORDS)} {rng.choice(WORDS)}."
    return PlannedMail(number, writer, marker, round(rng.uniform(0.0, 3.0), 2))


def _chains(rng: random.Random, size: Size, mails: Sequence[int]) -> Iterator[Chain]:
    """Faults on mails that will be completed: a preempted mail may not reach its milestone."""
    mails_to_disturb = _cycle_shuffled(rng, mails)
    yield from _kills(rng, size, mails_to_disturb)
    for _ in range(size.sleeps):
        yield (Fault(FaultKind.SLEEP, next(mails_to_disturb), rng.choice(SLEEP_POINTS), _delay(rng, 4.0)),)
    stalls = [FaultKind.SHORT_STALL] * size.short_stalls + [FaultKind.LONG_STALL] * size.long_stalls
    for kind in stalls:
        yield (Fault(kind, rng.choice(mails), rng.choice(STALL_POINTS), _delay(rng, 2.0)),)
    for kind, points in DUPLICATE_POINTS.items():
        for mail in rng.choices(mails, k=size.duplicates):
            yield (Fault(kind, mail, rng.choice(points), _delay(rng, 2.0)),)


def _kills(rng: random.Random, size: Size, mails_to_disturb: Iterator[int]) -> Iterator[Chain]:
    """Cycles through all kill points; some mails lose their second worker too."""
    points = _cycle_shuffled(rng, KILL_POINTS)
    left = size.kills
    while left > 0:
        twice = left > 1 and rng.random() < 0.25
        after = rng.choice(EARLY) if twice else next(points)
        first = Fault(FaultKind.KILL, next(mails_to_disturb), after, _delay(rng, 0.2 if twice else MAX_DELAY[after]))
        again = (Fault(FaultKind.KILL, first.mail, "pair_claimed", _delay(rng, 0.8)),) if twice else ()
        yield (first, *again)
        left -= 1 + len(again)


def _delay(rng: random.Random, longest: float) -> float:
    """Often zero: races are most likely right after a milestone."""
    return 0.0 if rng.random() < 0.4 else round(rng.uniform(0.0, longest), 2)


def _cycle_shuffled(rng: random.Random, things: Sequence[Item]) -> Iterator[Item]:
    """Cycles through the items, reshuffled in every round."""
    while True:
        yield from rng.sample(things, len(things))
