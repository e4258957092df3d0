"""Gives workers their pairs: the only one who claims, and the only one who may become the worker of a pair.

    ask ─▶ registered? ─▶ wait for a worker request ─▶ wanted? ─▶ busy ─▶ claim ─┬─ won ─▶ hold ─▶ credentials
                                                       └─ drop it               └─ owned ─▶ idle again

A worker is the task that AWS says it is. It needs a slot in the fleet, which its launch has, and gets one pair in its
life: the first whose rights it was given. What it was busy with is in its entry, so whichever answer gets lost, the
same task asks again and gets the same pair, with a greater fence. A request is deleted once the pair is claimed, never
before: what dies in between is asked again, or the fleet asks for the pair of the worker that ended.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws import clients, telemetry
from webordinary.aws.alb_routes import LiveRoutes, NoRouteError
from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.fleet_trigger import FleetTrigger
from webordinary.aws.queues import Queues, ReceivedMessage
from webordinary.aws.sts_sessions import PairSessions
from webordinary.aws.telemetry import count, logger, measure
from webordinary.contract.errors import InvalidMessageError
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.broker import (
    BrokerAction,
    BrokerAnswer,
    BrokerRequest,
    Grant,
    PairCredentials,
    RepositoryAccess,
)
from webordinary.contract.messages.ownership import WorkerRequest
from webordinary.contract.settings import BrokerSettings, Timing
from webordinary.repositories.installation_tokens import RepositoryTokens
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import Ownership, OwnershipLostError, OwnershipTable, PairOwnedError
from webordinary.tables.pauses import Pauses
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.threads import Threads
from webordinary.tables.worker_requests import WorkerRequests
from webordinary.tables.workers import Assignment, NotRegisteredError, Phase, WorkerEntry, WorkersTable

# Longer than two renewals: a request must not come back while its taker looks alive.
REQUEST_VISIBILITY_SECONDS = 60

OpenSession = Callable[[Pair, str], PairCredentials]
OpenRepository = Callable[[str], RepositoryAccess]


@dataclass(frozen=True)
class Broker:
    workers: WorkersTable
    queues: Queues
    jobs: JobsTable
    ownership: OwnershipTable
    worker_requests: WorkerRequests
    open_session: OpenSession
    timing: Timing
    open_repository: OpenRepository = lambda _: RepositoryAccess(unreachable=True)
    belongs_to: Callable[[str, Pair], bool] = lambda *_: False
    routes: LiveRoutes | None = None
    is_paused: Callable[[str], bool] = lambda _: False
    clock: Clock = utc_now
    monotonic: Callable[[], float] = time.monotonic

    @classmethod
    def from_settings(cls, settings: BrokerSettings) -> Self:
        dynamodb, names, timing = clients.dynamodb(), settings.names, settings.timing
        queues, projects = Queues(clients.sqs(), names), ProjectConfigs(dynamodb, names)
        fleet, paused = FleetTrigger(clients.functions(), names), Pauses(dynamodb, names).is_paused
        return cls(
            workers=WorkersTable(dynamodb, names, timing),
            queues=queues,
            jobs=JobsTable(dynamodb, names),
            ownership=OwnershipTable(dynamodb, names, timing),
            worker_requests=WorkerRequests(dynamodb, queues, names, timing, on_sent=fleet.invoke, is_paused=paused),
            open_session=PairSessions(clients.sts(), settings.access_role_arn, projects.can_publish).open,
            open_repository=RepositoryTokens.by(dynamodb, names).open,
            belongs_to=Threads(dynamodb, names).belongs_to,
            routes=LiveRoutes.by(names, settings.cluster, settings.live_listener_arn),
            timing=timing,
            is_paused=paused,
        )

    def run(self, request: BrokerRequest, task_id: str, call: str) -> BrokerAnswer:
        """`task_id` is the caller by the word of AWS, `call` a name that no other call has."""
        entry = self.workers.entry(request.slot)
        known = entry is not None and entry.launch.launch_id == request.launch_id
        if entry is None or not known or entry.task_id not in (None, task_id):
            logger().warning("Somebody asked who has no slot in the fleet.", extra={"container_id": task_id})
            count("Broker.refused")
            return BrokerAnswer(registered=False)
        try:
            asked = _Call(self, task_id, call, self.monotonic(), request.endpoint, request.thread_id)
            return asked.answer(request.ask, entry)
        except NotRegisteredError as error:
            logger().warning(str(error), extra={"container_id": task_id, "ask": request.ask})
            count("Broker.refused")
            return BrokerAnswer(registered=False)


@dataclass(frozen=True)
class _Call:
    """One call of one worker."""

    parts: Broker
    task_id: str
    call: str
    began_at: float
    endpoint: str | None = None
    thread_id: str | None = None

    def answer(self, ask: BrokerAction, entry: WorkerEntry) -> BrokerAnswer:
        match ask:
            case BrokerAction.PAIR:
                return BrokerAnswer(grant=self._pair(entry))
            case BrokerAction.CREDENTIALS:
                return BrokerAnswer(credentials=self._renewed(entry))
            case BrokerAction.REPOSITORY:
                return BrokerAnswer(repository=self.parts.open_repository(self._held(entry).project))
            case BrokerAction.SHOULD_YIELD:
                return BrokerAnswer(should_yield=self._should_yield(entry))
            case BrokerAction.SHOW:
                self._show(entry)
            case BrokerAction.HIDE:
                self._hide(entry)
            case BrokerAction.LEAVING:
                self._move(entry, Phase.LEAVING)
            case BrokerAction.GONE:
                self._gone(entry)
        return BrokerAnswer()

    # ── a pair for a worker that has none ───────────────────────────────────────────────────────────────────────

    def _pair(self, entry: WorkerEntry) -> Grant | None:
        if entry.phase is Phase.BUSY:
            return self._take_up_again(entry)
        if entry.phase is Phase.STARTING:
            entry = self._become_idle(entry)
        if entry.phase is not Phase.IDLE:
            raise NotRegisteredError(entry.launch.slot)
        received = self.parts.queues.receive(
            "unclaimed",
            wait_seconds=self.parts.timing.long_poll_seconds,
            visibility_seconds=REQUEST_VISIBILITY_SECONDS,
        )
        return self._take(entry, received) if received is not None else None

    def _take(self, entry: WorkerEntry, received: ReceivedMessage) -> Grant | None:
        """Claims the pair of a worker request, if that is wanted and nobody else has it."""
        queues = self.parts.queues
        try:
            request = WorkerRequest.read(received.body)
        except InvalidMessageError as error:
            # A newer version may read it. If none does, it goes to the dead letters, and an alarm tells.
            logger().error("A worker request that cannot be read was left in its queue.", extra={"cause": str(error)})
            count("UnreadableMessages")
            return None
        if not self._is_wanted(request.pair):
            _count("dropped")
            queues.delete("unclaimed", received)
            return None
        entry = self._become_busy(entry, request, received)
        sent_at = self.parts.monotonic()
        try:
            ownership = self.parts.ownership.claim(request.pair, self.task_id, self.endpoint)
        except PairOwnedError as error:
            _count("lost")
            self._leave_to(error.ownership, received)
            self._become_idle(entry)
            return None
        grant = self._grant(entry, ownership, sent_at)
        # In this order: with the request gone and the note left, a death here would cost a whole window.
        queues.delete("unclaimed", received)
        measure("Claims.seconds_waited", max(0.0, (self.parts.clock() - request.requested_at).total_seconds()))
        return grant

    def _take_up_again(self, entry: WorkerEntry) -> Grant | None:
        """It was busy with a pair when it was last heard of: an answer got lost, or a call died."""
        pair = entry.pair
        if pair is not None and self._is_wanted(pair):
            sent_at = self.parts.monotonic()
            try:
                return self._grant(entry, self.parts.ownership.claim(pair, self.task_id, self.endpoint), sent_at)
            except PairOwnedError:
                _count("lost")
        self._become_idle(entry)  # which one that has held its pair never is again
        return None

    def _grant(self, entry: WorkerEntry, ownership: Ownership, sent_at: float) -> Grant:
        pair, lease_end = ownership.pair, ownership.lease_expires_at
        try:
            self.parts.workers.hold(entry, self.task_id, self.call)
        except NotRegisteredError:
            self._release(ownership)
            raise
        self.parts.worker_requests.clear(pair)
        credentials = self.parts.open_session(pair, self.task_id)
        _count("won")
        given = {"pair": pair.key, "fence": ownership.fence, "container_id": self.task_id}
        logger().info("A worker was given a pair.", extra=given)
        return Grant(
            pair=pair,
            job_id=entry.job_id or "",
            container_id=self.task_id,
            fence=ownership.fence,
            lease_expires_at=lease_end or self.parts.clock(),
            waited_seconds=sent_at - self.began_at,
            credentials=credentials,
        )

    def _is_wanted(self, pair: Pair) -> bool:
        jobs = self.parts.jobs
        if self.parts.is_paused(pair.project):
            self.parts.worker_requests.clear(pair)  # after the pause the sweep asks anew, and at once
            return False
        if jobs.has_open_jobs(pair):
            return True
        # Cleared first and looked at again: a job that is recorded now either asks anew, or is seen here.
        self.parts.worker_requests.clear(pair)
        return jobs.has_open_jobs(pair)

    def _become_idle(self, entry: WorkerEntry) -> WorkerEntry:
        return self.parts.workers.move(entry, self.task_id, Phase.IDLE, self.call, None)

    def _become_busy(self, entry: WorkerEntry, request: WorkerRequest, received: ReceivedMessage) -> WorkerEntry:
        serving = Assignment(request.pair, request.job_id)
        try:
            return self.parts.workers.move(entry, self.task_id, Phase.BUSY, self.call, serving)
        except NotRegisteredError:
            self.parts.queues.hide("unclaimed", received, 0)  # for another worker, at once
            raise

    def _leave_to(self, owner: Ownership, received: ReceivedMessage) -> None:
        seconds = seconds_until_claimable(owner, self.parts.clock(), self.parts.timing)
        if seconds is None:
            self.parts.queues.delete("unclaimed", received)
        else:
            _count("stale_owner")
            self.parts.queues.hide("unclaimed", received, seconds)

    # ── a worker that has its pair ──────────────────────────────────────────────────────────────────────────────

    def _renewed(self, entry: WorkerEntry) -> PairCredentials:
        return self.parts.open_session(self._held(entry), self.task_id)

    def _held(self, entry: WorkerEntry) -> Pair:
        """The pair that the worker has by every record. Nothing of a pair is handed to anybody else."""
        if entry.holds is None or entry.phase not in (Phase.BUSY, Phase.LEAVING) or not self._owns(entry.holds):
            raise NotRegisteredError(entry.launch.slot)
        return entry.holds

    def _show(self, entry: WorkerEntry) -> None:
        """Has people who look at a thread of its pair, and of no other, asked to its door."""
        pair, thread_id, routes = self._held(entry), self.thread_id, self.parts.routes
        if routes is None:
            return  # and without a load balancer the broker has no right to look threads up
        if thread_id is None or not self.parts.belongs_to(thread_id, pair):
            raise NotRegisteredError(entry.launch.slot)
        with _only_a_look():
            routes.show(entry.launch.slot, self.task_id, pair.project, thread_id)

    def _hide(self, entry: WorkerEntry) -> None:
        """Its own slot and no other, so it need not own the pair any more."""
        routes, thread_id = self.parts.routes, self.thread_id
        if routes is not None and entry.holds is not None and thread_id is not None:
            with _only_a_look():
                routes.hide(entry.launch.slot, entry.holds.project, thread_id)

    def _should_yield(self, entry: WorkerEntry) -> bool:
        """Whether it should leave for somebody who waits. Each worker is told so for one of them, however often."""
        if entry.yields:
            return True
        if entry.holds is None or entry.phase is not Phase.BUSY or not self.parts.workers.should_yield():
            return False
        self.parts.workers.note_yield(entry)
        return True

    def _gone(self, entry: WorkerEntry) -> None:
        """The worker is done. Its slot is free once its task has ended, which only ECS can tell."""
        if entry.phase is Phase.GONE:
            return
        if entry.pair is not None:
            self._request_successor(entry.pair)
        self._move(entry, Phase.GONE)

    def _request_successor(self, pair: Pair) -> None:
        owner = self.parts.ownership.inspect(pair)
        if owner.container_id == self.task_id:
            self._release(owner)
        elif owner.container_id is not None:
            return  # it has one
        # After the release, never before: a mail that arrives in between is seen here or finds no owner itself.
        self.parts.worker_requests.clear(pair)
        waiting = self.parts.jobs.waiting_job_of(pair)
        if waiting is not None:
            self.parts.worker_requests.request(pair, waiting)

    def _move(self, entry: WorkerEntry, phase: Phase) -> None:
        serving = Assignment(entry.pair, entry.job_id) if entry.pair is not None and entry.job_id is not None else None
        self.parts.workers.move(entry, self.task_id, phase, self.call, serving)

    def _owns(self, pair: Pair) -> bool:
        return self.parts.ownership.inspect(pair).container_id == self.task_id

    def _release(self, ownership: Ownership) -> None:
        try:
            self.parts.ownership.release_lease(ownership)
        except OwnershipLostError as error:
            logger().warning(str(error))


@contextmanager
def _only_a_look() -> Iterator[None]:
    """Whatever goes wrong, the deployed files are looked at, and the worker goes on."""
    try:
        yield
    except (BotoCoreError, ClientError, NoRouteError) as error:
        logger().warning("A live preview could not be shown or hidden.", extra={"cause": str(error)})
        telemetry.count("LivePreviews.failed")


def seconds_until_claimable(owner: Ownership, now: datetime, timing: Timing) -> int | None:
    """How long to keep a worker request for a pair that is owned; None if its owner is well and will see the job.

    An owner that renews has at least `lease - renewal` left. Less than `lease - 2 * renewal` means it missed renewals.
    """
    if owner.lease_expires_at is None:
        return 1
    healthy = timedelta(seconds=timing.lease_seconds - 2 * timing.renewal_seconds)
    if owner.lease_expires_at >= now + healthy:
        return None
    claimable_at = owner.lease_expires_at + timedelta(seconds=timing.clock_margin_seconds)
    return max(1, math.ceil((claimable_at - now).total_seconds()) + 1)


def _count(what: str) -> None:
    telemetry.count(f"Claims.{what}")
