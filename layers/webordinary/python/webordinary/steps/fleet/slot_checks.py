"""Checks every taken slot, and stops workers.

| finding | action |
|---|---|
| a launch whose response was lost | repeats it: ECS knows the launch id and starts no second task |
| a worker whose task has ended | frees its slot; unless it left properly, releases its pair and requests a worker |
| such a worker that had a pair | removes its live-preview route |
| a worker that did not register in time | stops it; another one is started instead |
| a worker whose health check fails | stops it, even if busy: its job is requeued and continues on another worker |
| an idle worker with an old task definition, or surplus for a while | stops it |
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.alb_routes import LiveRoutes
from webordinary.aws.clients import Clock
from webordinary.aws.ecs_tasks import Tasks, TaskState
from webordinary.aws.telemetry import count, logger
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.ownership import RequestVerdict
from webordinary.contract.settings import Timing
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.steps.fleet.findings import FleetPass
from webordinary.steps.fleet.launcher import WorkerLauncher
from webordinary.tables.ownership import OwnershipLostError, OwnershipTable
from webordinary.tables.workers import Phase, WorkerEntry, WorkersTable


@dataclass(frozen=True)
class SlotChecks:
    workers: WorkersTable
    worker_requests: WorkerRequests
    ownership: OwnershipTable
    tasks: Tasks
    timing: Timing
    clock: Clock
    routes: LiveRoutes | None
    launcher: WorkerLauncher

    def check(self, current: FleetPass, entry: WorkerEntry, state: TaskState | None) -> WorkerEntry | None:
        """The entry after the action that its state requires; None if its slot was freed."""
        overdue = self._seconds_in_phase(entry) > self.timing.worker_start_seconds
        if state is TaskState.ENDED or (state is None and overdue):
            self._remove(current, entry, has_ended=state is TaskState.ENDED)
            return None
        if entry.task_id is None:
            started = self.launcher.start(entry)
            current.started += started is not None and started.task_id is not None
            return started
        if state is TaskState.UNHEALTHY:
            return self._stop_unhealthy(current, entry)
        outdated = entry.definition != self.tasks.definition
        starting, idle = entry.phase is Phase.STARTING, entry.phase is Phase.IDLE
        if (starting and overdue) or (outdated and (starting or idle)):
            reason = "It did not register in time." if overdue else "There is a newer task definition."
            return self._stop(current, entry, reason)
        if entry.phase is Phase.STOPPING:
            self._stop_task(entry, "It is stopped again.")
        return entry

    def _remove(self, current: FleetPass, entry: WorkerEntry, *, has_ended: bool) -> None:
        has_left = entry.phase is Phase.GONE
        if entry.pair is not None and entry.job_id is not None and not has_left:
            if has_ended:
                self._release_lease(entry.pair, entry.task_id)
            # The worker may have died after its request was cleared and before it served the pair.
            verdict = self.worker_requests.request(entry.pair, entry.job_id).verdict
            current.outdated = current.outdated or verdict is RequestVerdict.SENT
        if entry.holds is not None:
            self._clear_route(entry.launch.slot)
        if not self.workers.free(entry.launch.slot, entry.launch.launch_id, entry.step):
            current.outdated = True  # it was assigned a pair since this pass read its entry
            return
        current.freed += 1
        if not has_left:
            logger().warning("A worker ended without leaving; freed its slot.", extra={"task": entry.task_id})

    def _release_lease(self, pair: Pair, task_id: str | None) -> None:
        """Releases the lease of an ended task, so that the next owner need not wait for its expiry."""
        owner = self.ownership.inspect(pair)
        if owner.container_id is not None and owner.container_id == task_id:
            with suppress(OwnershipLostError):
                self.ownership.release_lease(owner)

    def _clear_route(self, slot: str) -> None:
        """Called before the slot is freed: the next worker of the slot may be routed to at once."""
        if self.routes is None:
            return
        try:
            self.routes.clear(slot)
        except (BotoCoreError, ClientError) as error:
            # Requests time out at the load balancer until the next worker of this slot has a route.
            logger().warning("Could not remove a live-preview route.", extra={"slot": slot, "cause": str(error)})
            count("LivePreviews.failed")

    def stop_surplus(self, current: FleetPass, stops: int) -> None:
        idle = [entry for entry in current.taken if entry.phase is Phase.IDLE and self.is_surplus_long(entry)]
        for entry in idle[:stops]:
            current.taken[current.taken.index(entry)] = self._stop(current, entry, "No pair waits for it.")

    def is_surplus_long(self, entry: WorkerEntry) -> bool:
        return self._seconds_in_phase(entry) > self.timing.surplus_seconds

    def _stop(self, current: FleetPass, entry: WorkerEntry, reason: str) -> WorkerEntry:
        if not self.workers.stop(entry):
            return replace(entry, phase=Phase.BUSY)  # it changed since this pass read its entry
        current.stopped += 1
        self._stop_task(entry, reason)
        return replace(entry, phase=Phase.STOPPING)

    def _stop_unhealthy(self, current: FleetPass, entry: WorkerEntry) -> WorkerEntry:
        reason = "Its health check fails."
        count("Fleet.unhealthy")
        if entry.phase in (Phase.STARTING, Phase.IDLE):
            return self._stop(current, entry, reason)
        self._stop_task(entry, reason)  # when it has ended, its slot is freed and its pair gets a new request
        return entry

    def _stop_task(self, entry: WorkerEntry, reason: str) -> None:
        try:
            self.tasks.stop(entry.task_id or "", reason)
        except (BotoCoreError, ClientError) as error:
            logger().warning(
                "Could not stop a worker; the next run retries.", extra={"task": entry.task_id, "cause": str(error)}
            )

    def _seconds_in_phase(self, entry: WorkerEntry) -> float:
        return (self.clock() - entry.since).total_seconds()
