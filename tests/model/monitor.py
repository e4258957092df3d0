"""Checks every write and raises when it breaks a promise of the protocol.

The monitor keeps its own records and reads stored items directly, so it does not depend on the code under test.
"""

from __future__ import annotations

import json
from collections import Counter, deque

from tests.model.expressions import Item
from tests.model.scheduler import current_actor
from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary.contract.settings import Timing

FINAL = ("done", "failed", "preempted")


class ProtocolViolationError(BaseException):
    """A broken promise. The message ends with the latest events. No code under test can catch it."""


class Monitor:
    def __init__(self, names: Names, timing: Timing, pairs: list[Pair]) -> None:
        self._ownership, self._jobs = names.table("ownership"), names.table("jobs")
        self._worker_requests = names.table("worker_requests")
        self._unclaimed = names.queue("unclaimed")
        self._window = timing.claim_window_seconds * 1000
        self._highest_fence = {pair.key: 0 for pair in pairs}
        self._runs: Counter[tuple[str, int]] = Counter()
        self._requeued_by_runner: Counter[tuple[str, int]] = Counter()
        self._requests_due: Counter[str] = Counter()
        self._published: Counter[str] = Counter()
        self._sent_jobs: set[str] = set()
        self.pair_of_task: dict[str, str] = {}  # the pair whose credentials the task has
        self.now = 0
        self.claims = 0
        self.takeovers = 0
        self.events: deque[str] = deque(maxlen=60)

    def note(self, event: str) -> None:
        self.events.append(f"{self.now / 1000:9.3f}s {event}")

    def require(self, holds: bool, promise: str) -> None:
        if not holds:
            raise ProtocolViolationError("\n".join([promise, "Latest events:", *self.events]))

    def table_written(self, table: str, old: Item, new: Item) -> None:
        if table == self._ownership:
            self._owner_changed(old, new)
        elif table == self._jobs:
            self._job_changed(old, new)
        elif table == self._worker_requests:
            self._request_recorded(old, new)

    def message_sent(self, queue: str, body: str) -> None:
        message = json.loads(body)
        if "instruction" in message:
            self._sent_jobs.add(message["jobId"])
        elif "newerJobId" in message:
            newer = message["newerJobId"]
            self.require(newer in self._sent_jobs, f"an interrupt was sent before its newer job {newer}")
        elif queue == self._unclaimed:
            pair = Pair.read(message["pair"]).key
            self.note(f"worker request for {pair}")
            self._requests_due[pair] -= 1
            self.require(self._requests_due[pair] >= 0, f"{pair}: a worker request was sent without being recorded")

    def published(self, pair: str, fence: int) -> None:
        """The worker with this fence published, right after its lease check."""
        self.note(f"{pair}: published with fence {fence}")
        newest = self._published[pair]
        self.require(fence >= newest, f"{pair}: fence {fence} published after fence {newest}")
        self._published[pair] = fence

    def credentials_issued(self, task: str, pair: str) -> None:
        first = self.pair_of_task.setdefault(task, pair)
        self.require(first == pair, f"{task} got credentials for a second pair: {first}, then {pair}")

    def _request_recorded(self, old: Item, new: Item) -> None:
        if not new:
            return
        pair = new["projectKey"]["S"]
        self._requests_due[pair] += 1
        if old:
            distance = int(new["requestedAt"]["N"]) - int(old["requestedAt"]["N"])
            self.require(distance >= self._window, f"{pair}: two worker requests {distance} ms apart")

    def _owner_changed(self, old: Item, new: Item) -> None:
        if not new:
            self.note(f"{old['projectKey']['S']}: the ownership record expires")
            return
        pair, fence = new["projectKey"]["S"], int(new["fence"]["N"])
        if fence == int(old.get("fence", {"N": "0"})["N"]):
            if "containerId" not in new:
                self.note(f"{pair}: {old['containerId']['S']} releases fence {fence}")
                actor = current_actor()
                self.takeovers += actor is not None and actor.name.startswith("fleet")  # of a worker that ended
            return
        self.note(f"{pair}: {new['containerId']['S']} claims, fence {fence}")
        self.require(fence > self._highest_fence[pair], f"{pair}: fence {fence} was used before")
        self._highest_fence[pair] = fence
        self.claims += 1
        self.takeovers += "containerId" in old and old["containerId"] != new["containerId"]

    def _job_changed(self, old: Item, new: Item) -> None:
        job, state = new["jobId"]["S"], new["state"]["S"]
        before, fence = old.get("state", {"S": ""})["S"], int(new.get("fence", {"N": "0"})["N"])
        if before in FINAL:
            unchanged = state == before and old.get("outcome") == new.get("outcome")
            self.require(unchanged, f"{job}: final state {before} changed to {state}")
            return
        if (before, old.get("fence")) == (state, new.get("fence")):
            return
        self.note(f"{job}: {before or 'unknown'} → {state} (fence {fence})")
        if state == "running":
            self._runs[job, fence] += 1
            allowed = 1 + self._requeued_by_runner[job, fence]
            self.require(self._runs[job, fence] <= allowed, f"{job}: started twice with fence {fence}")
        elif state == "waiting" and before == "running":
            self._requeued_by_runner[job, fence] += int(new["minFence"]["N"]) == fence
        elif state == "done":
            summary = json.loads(new["outcome"]["S"])["summary"]
            self.require(summary == f"fence {fence}", f"{job}: run by fence {fence}, but finished by {summary}")
            self.require(before == "running", f"{job}: done without running (it was {before})")
