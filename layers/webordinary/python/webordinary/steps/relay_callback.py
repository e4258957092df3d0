"""Relays worker reports to Step Functions as heartbeats and task results.

A worker chooses the body and the group of its messages; SQS records the sender (`role id:session name`). So the sender
is checked first: it must be a recent owner of the pair whose group the message is in. Then the report must name that
pair, the sender's fence, and a job that runs under it. Everything else is dropped and acknowledged, so no message can
hold back the group of another pair. An unreadable report of an owner moves to the dead letters at once. Without a
configured worker role, as on the emulator, only the report is checked.

A repeated report repeats the same effect; a stale one changes nothing; neither is retried.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Self

from webordinary.aws import clients
from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.queues import Queues
from webordinary.aws.telemetry import count, logger, milestone
from webordinary.aws.tracing import WorkerTraces
from webordinary.contract.errors import InvalidMessageError, UnknownJobError
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.report import ReportKind, UnreadableReport, WorkerReport
from webordinary.contract.outcomes import Failure
from webordinary.contract.settings import ReportSettings
from webordinary.contract.values import limit
from webordinary.protocol.senders import Senders
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.tables.budgets import Budgets
from webordinary.tables.idempotency import IdempotencyTable
from webordinary.tables.jobs import JobRecord, JobsTable, JobState, StaleReportError, UnreadableJobError
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.second_attempts import gets_second_attempt
from webordinary.tables.spending import Spending


class RelayResult(StrEnum):
    BEAT = "beat"
    SETTLED = "settled"
    DROPPED = "dropped"
    UNREADABLE = "unreadable"  # moved to the dead letters


@dataclass(frozen=True)
class RelayCallback:
    jobs: JobsTable
    tokens: TaskTokens
    senders: Senders
    budgets: Budgets
    queues: Queues
    traces: WorkerTraces | None = None
    clock: Clock = utc_now

    @classmethod
    def from_settings(cls, settings: ReportSettings) -> Self:
        dynamodb = clients.dynamodb()
        jobs = JobsTable(dynamodb, settings.names)
        return cls(
            jobs=jobs,
            tokens=TaskTokens(clients.stepfunctions(), jobs),
            senders=Senders(OwnershipTable(dynamodb, settings.names, settings.timing), settings.worker_role_id),
            budgets=Budgets(IdempotencyTable(dynamodb, settings.names), Spending(dynamodb, settings.names)),
            queues=Queues(clients.rarely_used(clients.sqs), settings.names),
            traces=WorkerTraces(clients.xray, f"{settings.prefix}-worker"),
        )

    def run(self, body: str, group: str, sender_id: str | None = None) -> RelayResult:
        """Relays a message of the output queue."""
        try:
            return self.relay(body, group, sender_id)
        except InvalidMessageError as error:
            # It would hold back later reports of its pair. Among the dead letters, a newer version may read it.
            logger().error("Moved an unreadable report to the dead letters.", extra={"cause": str(error)})
            count("UnreadableMessages")
            self._move_to_dead_letters(UnreadableReport(body=body, group=group, sender_id=sender_id))
            return RelayResult.UNREADABLE

    def relay(self, body: str, group: str, sender_id: str | None) -> RelayResult:
        """Relays a message; raises InvalidMessageError only if its sender is an owner of the group's pair."""
        owners = self._owners_of(group)
        if not self.senders.is_one_of(owners.values(), sender_id):
            return _drop_foreign(f"a message in the group {group[:80]!r}", sender_id)
        report = WorkerReport.read(body)
        if report.pair.key != group:
            return _drop_foreign(_named(report), sender_id)
        return self._relay(report, owners, sender_id)

    def _relay(self, report: WorkerReport, owners: Mapping[int, str], sender_id: str | None) -> RelayResult:
        owner = owners.get(report.fence)
        if owner is None or owner != report.container_id or not self.senders.is_one_of([owner], sender_id):
            return _drop_foreign(_named(report), sender_id)
        try:
            if report.kind == ReportKind.HEARTBEAT:
                return self._beat(report)
            return self._finish(report)
        except (StaleReportError, UnknownJobError, UnreadableJobError) as error:
            logger().warning(str(error))
            count("StaleReports")
            return RelayResult.DROPPED

    def _owners_of(self, group: str) -> dict[int, str]:
        try:
            return self.senders.ownership.recent_owners(Pair.from_key(group))
        except InvalidMessageError:
            return {}

    def _move_to_dead_letters(self, report: UnreadableReport) -> None:
        # The same message delivered again is stored once.
        digest = hashlib.sha256(report.wire_text().encode()).hexdigest()
        self.queues.send_in_order("output_dead_letters", report, group=report.group, deduplication_id=digest)

    def _beat(self, report: WorkerReport) -> RelayResult:
        record = self.jobs.get(report.pair, report.job_id)
        if record.state != JobState.RUNNING or record.fence != report.fence:
            raise StaleReportError(report.pair, report.job_id, report.fence, record)
        return RelayResult.BEAT if self.tokens.beat(record) else RelayResult.DROPPED

    def _finish(self, report: WorkerReport) -> RelayResult:
        if report.outcome is None:
            logger().error("Dropped a final report without an outcome.", extra={"job_id": report.job_id})
            count("PoisonMessages")
            return RelayResult.DROPPED
        try:
            again = self._tries_again_at(report, report.outcome)
            record = self.jobs.finish(report.pair, report.job_id, report.fence, report.outcome, again)
            milestone("job_ended", job_id=report.job_id, pair=report.pair.key, state=record.state.value)
        except StaleReportError as error:
            record = _finished_by_this_report(error, report)
        self.budgets.settle(record.job, report.outcome.usage)
        # After a crash at this point the job is final but unsettled: SQS delivers the report again.
        settled = self.tokens.settle(record)
        if settled and self.traces is not None:
            self.traces.record(record.job, report, report.outcome)
        return RelayResult.SETTLED if settled else RelayResult.DROPPED

    def _tries_again_at(self, report: WorkerReport, outcome: Outcome) -> datetime | None:
        """The time of the second attempt, if this outcome gets one. The job is the one in the table."""
        if outcome.failure is not Failure.MODEL_BUSY:
            return None
        job = self.jobs.get(report.pair, report.job_id).job
        delay = timedelta(minutes=limit("minutes_until_second_attempt"))
        return self.clock() + delay if gets_second_attempt(job, outcome) else None


def _finished_by_this_report(error: StaleReportError, report: WorkerReport) -> JobRecord:
    """The record, if an earlier delivery of the same report finished the job. Otherwise raises `error`."""
    record = error.record
    if record and record.state.is_final and record.fence == report.fence and record.outcome == report.outcome:
        return record
    raise error


def _drop_foreign(what: str, sender_id: str | None) -> RelayResult:
    logger().error(f"Dropped {what}: its sender is not the owner.", extra={"sender": sender_id})
    count("ForeignReports")
    return RelayResult.DROPPED


def _named(report: WorkerReport) -> str:
    return f"a report for job {report.job_id} of {report.pair} with fence {report.fence}"
