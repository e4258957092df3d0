"""Log lines of one job, read on request only: one call for each function and for the workers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from botocore.exceptions import ClientError

from webordinary.contract.values import contract
from webordinary_ops.console.data.job_timeline import Milestone, with_takeovers
from webordinary_ops.deployment import Deployment

MAX_LINES = 100  # of each log group
BEFORE, AFTER = timedelta(minutes=1), timedelta(hours=3)


@dataclass(frozen=True)
class LogLine:
    at: datetime
    source: str
    text: str


@dataclass(frozen=True)
class JobLog:
    lines: tuple[LogLine, ...]
    milestones: tuple[Milestone, ...]


def read_log(deployment: Deployment, job_id: str, received: datetime) -> JobLog:
    lines = sorted(_lines(deployment, job_id, received), key=lambda line: line.at)
    milestones = [one for line in lines if (one := milestone_in(line)) is not None]
    return JobLog(tuple(lines), tuple(with_takeovers(milestones)))


def milestone_in(line: LogLine) -> Milestone | None:
    try:
        content = json.loads(line.text)
        name = content["milestone"]
    except (ValueError, KeyError, TypeError):
        return None
    return Milestone(line.at, line.source, str(name))


def _lines(deployment: Deployment, job_id: str, received: datetime) -> Iterator[LogLine]:
    logs = deployment.client("logs")
    groups = {kind: f"/aws/lambda/{deployment.names.function(kind)}" for kind in contract()["functions"]}
    groups["worker"] = f"/{deployment.connection.prefix}/workers"
    for source, group in groups.items():
        try:
            answer = logs.filter_log_events(
                logGroupName=group,
                startTime=int((received - BEFORE).timestamp() * 1000),
                endTime=int((received + AFTER).timestamp() * 1000),
                filterPattern=f'"{job_id}"',
                limit=MAX_LINES,
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != "ResourceNotFoundException":
                raise
            continue
        for event in answer["events"]:
            at = datetime.fromtimestamp(event["timestamp"] / 1000, UTC)
            yield LogLine(at, source.replace("_", "-"), str(event["message"]).rstrip())
