"""Relays worker reports to Step Functions as heartbeats and task results.

A report is accepted only if its fence runs the job and it comes from the owner of this fence, according to the report
and to the sender that SQS recorded (`role id:session name`). Without a configured worker role, as on the emulator, only
the report is checked. A repeated report repeats the same effect; a stale one changes nothing; neither is retried.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from webordinary.aws import clients
from webordinary.aws.telemetry import count, logger, milestone
from webordinary.aws.tracing import WorkerTraces
from webordinary.contract.errors import UnknownJobError, WebordinaryError
from webordinary.contract.messages.report import ReportKind, WorkerReport
from webordinary.contract.names import session_name
from webordinary.contract.settings import ReportSettings
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.tables.budgets import Budgets
from webordinary.tables.idempotency import IdempotencyTable
from webordinary.tables.jobs import JobRecord, JobsTable, JobState, StaleReportError
from webordinary.tables.ownership import OwnershipTable


class ForeignReportError(WebordinaryError):
    """The report does not come from the owner of its fence. Nothing was changed."""

    def __init__(self, report: WorkerReport) -> None:
        super().__init__(
            f"Dropped a report for job {report.job_id} of {report.pair} with fence {report.fence}: "
            "its sender is not the owner of this fence."
        )


class RelayResult(StrEnum):
    BEAT = "beat"
    SETTLED = "settled"
    DROPPED = "dropped"


@dataclass(frozen=True)
class RelayCallback:
    jobs: JobsTable
    tokens: TaskTokens
    ownership: OwnershipTable
    budgets: Budgets
    worker_role_id: str | None = None
    traces: WorkerTraces | None = None

    @classmethod
    def from_settings(cls, settings: ReportSettings) -> Self:
        dynamodb = clients.dynamodb()
        jobs = JobsTable(dynamodb, settings.names)
        ownership = OwnershipTable(dynamodb, settings.names, settings.timing)
        budgets = Budgets(IdempotencyTable(dynamodb, settings.names))
        traces = WorkerTraces(clients.xray, f"{settings.prefix}-worker")
        tokens = TaskTokens(clients.stepfunctions(), jobs)
        return cls(jobs, tokens, ownership, budgets, settings.worker_role_id, traces)

    def run(self, report: WorkerReport, sender_id: str | None = None) -> RelayResult:
        """Relays a report. `sender_id` is the sender that SQS recorded."""
        try:
            self._require_owner(report, sender_id)
            if report.kind == ReportKind.HEARTBEAT:
                return self._beat(report)
            return self._finish(report)
        except (StaleReportError, UnknownJobError) as error:
            logger().warning(str(error))
            count("StaleReports")
            return RelayResult.DROPPED
        except ForeignReportError as error:
            logger().error(str(error), extra={"sender": sender_id})
            count("ForeignReports")
            return RelayResult.DROPPED

    def _require_owner(self, report: WorkerReport, sender_id: str | None) -> None:
        owner = self.ownership.owner_of(report.pair, report.fence)
        if owner is None or owner != report.container_id:
            raise ForeignReportError(report)
        if self.worker_role_id is not None and sender_id != f"{self.worker_role_id}:{session_name(owner)}":
            raise ForeignReportError(report)

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
            record = self.jobs.finish(report.pair, report.job_id, report.fence, report.outcome)
            milestone("job_ended", job_id=report.job_id, pair=report.pair.key, state=record.state.value)
        except StaleReportError as error:
            record = _finished_by_this_report(error, report)
        self.budgets.settle(record.job, report.outcome.usage.dollars)
        # After a crash at this point the job is final but unsettled: SQS delivers the report again.
        settled = self.tokens.settle(record)
        if settled and self.traces is not None:
            self.traces.record(record.job, report, report.outcome)
        return RelayResult.SETTLED if settled else RelayResult.DROPPED


def _finished_by_this_report(error: StaleReportError, report: WorkerReport) -> JobRecord:
    """The record, if an earlier delivery of the same report finished the job. Otherwise raises `error`."""
    record = error.record
    if record and record.state.is_final and record.fence == report.fence and record.outcome == report.outcome:
        return record
    raise error
