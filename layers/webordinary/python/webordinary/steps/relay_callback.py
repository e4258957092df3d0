"""The callback relay: worker reports become heartbeats and ends of tasks.

A report counts only if its fence is the one that runs the job. A report that comes twice repeats what the first one
did; a stale one changes nothing; neither is retried.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from webordinary.platform import clients
from webordinary.platform.errors import UnknownJobError
from webordinary.platform.messages import ReportKind, WorkerReport
from webordinary.platform.observability import count, logger, milestone
from webordinary.platform.settings import Settings
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.tables.jobs import JobRecord, JobsTable, JobState, StaleReportError


class Relayed(StrEnum):
    BEAT = "beat"
    SETTLED = "settled"
    DROPPED = "dropped"


@dataclass(frozen=True)
class RelayCallback:
    jobs: JobsTable
    tokens: TaskTokens

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        jobs = JobsTable(clients.dynamodb(), settings.names)
        return cls(jobs, TaskTokens(clients.stepfunctions(), jobs))

    def run(self, report: WorkerReport) -> Relayed:
        try:
            if report.kind == ReportKind.HEARTBEAT:
                return self._beat(report)
            return self._finish(report)
        except (StaleReportError, UnknownJobError) as error:
            logger().warning(str(error))
            count("StaleReports")
            return Relayed.DROPPED

    def _beat(self, report: WorkerReport) -> Relayed:
        record = self.jobs.get(report.pair, report.job_id)
        if record.state != JobState.RUNNING or record.fence != report.fence:
            raise StaleReportError(report.pair, report.job_id, report.fence, record)
        return Relayed.BEAT if self.tokens.beat(record) else Relayed.DROPPED

    def _finish(self, report: WorkerReport) -> Relayed:
        if report.outcome is None:
            logger().error("a finished report without an outcome was dropped", extra={"job_id": report.job_id})
            count("PoisonMessages")
            return Relayed.DROPPED
        try:
            record = self.jobs.finish(report.pair, report.job_id, report.fence, report.outcome)
            milestone("job_ended", job_id=report.job_id, pair=report.pair.key, state=record.state.value)
        except StaleReportError as error:
            record = _finished_by_this_report(error, report)
        # Between the line above and the one below a crash leaves the job final but open: the report comes again.
        return Relayed.SETTLED if self.tokens.settle(record) else Relayed.DROPPED


def _finished_by_this_report(error: StaleReportError, report: WorkerReport) -> JobRecord:
    """The record, if an earlier delivery of this same report finished it. Otherwise the report is stale."""
    record = error.record
    if record and record.state.is_final and record.fence == report.fence and record.outcome == report.outcome:
        return record
    raise error
