"""The local stack for measurements: no schedules of its own, no beats, and workers that stay."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from local.runtime.events import milestone
from local.stack.stack import Stack
from tests.e2e.conftest import MailSender, SentMail
from tests.e2e.fleet import stop_workers
from tests.load.call_counts import CallReader, Calls, Counted
from tests.support.patient_stack import patient_settings
from webordinary.contract.messages.base import Pair
from webordinary.tables.project_entries import Person, ProjectEntries
from webordinary_ops.connection import Connection
from webordinary_ops.deployment import Deployment

NEVER = 3600
NO_SCHEDULES = 0.0001  # speed of the schedules
STAY = ("idle_seconds", "idle_after_question_seconds", "idle_after_end_seconds")
PAIRS = {
    Pair(project="bakery", user="ada"): "ada@example.com",
    Pair(project="garden", user="bob"): "bob@example.org",
    Pair(project="journal", user="cleo"): "cleo@example.net",
    Pair(project="bakery", user="eva"): "eva@example.com",
    Pair(project="garden", user="finn"): "finn@example.org",
    Pair(project="journal", user="gus"): "gus@example.net",
}


@dataclass(frozen=True)
class RunningSystem:
    stack: Stack
    sender: MailSender
    calls: CallReader
    deployment: Deployment

    @classmethod
    @contextmanager
    def start(cls, progress: Any) -> Iterator[RunningSystem]:
        with Stack(replace(patient_settings(), schedule_speed=NO_SCHEDULES), progress) as stack:
            stack.workers.live_previews = False
            connection = Connection(
                "local", stack.names.prefix, stack.emulated.region, endpoint=stack.emulated.endpoint
            )
            system = cls(stack, MailSender(stack), CallReader(stack), Deployment(connection))
            system.add_people()
            system.let_workers_stay(NEVER)
            yield system

    def add_people(self) -> None:
        entries = ProjectEntries(self.stack.emulated.client("dynamodb"), self.stack.names)
        for project in {pair.project for pair in PAIRS}:
            entry = entries.get(project)
            new = {p.user: Person(addresses=(address,)) for p, address in PAIRS.items() if p.project == project}
            people = {**entry.people, **new}
            given = {**entry.wire(), "pictures": False, "people": {user: one.wire() for user, one in people.items()}}
            entries.change(entry, type(entry).read(given))

    def let_workers_stay(self, seconds: float) -> None:
        """For workers that start from now on."""
        timing = timing_without_beats(self.stack.outputs["timing"], seconds)
        self.stack.workers.overrides = {"WEBORDINARY_TIMING": json.dumps(timing)}

    def stop_workers(self) -> None:
        stop_workers(self.stack)

    def answered(self, pair: Pair, text: str, *, after: str | None = None) -> tuple[SentMail, str]:
        """Sends a mail and waits for its reply; returns the mail and the reply's Message-ID."""
        mail = self.sender.send(PAIRS[pair], text, in_reply_to=after)
        return mail, mail.wait_for_reply().message_id

    def counted_mail(self, pair: Pair, text: str, *, after: str | None = None) -> tuple[Counted, str]:
        begin = self.calls.position()
        _, reply = self.answered(pair, text, after=after)
        self.calls.position()
        return self.calls.since(begin), reply

    def counted_question_to_the_broker(self) -> Calls:
        """Waits until the worker, which has nothing to do, has asked the broker whether to leave."""
        begin = self.calls.position()
        while not (asked := self.calls.since(begin).most("broker")):
            time.sleep(0.2)
        return asked

    def invoke(self, function: str) -> Counted:
        """Runs a scheduled function once."""
        begin = self.calls.position()
        answer = self.stack.emulated.client("lambda").invoke(
            FunctionName=self.stack.names.live_function(function), Payload=b"{}"
        )
        if answer.get("FunctionError"):
            raise RuntimeError(f"{function} failed: {answer['Payload'].read()!r}")
        self.calls.position()
        return self.calls.since(begin)

    def seconds_between(self, job_id: str, first: str, second: str) -> float:
        begin, end = (
            self.stack.events.wait_for(milestone(name, job_id=job_id), NEVER, what=name).at for name in (first, second)
        )
        return end - begin


def timing_without_beats(timing: Mapping[str, float], stay: float) -> dict[str, float]:
    """A worker without beats must hide its job's message for longer."""
    return {**timing, "beat_seconds": NEVER, "input_visibility_seconds": 2 * NEVER, **dict.fromkeys(STAY, stay)}
