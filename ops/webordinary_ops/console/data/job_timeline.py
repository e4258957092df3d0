"""The timeline of one job: its record, the path of its execution, and what its worker did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from botocore.exceptions import ClientError

from webordinary.contract.errors import UnknownJobError
from webordinary.contract.messages.base import Pair
from webordinary.tables.job_records import JobRecord, JobState, UnreadableJobError
from webordinary.tables.ownership import Ownership
from webordinary_ops.console.machine.execution_path import ExecutionPath, execution_path
from webordinary_ops.console.machine.layout import BOXES
from webordinary_ops.console.words import milestone_words
from webordinary_ops.deployment import Deployment
from webordinary_ops.job_finder import JobFinder

TAKEN_OVER = "pair_taken_over"
ENDS = ("job_ended", "job_settled", "reply_sent")  # logged by functions, when the result has arrived
MAX_PAGES = 2
PAGE_OF_EVENTS = 1000


@dataclass(frozen=True)
class Milestone:
    """Something that a function or the worker logged about a job."""

    at: datetime
    source: str
    name: str
    detail: str = ""

    @property
    def words(self) -> str:
        return milestone_words(self.name)


def with_takeovers(milestones: Iterable[Milestone]) -> list[Milestone]:
    """In order of time; a pair that another worker claims for the same job was taken over from a lost worker.

    A claim after the job's end is left out: the job ended after the broker had read it.
    """
    found, owner, ended = list[Milestone](), "", False
    for one in sorted(milestones, key=lambda one: one.at):
        ended = ended or one.name in ENDS
        if one.name == "pair_claimed" and ended:
            continue
        if one.name == "pair_claimed":
            took_over = owner not in ("", one.source)
            detail = f"from {owner}, {one.detail}".rstrip(", ") if took_over else one.detail
            found.append(replace(one, name=TAKEN_OVER, detail=detail) if took_over else one)
            owner = one.source
        else:
            found.append(one)
    return found


@dataclass(frozen=True)
class TimedStep:
    """A row of the waterfall, as shares of the whole time in percent."""

    words: str
    source: str
    start: float
    width: float
    seconds: float
    kind: str  # wait, run or done
    running: bool = False


@dataclass(frozen=True)
class JobTimeline:
    thread_id: str
    job_id: str
    record: JobRecord | None
    path: ExecutionPath
    owner: Ownership | None
    links: dict[str, str]
    now: datetime

    @property
    def received(self) -> datetime | None:
        return self.record.job.received_at if self.record else self.path.started

    @property
    def dollars_so_far(self) -> float | None:
        """What the worker reports while the job runs."""
        if self.record is None or self.owner is None or self.record.state != JobState.RUNNING:
            return None
        return self.owner.dollars_so_far(self.job_id, self.record.fence)

    @property
    def seconds(self) -> float:
        """From the start of the execution to its end, or to now."""
        if self.path.started is None:
            return 0.0
        return max(0.1, ((self.path.ended or self.now) - self.path.started).total_seconds())


def read_job_timeline(deployment: Deployment, thread_id: str, pair: Pair, job_id: str) -> JobTimeline:
    """At most five calls."""
    record = _record(deployment, pair, job_id)
    finder = JobFinder(deployment)
    return JobTimeline(
        thread_id=thread_id,
        job_id=job_id,
        record=record,
        path=execution_path(_events(deployment, finder.execution_arn(job_id))),
        owner=deployment.ownership.inspect(pair) if record and not record.state.is_final else None,
        links={} if deployment.connection.is_local else finder.links(job_id),
        now=deployment.clock(),
    )


def waterfall(job: JobTimeline, milestones: Sequence[Milestone]) -> list[TimedStep]:
    """The steps that took time. The work of the worker is split by its milestones, if they are known."""
    start = job.path.started
    if start is None:
        return []
    steps = []
    for visit in job.path.visits:
        if visit.name not in BOXES or (visit.seconds(job.now) < 0.05 and visit.left is not None):
            continue
        inner = _worker_steps(job, milestones) if visit.name == "Dispatch" else []
        kind = "wait" if visit.name == "Dispatch" else "done"
        if not inner:
            box = BOXES[visit.name]
            if visit.name in ("Prepare", "ProcessAttachments") or box.height == 0:
                continue
            steps.append(_step(job, box.words, visit.name, visit.entered, visit.left, kind))
        steps.extend(inner)
    return steps


def _worker_steps(job: JobTimeline, milestones: Sequence[Milestone]) -> list[TimedStep]:
    visit = job.path.by_name["Dispatch"]
    marks = sorted((one for one in milestones if one.name in WORK), key=lambda one: one.at)
    if not marks:
        return []
    steps, since, words = [], visit.entered, "Waiting for a worker"
    for mark in marks:
        steps.append(_step(job, words, mark.source, since, mark.at, "wait" if mark is marks[0] else "run"))
        since, words = mark.at, WORK[mark.name]
    steps.append(_step(job, words, marks[-1].source, since, visit.left, "run"))
    return [step for step in steps if step.seconds >= 0.05 or step.running]


# What begins with a milestone of the worker.
WORK = {
    "pair_claimed": "Get the repository",
    TAKEN_OVER: "Get the repository again",
    "agent_started": "Claude Code edits",
    "agent_finished": "Astro builds",
    "site_built": "Push the change",
    "branch_pushed": "Deploy the preview",
    "site_deployed": "Report the result",
    "site_published": "Report the result",
    "job_reported": "Return the result",
}


def _step(job: JobTimeline, words: str, source: str, since: datetime, until: datetime | None, kind: str) -> TimedStep:
    start = job.path.started or since
    seconds = max(0.0, ((until or job.now) - since).total_seconds())
    scale = 100 / job.seconds
    left = min(100.0, max(0.0, (since - start).total_seconds() * scale))
    running = until is None
    return TimedStep(
        words, source, round(left, 2), round(min(100 - left, max(0.4, seconds * scale)), 2), seconds,
        "run" if running and kind != "wait" else kind, running,
    )  # fmt: skip


def _record(deployment: Deployment, pair: Pair, job_id: str) -> JobRecord | None:
    try:
        return deployment.jobs.get(pair, job_id)
    except (UnknownJobError, UnreadableJobError):
        return None  # it needed no worker, has expired, or was written by a newer version


def _events(deployment: Deployment, arn: str) -> list[dict[str, Any]]:
    client, found, more = deployment.client("stepfunctions"), list[dict[str, Any]](), ""
    for _ in range(MAX_PAGES):
        try:
            answer = client.get_execution_history(
                executionArn=arn,
                maxResults=PAGE_OF_EVENTS,
                includeExecutionData=False,
                **({"nextToken": more} if more else {}),
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != "ExecutionDoesNotExist":
                raise
            return []
        found += answer["events"]
        more = answer.get("nextToken", "")
        if not more:
            break
    return found
