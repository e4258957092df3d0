"""What is done to the running system, and when: a pure function of the seed.

Mails come in streams, two per pair. A stream writes its conversations one after the other; in a conversation each mail
answers the answer to the one before, or comes in a hurry while the agent still works on the one before, which may then
be overtaken. Every mail asks for a paragraph of its own, so what became of it can be counted.

Troubles hang on mails: a strike waits until its mail has reached a milestone, waits a little longer, and hits. Strikes
of one chain come one after the other; chains know nothing of each other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

WORDS = ("amber", "birch", "cedar", "dune", "ember", "fern", "grove", "heath", "iris", "jade", "kelp", "linden")
STREAMS_PER_PAIR = 2
LONGEST_CONVERSATION = 3

Taken = TypeVar("Taken")


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
    pause: float  # between what it waits for and this mail
    overtaken: bool = False  # the next mail of the conversation does not wait for the answer to this one

    @property
    def text(self) -> str:
        return f'Please add "{self.marker}" to the home page.'


Conversation = tuple[PlannedMail, ...]
Stream = tuple[Conversation, ...]


class Trouble(StrEnum):
    KILL = "worker killed"
    SLEEP = "worker paused past its lease"
    SHORT_STALL = "emulator paused past a renewal"
    LONG_STALL = "emulator paused past a lease"
    REPORT_TWICE = "report delivered again"
    CLAIM_TWICE = "worker request delivered again"
    MAIL_TWICE = "mail delivered again"


@dataclass(frozen=True)
class Strike:
    """`delay` is what passes between the milestone and the hit; for a paused worker, between takeover and awakening."""

    trouble: Trouble
    mail: int
    after: str
    delay: float


Chain = tuple[Strike, ...]


@dataclass(frozen=True)
class Plan:
    seed: int
    streams: tuple[Stream, ...]
    chains: tuple[Chain, ...]

    @property
    def mails(self) -> list[PlannedMail]:
        found = [mail for stream in self.streams for conversation in stream for mail in conversation]
        return sorted(found, key=lambda mail: mail.number)

    def strikes(self, trouble: Trouble) -> list[Strike]:
        return [strike for chain in self.chains for strike in chain if strike.trouble is trouble]


@dataclass(frozen=True)
class Size:
    """How much is done. `duplicates` counts each kind of duplicate."""

    mails: int
    kills: int
    short_stalls: int = 1
    long_stalls: int = 0
    sleeps: int = 0
    duplicates: int = 1
    hurries: int = 0


# Before the worker is busy with the next mail, which may have a death of its own.
LONGEST_DELAY = {
    "worker_started": 1.0,
    "agent_started": 1.0,
    "agent_finished": 1.0,
    "site_built": 0.8,
    "branch_pushed": 0.6,
    "site_deployed": 0.4,
    "job_reported": 0.2,
    "reply_sent": 1.0,
}
KILL_POINTS = tuple(LONGEST_DELAY)
# A mail that was killed here has not been published, so its next worker starts from the beginning.
EARLY = ("agent_started", "agent_finished")
SLEEP_POINTS = ("agent_started", "site_built", "branch_pushed")
STALL_POINTS = ("job_dispatched", "agent_started", "site_built", "branch_pushed")
DUPLICATE_POINTS = {
    Trouble.REPORT_TWICE: ("job_settled",),
    Trouble.CLAIM_TWICE: ("job_dispatched", "agent_started"),
    Trouble.MAIL_TWICE: ("mail_accepted", "agent_started", "reply_sent"),
}


def make_plan(seed: int, size: Size) -> Plan:
    chance = random.Random(seed)  # noqa: S311 repeatable on purpose
    streams = _streams(chance, size.mails)
    overtaken = _overtaken(chance, streams, size.hurries)
    mails = [number for number in range(size.mails) if number not in overtaken]
    hurried = tuple(tuple(_in_a_hurry(conversation, overtaken) for conversation in stream) for stream in streams)
    return Plan(seed, hurried, tuple(_chains(chance, size, mails)))


def _streams(chance: random.Random, mails: int) -> tuple[Stream, ...]:
    streams: list[list[Conversation]] = [[] for _ in range(len(WRITERS) * STREAMS_PER_PAIR)]
    number = 0
    for turn in range(mails):
        if number == mails:
            break
        place = turn % len(streams)
        length = min(chance.randint(1, LONGEST_CONVERSATION), mails - number)
        writer = WRITERS[place % len(WRITERS)]
        streams[place].append(tuple(_mail(chance, writer, number + step) for step in range(length)))
        number += length
    return tuple(tuple(stream) for stream in streams if stream)


def _overtaken(chance: random.Random, streams: tuple[Stream, ...], count: int) -> set[int]:
    candidates = [mail.number for stream in streams for conversation in stream for mail in conversation[:-1]]
    return set(chance.sample(candidates, min(count, len(candidates))))


def _in_a_hurry(conversation: Conversation, overtaken: set[int]) -> Conversation:
    return tuple(replace(mail, overtaken=mail.number in overtaken) for mail in conversation)


def _mail(chance: random.Random, writer: Writer, number: int) -> PlannedMail:
    marker = f"Note {number:03} {chance.choice(WORDS)} {chance.choice(WORDS)}."
    return PlannedMail(number, writer, marker, round(chance.uniform(0.0, 3.0), 2))


def _chains(chance: random.Random, size: Size, mails: Sequence[int]) -> Iterator[Chain]:
    """Strikes on mails that go all the way: those that are overtaken reach no milestone for certain."""
    disturbed = _takes(chance, mails)
    yield from _kills(chance, size, disturbed)
    for _ in range(size.sleeps):
        yield (Strike(Trouble.SLEEP, next(disturbed), chance.choice(SLEEP_POINTS), _delay(chance, 4.0)),)
    stalls = [Trouble.SHORT_STALL] * size.short_stalls + [Trouble.LONG_STALL] * size.long_stalls
    for trouble in stalls:
        yield (Strike(trouble, chance.choice(mails), chance.choice(STALL_POINTS), _delay(chance, 2.0)),)
    for trouble, points in DUPLICATE_POINTS.items():
        for mail in chance.choices(mails, k=size.duplicates):
            yield (Strike(trouble, mail, chance.choice(points), _delay(chance, 2.0)),)


def _kills(chance: random.Random, size: Size, disturbed: Iterator[int]) -> Iterator[Chain]:
    """Every point in turn; where there are more kills than mails to hit, some mails lose their next worker too."""
    points = _takes(chance, KILL_POINTS)
    left = size.kills
    while left > 0:
        twice = left > 1 and chance.random() < 0.25
        after = chance.choice(EARLY) if twice else next(points)
        first = Strike(Trouble.KILL, next(disturbed), after, _delay(chance, 0.2 if twice else LONGEST_DELAY[after]))
        again = (Strike(Trouble.KILL, first.mail, "pair_claimed", _delay(chance, 0.8)),) if twice else ()
        yield (first, *again)
        left -= 1 + len(again)


def _delay(chance: random.Random, longest: float) -> float:
    """Often none at all: right after a milestone is where the narrow gaps are."""
    return 0.0 if chance.random() < 0.4 else round(chance.uniform(0.0, longest), 2)


def _takes(chance: random.Random, things: Sequence[Taken]) -> Iterator[Taken]:
    """All of them in a random order, then all of them in another."""
    while True:
        yield from chance.sample(things, len(things))
