"""Dead letters: ends the job that a letter names, or relays its report once more.

All pairs share the dead-letter queues, and a worker may send to its own input queue: a worker's letter counts only for
a pair that it owns.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from webordinary.aws.queues import Queues, ReceivedMessage
from webordinary.aws.telemetry import count, logger
from webordinary.contract.errors import InvalidMessageError, UnknownJobError
from webordinary.contract.messages.job import JobReference
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.report import UnreadableReport
from webordinary.contract.outcomes import Failure
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.steps.relay_callback import RelayCallback
from webordinary.steps.sweep.run import SweepRun
from webordinary.tables.jobs import UnreadableJobError

UNREADABLE_SECONDS = 3600
VISIBILITY_SECONDS = 60
DEAD_LETTER = Outcome(state="failed", failure=Failure.INTERNAL)


@dataclass(frozen=True)
class DeadLetters:
    queues: Queues
    tokens: TaskTokens
    relay: RelayCallback

    def drain(self, run: SweepRun) -> None:
        handlers = {
            "input_dead_letters": self._end_dead_job,
            "output_dead_letters": self._relay_again,
            "unclaimed_dead_letters": _ignore,
        }
        for kind, handle in handlers.items():
            run.isolated(None, partial(self._drain, run, kind, handle))

    def _drain(self, run: SweepRun, kind: str, handle: Callable[[ReceivedMessage], bool]) -> None:
        """Handles letters one by one. Those that this version cannot handle stay in the queue."""
        has_time = run.own_share()
        while has_time():
            letter = self.queues.receive(kind, wait_seconds=0, visibility_seconds=VISIBILITY_SECONDS)
            if letter is None:
                return
            run.add("dead_letters")
            if handle(letter):
                self.queues.delete(kind, letter)
            else:
                count("UnreadableMessages")
                self.queues.hide(kind, letter, UNREADABLE_SECONDS)

    def _end_dead_job(self, letter: ReceivedMessage) -> bool:
        try:
            self._end_job(JobReference.read(letter.body), letter.sender_id)
        except (InvalidMessageError, UnknownJobError) as error:
            # It belongs to no job. Left in the queue it would delay the letters that do.
            logger().error(str(error), extra={"sender": letter.sender_id})
            count("PoisonMessages")
        return True

    def _end_job(self, job: JobReference, sender_id: str | None) -> None:
        if not self.relay.senders.may_speak_for(job.pair, sender_id):
            raise UnknownJobError(job.pair.key, job.job_id)
        try:
            self.tokens.conclude(job, DEAD_LETTER)
        except UnreadableJobError:
            # An ended job gets no heartbeats, so its execution times out, and the reply function answers.
            self.tokens.jobs.close_unreadable(job.pair, job.job_id, DEAD_LETTER)

    def _relay_again(self, letter: ReceivedMessage) -> bool:
        body, group, sender_id = self._as_received(letter)
        try:
            self.relay.relay(body, group, sender_id)
        except InvalidMessageError as error:
            logger().error("Sweep left an unreadable report in its queue.", extra={"cause": str(error)})
            return False
        return True

    def _as_received(self, letter: ReceivedMessage) -> tuple[str, str, str | None]:
        """Body, group and sender of a dead report. The relay stores them; SQS keeps those of letters that it moves."""
        if not self.relay.senders.is_worker(letter.sender_id):
            with suppress(InvalidMessageError):
                stored = UnreadableReport.read(letter.body)
                return stored.body, stored.group, stored.sender_id
        return letter.body, letter.group, letter.sender_id


def _ignore(_: ReceivedMessage) -> bool:
    """Drops an unreadable worker request: the sweep requests a worker wherever one is needed."""
    return True
