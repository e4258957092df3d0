"""A worker's life: it registers, takes one claim request that is wanted, serves the pair until it is quiet, and ends.

    unclaimed request ─▶ wanted? ─▶ busy ─▶ claim ─┬─ won ─▶ delete request ─▶ serve ─▶ release ─▶ look what waits
                            └─ drop it             └─ owned ─▶ delete the request, or keep it until the lease ends

The request is deleted once the pair is ready to be served and never before the claim: a worker that dies in between
leaves it for another. One worker serves one pair: nothing of it can be left for the next.
"""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.platform import observability
from webordinary.platform.errors import InvalidMessageError
from webordinary.platform.messages import ClaimRequest, Pair
from webordinary.platform.observability import logger, milestone
from webordinary.platform.queues import Received
from webordinary.platform.settings import Timing
from webordinary.protocol.worker.host import Host, OwnAccess, PairAccess, Place
from webordinary.protocol.worker.lease import Lease
from webordinary.protocol.worker.pair_session import Ended, PairSession
from webordinary.protocol.worker.run import CancelReason
from webordinary.tables.jobs import JobState
from webordinary.tables.ownership import Ownership, OwnershipLostError, PairOwnedError
from webordinary.tables.workers import NotRegisteredError

# Longer than two renewals: a request must not come back while its taker looks alive.
REQUEST_VISIBILITY_SECONDS = 60


class Worker:
    def __init__(self, host: Host, own: OwnAccess, place: Place) -> None:
        self.has_served = False
        self._host = host
        self._own = own
        self._queues = own.queues
        self._place = place
        self._is_idle = False
        self._session: PairSession | None = None

    def receive_request(self) -> Received | None:
        if not self._is_idle:  # at the start, and after a claim that came to nothing
            self._place.idle()
            self._is_idle = True
        return self._queues.receive(
            "unclaimed",
            wait_seconds=self._host.timing.long_poll_seconds,
            visibility_seconds=REQUEST_VISIBILITY_SECONDS,
        )

    def answer(self, received: Received) -> None:
        """Takes the pair of a claim request and serves it, if that is wanted and nobody else does."""
        try:
            request = ClaimRequest.read(received.body)
        except InvalidMessageError as error:
            logger().error("A claim request that cannot be read was dropped.", extra={"cause": str(error)})
            self._queues.delete("unclaimed", received)
            return
        if not self._is_wanted(request.pair):
            _count("dropped")
            self._queues.delete("unclaimed", received)
            return
        self._become_busy(request, received)
        sent_at = self._host.monotonic()
        try:
            ownership = self._own.ownership.claim(request.pair, self._host.container_id)
        except PairOwnedError as error:
            _count("lost")
            self._leave_to(error.ownership, received)
            return
        _count("won")
        milestone(
            "pair_claimed",
            pair=request.pair.key,
            job_id=request.job_id,
            fence=ownership.fence,
            container_id=self._host.container_id,
        )
        self._take(ownership, sent_at, received)

    def leave(self) -> None:
        """The worker ends. Where this fails, the fleet finds out by itself."""
        try:
            self._place.gone()
        except (BotoCoreError, ClientError) as error:
            logger().warning("The place in the fleet could not be left.", extra={"cause": str(error)})

    def cancel_running(self, reason: CancelReason) -> None:
        session = self._session
        if session is not None:
            session.cancel_running(reason)

    def _is_wanted(self, pair: Pair) -> bool:
        jobs = self._own.jobs
        if jobs.has_open_jobs(pair):
            return True
        # Cleared first and looked at again: a job that is recorded now either asks anew, or is seen here.
        self._own.claims.clear(pair)
        return jobs.has_open_jobs(pair)

    def _become_busy(self, request: ClaimRequest, received: Received) -> None:
        self._is_idle = False
        try:
            self._place.busy(request.pair, request.job_id)
        except NotRegisteredError:
            self._queues.hide("unclaimed", received, 0)  # for another worker, at once
            raise

    def _take(self, ownership: Ownership, claim_sent_at: float, request: Received) -> None:
        self.has_served = True
        access = self._host.enter(ownership)
        lease = Lease(
            access.ownership,
            ownership,
            self._host.timing,
            claim_sent_at=claim_sent_at,
            monotonic=self._host.monotonic,
        )
        ended = Ended.LOST
        try:
            with self._host.keep(lease):
                # In this order: with the request gone and the note left, a death here would cost a whole window.
                access.claims.clear(ownership.pair)
                self._queues.delete("unclaimed", request)
                self._session = PairSession(self._host, access, lease, self._place.make_room)
                ended = self._session.serve()
        finally:
            self._session = None
            if not lease.is_lost:
                self._leave(ownership, access, ended)

    def _leave_to(self, owner: Ownership, received: Received) -> None:
        seconds = seconds_until_claimable(owner, self._host.clock(), self._host.timing)
        if seconds is None:
            self._queues.delete("unclaimed", received)
        else:
            _count("stale_owner")
            self._queues.hide("unclaimed", received, seconds)

    def _leave(self, ownership: Ownership, access: PairAccess, ended: Ended) -> None:
        pair = ownership.pair
        try:
            self._place.leaving()
            access.ownership.release(ownership)
            milestone("pair_released", pair=pair.key, fence=ownership.fence, reason=ended)
            self._request_successor(ownership, access)
        except OwnershipLostError as error:
            logger().warning(str(error))
        except (BotoCoreError, ClientError) as error:
            # The lease runs out by itself, and the sweeper finds what waits.
            logger().error("The pair could not be released properly.", extra={"cause": str(error)})

    def _request_successor(self, ownership: Ownership, access: PairAccess) -> None:
        # After the release, never before: a mail that arrives in between is seen here or finds no owner itself.
        access.claims.clear(ownership.pair)
        waiting = [r for r in access.jobs.open_jobs_of(ownership.pair) if r.state == JobState.WAITING]
        if waiting:
            access.claims.request(ownership.pair, waiting[0].job.job_id)


def seconds_until_claimable(owner: Ownership, now: datetime, timing: Timing) -> int | None:
    """How long to keep a claim request for a pair that is owned; None if its owner is well and will see the job.

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
    observability.count(f"Claims.{what}")
    observability.flush_metrics()
