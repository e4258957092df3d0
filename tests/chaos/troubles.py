"""Carries out the strikes of a plan against the running stack.

A killed worker is replaced by the fleet, if anybody waits for one; a paused one wakes up only after another worker has
taken its pair.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from local.errors import TimedOutError
from local.runtime.events import Event, milestone
from local.stack.stack import Stack
from tests.chaos.ledger import Ledger
from tests.chaos.plan import Chain, Strike, Trouble
from tests.chaos.post import Post, Sent
from tests.chaos.tables import Tables
from webordinary.contract.messages.ownership import WorkerRequest
from webordinary.contract.messages.report import ReportKind, WorkerReport

# A successor comes after the lease, its margin, a sweep and the visibility of what the sleeper had received.
TAKEOVER_SECONDS = 60.0


@dataclass
class Troubles:
    stack: Stack
    post: Post
    tables: Tables
    ledger: Ledger
    over: threading.Event
    _asleep: set[str] = field(default_factory=set)
    _pool: threading.Lock = field(default_factory=threading.Lock)
    _stalls: threading.Lock = field(default_factory=threading.Lock)

    def carry_out(self, chain: Chain) -> None:
        since = 0
        for strike in chain:
            try:
                sent = self.post.wait_for(strike.mail)
                event = self._awaited(strike, sent, since)
            except TimedOutError as error:
                self.ledger.missed(strike, str(error))
                return
            if strike.trouble is not Trouble.SLEEP:
                self.over.wait(strike.delay)
            since = self.stack.events.position()
            self._strike(strike, sent, event)

    def _awaited(self, strike: Strike, sent: Sent, since: int) -> Event:
        by_job = milestone(strike.after, job_id=sent.job_id)
        by_pair = milestone(strike.after, pair=sent.pair.key)
        # Where its pair has a worker already, none is started for a mail: then that one is hit as it begins.
        begun = milestone("agent_started", job_id=sent.job_id)

        def matches(event: Event) -> bool:
            if strike.after == "worker_started":
                return event.milestone == "worker_started" or begun(event)
            return by_pair(event) if strike.after == "pair_claimed" else by_job(event)

        what = f"{strike.after} of mail {strike.mail}"
        return self.stack.events.wait_for(matches, self.post.seconds_left(), since=since, what=what)

    def _strike(self, strike: Strike, sent: Sent, event: Event) -> None:
        actions: dict[Trouble, Callable[[Strike, Sent, Event], None]] = {
            Trouble.KILL: self._kill,
            Trouble.SLEEP: self._sleep,
            Trouble.SHORT_STALL: self._stall,
            Trouble.LONG_STALL: self._stall,
            Trouble.REPORT_TWICE: self._report_again,
            Trouble.CLAIM_TWICE: self._claim_again,
            Trouble.MAIL_TWICE: self._deliver_again,
        }
        actions[strike.trouble](strike, sent, event)

    def _kill(self, strike: Strike, sent: Sent, event: Event) -> None:
        victim, since = self._worker_of(sent, event), self.stack.events.position()
        killed = self._end(victim)
        if not killed:  # another strike was faster: whoever takes over is hit instead
            victim = self._next_owner(sent, since)
            killed = self._end(victim)
        if killed:
            self.ledger.hit(strike, f"{victim} of {sent.pair}")
        else:
            self.ledger.missed(strike, f"{victim} was out of reach already")

    def _worker_of(self, sent: Sent, event: Event) -> str:
        """Who is meant by a milestone: the worker that said it, that was started, or that has the pair."""
        if event.source.startswith("worker-"):
            return event.source
        if event.milestone == "worker_started":
            return f"worker-{event.fields['container_id'][:8]}"
        owners = self.stack.events.all(milestone("pair_claimed", pair=sent.pair.key))
        return owners[-1].source if owners else "nobody"

    def _end(self, victim: str) -> bool:
        """Kills a worker that is awake; False if there is no such worker."""
        with self._pool:
            if victim in self._asleep or victim not in self.stack.workers.running():
                return False
            self.stack.workers.kill(victim)
            return True

    def _next_owner(self, sent: Sent, since: int) -> str:
        taken = milestone("pair_claimed", pair=sent.pair.key)
        try:
            return self.stack.events.wait_for(taken, TAKEOVER_SECONDS, since=since, what="a takeover").source
        except TimedOutError:
            return "nobody"

    def _sleep(self, strike: Strike, sent: Sent, event: Event) -> None:
        sleeper = event.source
        with self._pool:
            if sleeper not in self.stack.workers.running():
                self.ledger.missed(strike, f"{sleeper} was out of reach already")
                return
            self._asleep.add(sleeper)
            self.stack.workers.pause(sleeper)
        fell_asleep = time.monotonic()
        try:
            successor = self._next_owner(sent, self.stack.events.position())
            self.over.wait(strike.delay)
        finally:
            self.stack.workers.resume(sleeper)
            self._asleep.discard(sleeper)
        seconds = time.monotonic() - fell_asleep
        self.ledger.hit(strike, f"{sleeper} of {sent.pair} for {seconds:.1f} s, woke up after {successor} took over")

    def _stall(self, strike: Strike, _sent: Sent, _event: Event) -> None:
        timing = self.tables.timing
        if strike.trouble is Trouble.SHORT_STALL:
            seconds = timing.renewal_seconds + 1
        else:
            seconds = timing.lease_seconds + timing.clock_margin_seconds + 1
        with self._stalls:
            self.stack.emulator.pause()
            try:
                self.over.wait(seconds)
            finally:
                self.stack.emulator.resume()
        self.ledger.hit(strike, f"for {seconds:g} s")

    def _report_again(self, strike: Strike, sent: Sent, _event: Event) -> None:
        record = self.tables.jobs.get(sent.pair, sent.job_id)
        report = WorkerReport(
            kind=ReportKind.FINISHED,
            pair=sent.pair,
            job_id=sent.job_id,
            fence=record.fence or 1,
            container_id="worker-of-before",
            sent_at=datetime.now(UTC),
            outcome=record.outcome,
        )
        self.tables.queues.send_in_order(
            "output", report, group=sent.pair.key, deduplication_id=f"{sent.job_id}-again-{time.monotonic_ns()}"
        )
        self.ledger.hit(strike, f"{record.state} with fence {record.fence}")

    def _claim_again(self, strike: Strike, sent: Sent, _event: Event) -> None:
        request = WorkerRequest(pair=sent.pair, job_id=sent.job_id, requested_at=datetime.now(UTC))
        self.tables.queues.send("unclaimed", request)
        self.ledger.hit(strike, f"for {sent.pair}")

    def _deliver_again(self, strike: Strike, sent: Sent, _event: Event) -> None:
        s3 = self.stack.emulated.client("s3")
        bucket, key = self.stack.names.bucket("raw_mail"), self.stack.names.object_prefix("raw_mail") + sent.job_id
        s3.put_object(Bucket=bucket, Key=key, Body=s3.get_object(Bucket=bucket, Key=key)["Body"].read())
        self.ledger.hit(strike, f"from {sent.mail.writer.sender}")
