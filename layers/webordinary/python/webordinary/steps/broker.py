"""Assigns pairs to workers: only the broker claims pairs and opens role sessions for them.

    request ─▶ registered? ─▶ receive a worker request ─▶ needed? ─▶ busy ─▶ claim ─┬─ won ─▶ hold ─▶ credentials
                                                           └─ delete it             └─ owned ─▶ idle again

AWS identifies the calling task. A worker needs the slot of its launch and serves one pair in its life: the first whose
credentials it was given. Its entry records what it is busy with, so if a response is lost, the same task calls again
and gets the same pair with a greater fence. A worker request is deleted after the claim, never before: if the broker
dies in between, the request is delivered again, or the fleet requests a worker for the pair of the worker that ended.
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
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.repositories.installation_tokens import RepositoryTokens
from webordinary.tables.claim_rates import ClaimRates
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import Ownership, OwnershipLostError, OwnershipTable, PairOwnedError
from webordinary.tables.pauses import Pauses
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.threads import Threads
from webordinary.tables.workers import Assignment, NotRegisteredError, Phase, WorkerEntry, WorkersTable

# Longer than two renewals: a request must not be delivered again while the worker that took it looks alive.
REQUEST_VISIBILITY_SECONDS = 60

OpenSession = Callable[[Pair, str], PairCredentials]
OpenRepository = Callable[[str], RepositoryAccess]


@dataclass(frozen=True)
class _Caller:
    """The worker that calls. `call` is unique for each call."""

    task_id: str
    call: str
    called_at: float  # monotonic seconds
    endpoint: str | None = None
    thread_id: str | None = None


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
    claims: ClaimRates | None = None

    @classmethod
    def from_settings(cls, settings: BrokerSettings) -> Self:
        dynamodb, names, timing = clients.dynamodb(), settings.names, settings.timing
        projects = ProjectConfigs(dynamodb, names)
        return cls(
            workers=WorkersTable(dynamodb, names, timing),
            queues=Queues(clients.sqs(), names),
            jobs=JobsTable(dynamodb, names),
            ownership=OwnershipTable(dynamodb, names, timing),
            worker_requests=WorkerRequests.from_settings(settings, creates_queues=False),
            open_session=PairSessions(clients.sts(), settings.access_role_arn, projects.can_publish).open,
            open_repository=RepositoryTokens.from_settings(settings).open,
            belongs_to=Threads(dynamodb, names).belongs_to,
            routes=LiveRoutes.from_settings(settings),
            timing=timing,
            is_paused=Pauses(dynamodb, names).is_paused,
            claims=ClaimRates(dynamodb, names),
        )

    def run(self, request: BrokerRequest, task_id: str, call: str) -> BrokerAnswer:
        """`task_id` is the caller as identified by AWS, `call` is unique for each call."""
        entry = self.workers.entry(request.slot)
        known = entry is not None and entry.launch.launch_id == request.launch_id
        if entry is None or not known or entry.task_id not in (None, task_id):
            logger().warning("Rejected a request from an unregistered worker.", extra={"container_id": task_id})
            count("Broker.refused")
            return BrokerAnswer(registered=False)
        try:
            caller = _Caller(task_id, call, self.monotonic(), request.endpoint, request.thread_id)
            return self._answer(request.ask, caller, entry)
        except NotRegisteredError as error:
            logger().warning(str(error), extra={"container_id": task_id, "ask": request.ask})
            count("Broker.refused")
            return BrokerAnswer(registered=False)

    def _answer(self, action: BrokerAction, caller: _Caller, entry: WorkerEntry) -> BrokerAnswer:
        match action:
            case BrokerAction.PAIR:
                return BrokerAnswer(grant=self._pair(caller, entry))
            case BrokerAction.CREDENTIALS:
                return BrokerAnswer(credentials=self.open_session(self._held_pair(caller, entry), caller.task_id))
            case BrokerAction.REPOSITORY:
                return BrokerAnswer(repository=self.open_repository(self._held_pair(caller, entry).project))
            case BrokerAction.SHOULD_YIELD:
                return BrokerAnswer(should_yield=self._should_yield(entry))
            case BrokerAction.SHOW:
                self._show(caller, entry)
            case BrokerAction.HIDE:
                self._hide(caller, entry)
            case BrokerAction.LEAVING:
                self._move(caller, entry, Phase.LEAVING)
            case BrokerAction.GONE:
                self._gone(caller, entry)
        return BrokerAnswer()

    # ── a worker without a pair ─────────────────────────────────────────────────────────────────────────────────

    def _pair(self, caller: _Caller, entry: WorkerEntry) -> Grant | None:
        if entry.phase is Phase.BUSY:
            return self._grant_again(caller, entry)
        if entry.phase is Phase.STARTING:
            entry = self._become_idle(caller, entry)
        if entry.phase is not Phase.IDLE:
            raise NotRegisteredError(entry.launch.slot)
        received = self.queues.receive(
            "unclaimed",
            wait_seconds=self.timing.long_poll_seconds,
            visibility_seconds=REQUEST_VISIBILITY_SECONDS,
        )
        return self._take(caller, entry, received) if received is not None else None

    def _take(self, caller: _Caller, entry: WorkerEntry, received: ReceivedMessage) -> Grant | None:
        """Claims the pair of a worker request, if it is still needed and has no owner."""
        try:
            request = WorkerRequest.read(received.body)
        except InvalidMessageError as error:
            # A newer version may be able to read it. Otherwise it reaches the dead-letter queue, which has an alarm.
            logger().error("Left an unreadable worker request in its queue.", extra={"cause": str(error)})
            count("UnreadableMessages")
            return None
        job_id = self._open_job_of(request.pair, request.job_id)
        if job_id is None:
            _count("dropped")
            self.queues.delete("unclaimed", received)
            return None
        entry = self._become_busy(caller, entry, Assignment(request.pair, job_id), received)
        sent_at = self.monotonic()
        try:
            ownership = self.ownership.claim(request.pair, caller.task_id, caller.endpoint)
        except PairOwnedError as error:
            _count("lost")
            self._leave_to_owner(error.ownership, received)
            self._become_idle(caller, entry)
            return None
        grant = self._grant(caller, entry, ownership, sent_at)
        if self.claims is not None:
            self.claims.count()
        # In this order: if the message were deleted before the request state is cleared, a crash would cost a window.
        self.queues.delete("unclaimed", received)
        measure("Claims.seconds_waited", max(0.0, (self.clock() - request.requested_at).total_seconds()))
        return grant

    def _grant_again(self, caller: _Caller, entry: WorkerEntry) -> Grant | None:
        """The worker was busy with a pair at its last call: the response was lost, or the broker died."""
        pair = entry.pair
        if pair is not None and self._open_job_of(pair, entry.job_id) is not None:
            sent_at = self.monotonic()
            try:
                ownership = self.ownership.claim(pair, caller.task_id, caller.endpoint)
                return self._grant(caller, entry, ownership, sent_at)
            except PairOwnedError:
                _count("lost")
        self._become_idle(caller, entry)  # refused for a worker that has held its pair
        return None

    def _grant(self, caller: _Caller, entry: WorkerEntry, ownership: Ownership, sent_at: float) -> Grant:
        pair, lease_end = ownership.pair, ownership.lease_expires_at
        try:
            self.workers.hold(entry, caller.task_id, caller.call)
        except NotRegisteredError:
            self._release_lease(ownership)
            raise
        self.worker_requests.clear(pair)
        credentials = self.open_session(pair, caller.task_id)
        _count("won")
        fields = {"pair": pair.key, "fence": ownership.fence, "container_id": caller.task_id}
        logger().info("Assigned a pair to a worker.", extra=fields)
        return Grant(
            pair=pair,
            job_id=entry.job_id or "",
            container_id=caller.task_id,
            fence=ownership.fence,
            lease_expires_at=lease_end or self.clock(),
            waited_seconds=sent_at - caller.called_at,
            credentials=credentials,
        )

    def _open_job_of(self, pair: Pair, requested: str | None) -> str | None:
        """The job to claim the pair for; None if none is open or the project is paused.

        The job of a late request may have ended while the pair has a newer one.
        """
        if self.is_paused(pair.project):
            self.worker_requests.clear(pair)  # so that the sweep can request a worker right after the pause
            return None
        if (job_id := self.jobs.open_job_of(pair, requested)) is not None:
            return job_id
        # Clear first, then check again: a job recorded now either sends a new request or is seen here.
        self.worker_requests.clear(pair)
        return self.jobs.open_job_of(pair, requested)

    def _become_idle(self, caller: _Caller, entry: WorkerEntry) -> WorkerEntry:
        return self.workers.move(entry, caller.task_id, Phase.IDLE, caller.call, None)

    def _become_busy(
        self, caller: _Caller, entry: WorkerEntry, assignment: Assignment, received: ReceivedMessage
    ) -> WorkerEntry:
        try:
            return self.workers.move(entry, caller.task_id, Phase.BUSY, caller.call, assignment)
        except NotRegisteredError:
            self.queues.hide("unclaimed", received, 0)  # visible to other workers immediately
            raise

    def _leave_to_owner(self, owner: Ownership, received: ReceivedMessage) -> None:
        seconds = seconds_until_claimable(owner, self.clock(), self.timing)
        if seconds is None:
            self.queues.delete("unclaimed", received)
        else:
            _count("stale_owner")
            self.queues.hide("unclaimed", received, seconds)

    # ── a worker with a pair ────────────────────────────────────────────────────────────────────────────────────

    def _held_pair(self, caller: _Caller, entry: WorkerEntry) -> Pair:
        """The pair that the worker holds and owns. Raises NotRegisteredError unless all records agree."""
        if entry.holds is None or entry.phase not in (Phase.BUSY, Phase.LEAVING) or not self._owns(caller, entry.holds):
            raise NotRegisteredError(entry.launch.slot)
        return entry.holds

    def _show(self, caller: _Caller, entry: WorkerEntry) -> None:
        """Routes visitors of a thread of the worker's own pair to the worker."""
        pair, thread_id = self._held_pair(caller, entry), caller.thread_id
        if self.routes is None:
            return  # without a load balancer the broker has no permission to read threads
        if thread_id is None or not self.belongs_to(thread_id, pair):
            raise NotRegisteredError(entry.launch.slot)
        with _best_effort():
            self.routes.show(entry.launch.slot, caller.task_id, pair.project, thread_id)

    def _hide(self, caller: _Caller, entry: WorkerEntry) -> None:
        """Removes the route of the worker's own slot; it need not own the pair any more."""
        thread_id = caller.thread_id
        if self.routes is not None and entry.holds is not None and thread_id is not None:
            with _best_effort():
                self.routes.hide(entry.launch.slot, entry.holds.project, thread_id)

    def _should_yield(self, entry: WorkerEntry) -> bool:
        """Whether the worker should end in favour of a waiting pair. Each worker uses up one missing slot only."""
        if entry.yields:
            return True
        if entry.holds is None or entry.phase is not Phase.BUSY or not self.workers.should_yield():
            return False
        self.workers.note_yield(entry)
        return True

    def _gone(self, caller: _Caller, entry: WorkerEntry) -> None:
        """The worker is done. The fleet frees its slot when ECS reports that its task has ended."""
        if entry.phase is Phase.GONE:
            return
        if entry.pair is not None:
            self._request_successor(caller, entry.pair)
        self._move(caller, entry, Phase.GONE)

    def _request_successor(self, caller: _Caller, pair: Pair) -> None:
        owner = self.ownership.inspect(pair)
        if owner.container_id == caller.task_id:
            self._release_lease(owner)
        elif owner.container_id is not None:
            return  # another worker owns it already
        # After the release, never before: a mail that arrives in between is seen here or finds no owner itself.
        self.worker_requests.clear(pair)
        waiting = self.jobs.waiting_job_of(pair)
        if waiting is not None:
            self.worker_requests.request(pair, waiting)

    def _move(self, caller: _Caller, entry: WorkerEntry, phase: Phase) -> None:
        assignment = Assignment(entry.pair, entry.job_id) if entry.pair and entry.job_id is not None else None
        self.workers.move(entry, caller.task_id, phase, caller.call, assignment)

    def _owns(self, caller: _Caller, pair: Pair) -> bool:
        return self.ownership.inspect(pair).container_id == caller.task_id

    def _release_lease(self, ownership: Ownership) -> None:
        try:
            self.ownership.release_lease(ownership)
        except OwnershipLostError as error:
            logger().warning(str(error))


@contextmanager
def _best_effort() -> Iterator[None]:
    """Without a route visitors see the deployed files, and the worker continues."""
    try:
        yield
    except (BotoCoreError, ClientError, NoRouteError) as error:
        logger().warning(
            "Could not change the route of a live preview; visitors see the deployed files.",
            extra={"cause": str(error)},
        )
        telemetry.count("LivePreviews.failed")


def seconds_until_claimable(owner: Ownership, now: datetime, timing: Timing) -> int | None:
    """How long to hide a worker request for an owned pair; None if the owner is healthy and will see the job.

    A healthy owner has at least `lease - renewal` left. Less than `lease - 2 * renewal` means missed renewals.
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
