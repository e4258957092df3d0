"""A worker's part in the trace of a mail, told by whoever takes its report: workers themselves may not write traces.

The job carries the trace that its dispatch belongs to, if that is recorded. Without one nothing is told. A part that
cannot be told is lost, and nothing else with it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.telemetry import logger
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.report import WorkerReport

_HEADER = re.compile(r"^Root=(?P<root>1-[0-9a-f]{8}-[0-9a-f]{24});Parent=(?P<parent>[0-9a-f]{16});Sampled=1(;.*)?$")


@dataclass(frozen=True)
class WorkerTraces:
    client: Callable[[], Any]  # of X-Ray, made when the first part is told
    name: str
    clock: Clock = utc_now

    def tell(self, job: Job, report: WorkerReport, outcome: Outcome) -> None:
        """Adds what the worker did to the job's trace. Told twice, it is the same part."""
        trace = _HEADER.match(job.trace)
        if trace is None:
            return
        # When it began and ended is the worker's word: kept between the mail's arrival and now.
        end = min(report.sent_at, self.clock())
        start = max(job.received_at, end - timedelta(seconds=outcome.usage.seconds))
        part = {
            "name": self.name,
            "id": hashlib.sha256(f"{report.job_id}\0{report.fence}".encode()).hexdigest()[:16],
            "trace_id": trace["root"],
            "parent_id": trace["parent"],
            "start_time": start.timestamp(),
            "end_time": max(start, end).timestamp(),
            "fault": outcome.state == "failed",
            "annotations": {"job": report.job_id, "worker": report.container_id},
        }
        try:
            refused = self.client().put_trace_segments(TraceSegmentDocuments=[json.dumps(part)])
        except (ClientError, BotoCoreError) as error:
            logger().warning("A worker's part of a trace was lost.", extra={"cause": str(error)})
            return
        if refused.get("UnprocessedTraceSegments"):
            logger().warning("A worker's part of a trace was refused.", extra={"job_id": report.job_id})
