"""Adds a worker's segment to the trace of a mail. The relay writes it: workers have no access to X-Ray.

The job carries the trace header of its dispatch, if sampled. A segment that cannot be written is dropped.
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
    client: Callable[[], Any]  # X-Ray, created on first use
    name: str
    clock: Clock = utc_now

    def record(self, job: Job, report: WorkerReport, outcome: Outcome) -> None:
        """Adds the worker's segment to the job's trace. Its id is deterministic, so repeating is harmless."""
        trace = _HEADER.match(job.trace)
        if trace is None:
            return
        # The worker reports its own times: clamp them between the mail's arrival and now.
        end = min(report.sent_at, self.clock())
        start = max(job.received_at, end - timedelta(seconds=outcome.usage.seconds))
        segment = {
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
            response = self.client().put_trace_segments(TraceSegmentDocuments=[json.dumps(segment)])
        except (ClientError, BotoCoreError) as error:
            logger().warning("Could not write a worker's trace segment; dropped it.", extra={"cause": str(error)})
            return
        if response.get("UnprocessedTraceSegments"):
            logger().warning("X-Ray rejected a worker's trace segment.", extra={"job_id": report.job_id})
