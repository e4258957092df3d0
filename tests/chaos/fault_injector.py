"""Injects the faults of a plan into the running stack.

The fleet replaces a killed worker on demand. A paused worker resumes only after another worker has claimed its pair.
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
from tests.chaos.fault_log import FaultLog
from tests.chaos.mail_streams import MailStreams, SentMail
from tests.chaos.plan import Chain, Fault, FaultKind
from tests.chaos.tables import Tables
from webordinary.contract.messages.ownership import WorkerRequest
from webordinary.contract.messages.report import ReportKind, WorkerReport

# A successor claims after the lease, its margin, a sweep and the visibility timeout of the received messages.
TAKEOVER_SECONDS = 300.0


@dataclass
class FaultInjector:
    stack: Stack
    mail_streams: MailStreams
    tables: Tables
    fault_log: FaultLog
    finished: threading.Event
    _paused: set[str] = field(default_factory=set)
    _worker_lock: threading.Lock = field(default_factory=threading.Lock)
    _emulator_lock: threading.Lock = field(default_factory=threading.Lock)

    def inject_all(self, chain: Chain) -> None:
        since = 0
        for fault in chain:
            try:
                sent = self.mail_streams.wait_for(fault.mail)
                event = self._wait_for_milestone(fault, sent, since)
            except TimedOutError as error:
                self.fault_log.skipped(fault, str(error))
                return
            if fault.kind is not FaultKind.SLEEP:
                self.finished.wait(fault.delay)
            since = self.stack.events.position()
            self._inject(fault, sent, event)

    def _wait_for_milestone(self, fault: Fault, sent: SentMail, since: int) -> Event:
        by_job = milestone(fault.after, job_id=sent.job_id)
        by_pair = milestone(fault.after, pair=sent.pair.key)
        # If the pair already has a worker, none is started for the mail: the fault then hits its agent.
        agent_started = milestone("agent_started", job_id=sent.job_id)

        def matches(event: Event) -> bool:
            if fault.after == "worker_started":
                return event.milestone == "worker_started" or agent_started(event)
            return by_pair(event) if fault.after == "pair_claimed" else by_job(event)

        what = f"{fault.after} of mail {fault.mail}"
        return self.stack.events.wait_for(matches, self.mail_streams.seconds_left(), since=since, what=what)

    def _inject(self, fault: Fault, sent: SentMail, event: Event) -> None:
        actions: dict[FaultKind, Callable[[Fault, SentMail, Event], None]] = {
            FaultKind.KILL: self._kill,
            FaultKind.SLEEP: self._sleep,
            FaultKind.SHORT_STALL: self._stall,
            FaultKind.LONG_STALL: self._stall,
            FaultKind.REPORT_TWICE: self._duplicate_report,
            FaultKind.CLAIM_TWICE: self._duplicate_worker_request,
            FaultKind.MAIL_TWICE: self._duplicate_mail,
        }
        actions[fault.kind](fault, sent, event)

    def _kill(self, fault: Fault, sent: SentMail, event: Event) -> None:
        target, since = self._worker_of(sent, event), self.stack.events.position()
        killed = self._end(target)
        if not killed:  # another fault was faster: kill the next owner instead
            target = self._next_owner(sent, since)
            killed = self._end(target)
        if killed:
            self.fault_log.injected(fault, f"{target} of {sent.pair}")
        else:
            self.fault_log.skipped(fault, f"{target} was not running any more")

    def _worker_of(self, sent: SentMail, event: Event) -> str:
        """The worker of a milestone: the one that logged it, that was started, or that owns the pair."""
        if event.source.startswith("worker-"):
            return event.source
        if event.milestone == "worker_started":
            return f"worker-{event.fields['container_id'][:8]}"
        owners = self.stack.events.all(milestone("pair_claimed", pair=sent.pair.key))
        return owners[-1].source if owners else "no worker"

    def _end(self, target: str) -> bool:
        """Kills a worker; False if it is paused or not running."""
        with self._worker_lock:
            if target in self._paused or target not in self.stack.workers.running():
                return False
            self.stack.workers.kill(target)
            return True

    def _next_owner(self, sent: SentMail, since: int) -> str:
        claimed = milestone("pair_claimed", pair=sent.pair.key)
        try:
            return self.stack.events.wait_for(claimed, TAKEOVER_SECONDS, since=since, what="a takeover").source
        except TimedOutError:
            return "no worker"

    def _sleep(self, fault: Fault, sent: SentMail, event: Event) -> None:
        worker = event.source
        with self._worker_lock:
            if worker not in self.stack.workers.running():
                self.fault_log.skipped(fault, f"{worker} was not running any more")
                return
            self._paused.add(worker)
            self.stack.workers.pause(worker)
        paused_at = time.monotonic()
        try:
            successor = self._next_owner(sent, self.stack.events.position())
            self.finished.wait(fault.delay)
        finally:
            self.stack.workers.resume(worker)
            self._paused.discard(worker)
        seconds = time.monotonic() - paused_at
        self.fault_log.injected(
            fault, f"{worker} of {sent.pair} for {seconds:.1f} s, resumed after {successor} took over"
        )

    def _stall(self, fault: Fault, _sent: SentMail, _event: Event) -> None:
        timing = self.tables.timing
        if fault.kind is FaultKind.SHORT_STALL:
            seconds = timing.renewal_seconds + 1
        else:
            seconds = timing.lease_seconds + timing.clock_margin_seconds + 1
        with self._emulator_lock:
            self.stack.emulator.pause()
            try:
                self.finished.wait(seconds)
            finally:
                self.stack.emulator.resume()
        self.fault_log.injected(fault, f"for {seconds:g} s")

    def _duplicate_report(self, fault: Fault, sent: SentMail, _event: Event) -> None:
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
        self.fault_log.injected(fault, f"{record.state} with fence {record.fence}")

    def _duplicate_worker_request(self, fault: Fault, sent: SentMail, _event: Event) -> None:
        request = WorkerRequest(pair=sent.pair, job_id=sent.job_id, requested_at=datetime.now(UTC))
        self.tables.queues.send("unclaimed", request)
        self.fault_log.injected(fault, f"for {sent.pair}")

    def _duplicate_mail(self, fault: Fault, sent: SentMail, _event: Event) -> None:
        s3 = self.stack.emulated.client("s3")
        bucket, key = self.stack.names.bucket("raw_mail"), self.stack.names.object_prefix("raw_mail") + sent.job_id
        s3.put_object(Bucket=bucket, Key=key, Body=s3.get_object(Bucket=bucket, Key=key)["Body"].read())
        self.fault_log.injected(fault, f"from {sent.mail.writer.sender}")
