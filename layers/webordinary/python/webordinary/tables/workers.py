"""The workers table: one item for each slot of the fleet.

    free ──launch──▶ starting ──registers──▶ idle ◀──▶ busy ──▶ leaving ──▶ gone
                         │                    │                          │
                         └──▶ stopping ◀──────┘                          └──its task has ended──▶ free
                              too late, not needed, or with an old task definition; its task ends too

Promises:
- There are never more workers than slots: a launch takes a slot with a conditional write, and a worker whose launch has
  no slot is rejected when it registers. A slot is free again only when its task has ended.
- A busy worker is not stopped: it becomes busy before its claim, and it is stopped only by a write that finds it idle
  in the step that the fleet read. The first of the two writes makes the other fail.
- Steps of a worker are sequential: each write increments the step that it read. Of two concurrent writes one fails, and
  a delayed write changes nothing.
- A worker holds one pair in its life: after it got the credentials of a pair, no step can name another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.ecs_tasks import Capacity, Launch
from webordinary.contract.errors import WebordinaryError
from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary.contract.settings import Timing
from webordinary.tables.items import from_item, from_milliseconds, milliseconds, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

FREE = "attribute_not_exists(launchId)"
OF_LAUNCH = "launchId = :launch"
OWN_TASK = "(attribute_not_exists(taskId) OR taskId = :task)"
# A retried write finds its own step, made by the same call.
UNCHANGED = "(step = :seen OR (step = :next AND stepBy = :call))"
SAME_PAIR = "(attribute_not_exists(holds) OR holds = :pair)"
ACTIVE = "phase IN (:starting, :idle, :busy, :leaving)"
NEXT_STEP = f"{OF_LAUNCH} AND {UNCHANGED} AND {ACTIVE} AND {OWN_TASK} AND {SAME_PAIR}"
AS_SEEN = f"{OF_LAUNCH} AND step = :step AND phase IN (:starting, :idle)"
FREED = "SET phase = :free REMOVE launchId, taskId, taskDefinition, provider, step, stepBy, pair, jobId, holds, yields"

# The item with the number of missing slots: that many quiet workers should yield.
SHORTAGE = "shortage"
SHORT = "slotsMissing > :none AND notedAt > :fresh"


class Phase(StrEnum):
    STARTING = "starting"
    IDLE = "idle"
    BUSY = "busy"
    LEAVING = "leaving"
    STOPPING = "stopping"
    GONE = "gone"
    FREE = "free"


@dataclass(frozen=True)
class WorkerEntry:
    launch: Launch
    phase: Phase
    step: int
    since: datetime
    definition: str
    task_id: str | None = None
    pair: Pair | None = None
    job_id: str | None = None
    holds: Pair | None = None  # the pair whose credentials it got; never changes
    yields: bool = False


@dataclass(frozen=True)
class Assignment:
    """The pair of a busy worker, and a job of it that was open when the pair was assigned."""

    pair: Pair
    job_id: str


class NotRegisteredError(WebordinaryError):
    """The worker has lost its slot, or is being stopped."""

    def __init__(self, slot: str) -> None:
        super().__init__(f"The worker does not hold {slot} (any more); it must end.")


def slot_name(number: int) -> str:
    return f"slot-{number:04}"


def serves_lately(timing: Timing, served_at: datetime | None, now: datetime) -> bool:
    """Whether the fleet served a pair so lately that it is full, not broken.

    When all workers end at the same time, none is busy until the next ones have started.
    """
    longest = timedelta(seconds=timing.worker_start_seconds + 2 * timing.sweep_seconds)
    return served_at is not None and now - served_at < longest


class WorkersTable:
    def __init__(self, client: DynamoDBClient, names: Names, timing: Timing, clock: Clock = utc_now) -> None:
        self._client = client
        self._table = names.table("workers")
        self._timing = timing
        self._clock = clock

    def all(self) -> list[WorkerEntry]:
        """All taken slots, read consistently."""
        pages = self._client.get_paginator("scan").paginate(
            TableName=self._table,
            ConsistentRead=True,
            FilterExpression="launchId > :none",
            ExpressionAttributeValues=to_values({":none": ""}),
        )
        entries = [_read(from_item(item)) for page in pages for item in page["Items"]]
        return sorted(entries, key=lambda entry: entry.launch.slot)

    def entry(self, slot: str) -> WorkerEntry | None:
        """The worker of this slot, read consistently; None if it is free."""
        answer = self._client.get_item(TableName=self._table, Key=to_values({"slot": slot}), ConsistentRead=True)
        item = from_item(answer.get("Item") or {})
        return _read(item) if "launchId" in item else None

    def take(self, launch: Launch, definition: str) -> bool:
        """Takes a free slot for a launch. False if it is taken."""
        return self._update(
            launch.slot,
            "SET phase = :starting, launchId = :launch, provider = :provider, taskDefinition = :definition, "
            "step = :zero, since = :now",
            FREE,
            {
                ":launch": launch.launch_id,
                ":provider": launch.capacity.value,
                ":definition": definition,
                ":zero": 0,
            },
        )

    def note_task(self, launch: Launch, task_id: str) -> bool:
        values = {":launch": launch.launch_id, ":task": task_id}
        return self._update(launch.slot, "SET taskId = :task", f"{OF_LAUNCH} AND {OWN_TASK}", values)

    def stop(self, entry: WorkerEntry) -> bool:
        """Marks a starting or idle worker as stopping: it gets no pair. False if its state has changed."""
        values = {":launch": entry.launch.launch_id, ":step": entry.step}
        return self._update(entry.launch.slot, "SET phase = :stopping, since = :now", AS_SEEN, values)

    def free(self, slot: str, launch_id: str, step: int | None = None) -> bool:
        """Frees the slot of a launch; if `step` is given, only if the worker is still at this step."""
        if step is None:
            return self._update(slot, FREED, OF_LAUNCH, {":launch": launch_id})
        return self._update(slot, FREED, f"{OF_LAUNCH} AND step = :step", {":launch": launch_id, ":step": step})

    def move(
        self, entry: WorkerEntry, task_id: str, phase: Phase, call: str, assignment: Assignment | None
    ) -> WorkerEntry:
        """Writes the worker's next step on behalf of one call.

        Raises NotRegisteredError if its slot was lost, it is being stopped, or another call was faster.
        """
        return self._move(entry, task_id, phase, call, assignment, "")

    def hold(self, entry: WorkerEntry, task_id: str, call: str) -> WorkerEntry:
        """Binds the worker to the pair that it is busy with, for good. Written before it gets credentials."""
        assignment = Assignment(entry.pair, entry.job_id) if entry.pair and entry.job_id else None
        if assignment is None:
            raise NotRegisteredError(entry.launch.slot)
        return self._move(entry, task_id, Phase.BUSY, call, assignment, ", holds = :pair")

    def _move(
        self, entry: WorkerEntry, task_id: str, phase: Phase, call: str, assignment: Assignment | None, more: str
    ) -> WorkerEntry:
        values = {
            ":launch": entry.launch.launch_id,
            ":task": task_id,
            ":to": phase,
            ":seen": entry.step,
            ":next": entry.step + 1,
            ":call": call,
            ":pair": assignment.pair.key if assignment else "",
            ":job": assignment.job_id if assignment else "",
        }
        expression = (
            "SET phase = :to, step = :next, stepBy = :call, taskId = :task, since = :now, pair = :pair, jobId = :job"
        )
        if not self._update(entry.launch.slot, expression + more, NEXT_STEP, values):
            raise NotRegisteredError(entry.launch.slot)
        pair, job_id = (assignment.pair, assignment.job_id) if assignment else (None, None)
        moved = replace(entry, phase=phase, step=entry.step + 1, since=self._clock(), task_id=task_id)
        return replace(moved, pair=pair, job_id=job_id, holds=pair if more else entry.holds)

    def note_yield(self, entry: WorkerEntry) -> bool:
        values = {":launch": entry.launch.launch_id, ":yes": True}
        return self._update(entry.launch.slot, "SET yields = :yes", OF_LAUNCH, values)

    def note_shortage(self, missing: int, *, serves: bool = False) -> None:
        """Records how many waiting pairs get no worker, and that workers serve pairs."""
        self._update(
            SHORTAGE,
            f"SET slotsMissing = :missing, isFull = :full, notedAt = :now{', servedAt = :now' if serves else ''}",
            "attribute_not_exists(notedAt) OR notedAt <= :now",
            {":missing": missing, ":full": missing > 0},
        )

    def is_full(self) -> bool:
        """Whether the fleet reported lately that pairs wait for a slot, or for ECS, while other pairs are served."""
        shortage, now = self._shortage(), self._clock()
        fresh = now - timedelta(seconds=2 * self._timing.sweep_seconds)
        served = from_milliseconds(shortage["servedAt"]) if "servedAt" in shortage else None
        is_short = bool(shortage.get("isFull")) and shortage["notedAt"] > milliseconds(fresh)
        return is_short and serves_lately(self._timing, served, now)

    def should_yield(self) -> bool:
        """Whether a worker should end in favour of a waiting pair. True once for each missing slot."""
        # A cheap check: nearly always no slot is missing, and a read costs a fifth of a failed write.
        if self._shortage().get("slotsMissing", 0) <= 0:
            return False
        fresh = self._clock() - timedelta(seconds=2 * self._timing.sweep_seconds)
        values = {":less": -1, ":none": 0, ":fresh": milliseconds(fresh)}
        return self._update(SHORTAGE, "ADD slotsMissing :less", SHORT, values)

    def _shortage(self) -> dict[str, Any]:
        answer = self._client.get_item(TableName=self._table, Key=to_values({"slot": SHORTAGE}), ConsistentRead=True)
        return from_item(answer.get("Item") or {})

    def _update(self, slot: str, expression: str, condition: str, values: dict[str, Any]) -> bool:
        used = set(re.findall(r":\w+", f"{expression} {condition}"))
        phases = {f":{phase}": phase.value for phase in Phase}
        values = {**phases, ":now": milliseconds(self._clock()), **values}
        try:
            self._client.update_item(
                TableName=self._table,
                Key=to_values({"slot": slot}),
                UpdateExpression=expression,
                ConditionExpression=condition,
                ExpressionAttributeValues=to_values({name: value for name, value in values.items() if name in used}),
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        return True


def _read(item: dict[str, Any]) -> WorkerEntry:
    pair = item.get("pair")
    return WorkerEntry(
        launch=Launch(item["launchId"], item["slot"], Capacity(item["provider"])),
        phase=Phase(item["phase"]),
        step=item["step"],
        since=from_milliseconds(item["since"]),
        definition=item["taskDefinition"],
        task_id=item.get("taskId"),
        pair=Pair.from_key(pair) if pair else None,
        job_id=item.get("jobId") or None,
        holds=Pair.from_key(item["holds"]) if "holds" in item else None,
        yields=item.get("yields", False),
    )
