"""The sweeper looks at every open job once a minute, so that no single lost message can strand a mail.

| it finds | it does |
|---|---|
| a job that ended but whose execution was not told | tells it |
| a running job whose owner is dead or replaced | puts it back, sends it again |
| a waiting job | beats for its token; asks for a claim if the pair has no live owner |
| a waiting job that no worker takes up (the breaker is open) | ends it: its sender gets an answer |
| a dead letter | ends its job, or passes its report on once more |

A sweep whose time runs out leaves a bookmark, and the next one goes on from there. Everything it does is conditional or
harmless when done twice, so two sweeps at once do no damage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from webordinary.platform.dynamodb_items import milliseconds
from webordinary.platform.errors import InvalidMessageError, UnknownJobError
from webordinary.platform.messages import (
    ClaimOrder,
    ClaimVerdict,
    Failure,
    Job,
    Message,
    Outcome,
    Pair,
    WorkerReport,
)
from webordinary.platform.observability import count, logger
from webordinary.platform.queues import Received
from webordinary.steps.dispatch import Router
from webordinary.steps.relay_callback import Relay
from webordinary.tables.checkpoint import Bookmark
from webordinary.tables.jobs import JobRecord, JobState, StaleReportError
from webordinary.tables.ownership import Ownership

# The relay needs a moment between the end of a job and telling the execution; only older ones are stuck.
STUCK_AFTER = timedelta(seconds=20)

NO_WORKER = Outcome(state="failed", failure=Failure.NO_WORKER, summary="No worker could take this up.")
DEAD_LETTER = Outcome(
    state="failed", failure=Failure.INTERNAL, summary="It was tried several times and failed each time."
)


class SweepResult(Message):
    """What one sweep did. `complete` is false when its time ran out first."""

    looked_at: int = 0
    settled: int = 0
    put_back: int = 0
    beats: int = 0
    claims: int = 0
    given_up: int = 0
    dead_letters: int = 0
    complete: bool = True


@dataclass
class Sweeper:
    router: Router
    relay: Relay
    bookmark: Bookmark
    has_time: Callable[[], bool]

    def sweep(self) -> SweepResult:
        self._tally: dict[str, int] = {}
        self._pairs: dict[str, Pair] = {}
        complete = self._sweep_jobs() and self._sweep_dead_letters()
        for name, value in self._tally.items():
            count(f"Sweep.{name}", value)
        return SweepResult(**self._tally, complete=complete)

    def _sweep_jobs(self) -> bool:
        started_at = place = self.bookmark.read()
        for record in self.router.jobs.open_jobs(after=started_at):
            if not self.has_time():
                if place is not None:
                    self.bookmark.put(place)
                return False
            self._add("looked_at")
            pair = record.job.pair
            self._pairs[pair.key] = pair
            # Looked at after the record, for each of them: an older look could take a live owner's job away.
            self._sweep_job(record, self.router.ownership.inspect(pair))
            place = record.job.received_at.isoformat()
        if started_at is not None:
            self.bookmark.remove()  # the next sweep begins with the oldest again
        return True

    def _sweep_job(self, record: JobRecord, ownership: Ownership) -> None:
        alive = ownership.is_live(self.router.clock(), self.router.ownership.clock_margin)
        if record.state.is_final:
            self._settle_if_stuck(record)
        elif record.state == JobState.RUNNING:
            if not (alive and ownership.fence == record.fence):
                self._put_back(record)
                self._keep_waiting(record, alive=alive)
        else:
            self._keep_waiting(record, alive=alive)

    def _settle_if_stuck(self, record: JobRecord) -> None:
        if record.updated_at < milliseconds(self.router.clock() - STUCK_AFTER) and self.relay.tokens.settle(record):
            self._add("settled")

    def _put_back(self, record: JobRecord) -> None:
        job, fence = record.job, record.fence or 0
        # Its message may be gone with the dead owner. If it is not, the second one finds the job taken and is deleted.
        # It goes first: a sweep that dies between the two must not leave a waiting job without a message.
        self.router.queues.send_in_order(
            "input", job, group=job.pair.key, deduplication_id=f"{job.job_id}-after-{fence}", pair=job.pair
        )
        try:
            self.router.jobs.put_back(job.pair, job.job_id, fence)
        except StaleReportError:
            return  # it moved on since the index was read
        self._add("put_back")

    def _keep_waiting(self, record: JobRecord, *, alive: bool) -> None:
        if self.relay.tokens.beat(record):
            self._add("beats")
        if alive:
            return
        job = record.job
        decision = self.router.request_claim(ClaimOrder(pair=job.pair, job_id=job.job_id))
        if decision.verdict == ClaimVerdict.SENT:
            self._add("claims")
        elif decision.verdict == ClaimVerdict.BREAKER_OPEN:
            logger().error("no worker takes this pair up; its waiting job is given up", extra={"pair": job.pair.key})
            self._end(job, NO_WORKER)
            self._add("given_up")

    def _sweep_dead_letters(self) -> bool:
        # A dead letter that somebody waits for belongs to an open job, so only pairs with open jobs are asked.
        for pair in self._pairs.values():
            if not self._drain("input_dead_letters", self._end_dead_job, pair):
                return False
        return self._drain("output_dead_letters", self._relay_again) and self._drain("unclaimed_dead_letters", _ignore)

    def _drain(self, kind: str, take: Callable[[str], None], pair: Pair | None = None) -> bool:
        queues = self.router.queues
        while self.has_time():
            letter: Received | None = queues.receive(kind, wait_seconds=0, visibility_seconds=60, pair=pair)
            if letter is None:
                return True
            try:
                take(letter.body)
            except (InvalidMessageError, UnknownJobError) as error:
                logger().error(str(error))
                count("PoisonMessages")
            queues.delete(kind, letter, pair=pair)
            self._add("dead_letters")
        return False

    def _end_dead_job(self, body: str) -> None:
        self._end(Job.read(body), DEAD_LETTER)

    def _relay_again(self, body: str) -> None:
        self.relay.receive(WorkerReport.read(body))

    def _end(self, job: Job, outcome: Outcome) -> None:
        record = self.router.jobs.conclude(job.pair, job.job_id, outcome)
        self.relay.tokens.settle(record)

    def _add(self, name: str) -> None:
        self._tally[name] = self._tally.get(name, 0) + 1


def _ignore(_: str) -> None:
    """A claim request that nobody could read is not missed: the sweep above asks again where one is needed."""
