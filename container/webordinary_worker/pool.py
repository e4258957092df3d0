"""The worker's life: wait for a claim request, claim, serve, release, clean up, wait again.

    unclaimed request ─▶ protection on ─▶ claim ─┬─ won ─▶ delete request ─▶ serve ─▶ release ─▶ look what waits
                                                 └─ owned ─▶ delete the request, or keep it until the lease ends

The request is deleted once the pair is ready to be served and never before the claim: a worker that dies in between
leaves it for another.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.platform import observability
from webordinary.platform.clients import Clock
from webordinary.platform.errors import InvalidMessageError, WebordinaryError
from webordinary.platform.messages import ClaimRequest
from webordinary.platform.observability import logger, milestone
from webordinary.platform.queues import Queues, Received
from webordinary.platform.settings import Timing
from webordinary.tables.ownership import Ownership, OwnershipTable, PairOwnedError
from webordinary_worker.protection import ProtectionError, TaskProtection
from webordinary_worker.settings import WorkerSettings

REQUEST_VISIBILITY_SECONDS = 60
LONGEST_PAUSE_SECONDS = 30.0
UNPROTECTED_PAUSE_SECONDS = 10.0


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


class Pool:
    """One worker among others."""

    def __init__(
        self,
        settings: WorkerSettings,
        queues: Queues,
        ownership: OwnershipTable,
        protection: TaskProtection,
        serve: Callable[[Ownership, float, Callable[[], None]], None],
        clean: Callable[[], None],
        shutdown: threading.Event,
        clock: Clock,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._queues = queues
        self._ownership = ownership
        self._protection = protection
        self._serve = serve
        self._clean = clean
        self._shutdown = shutdown
        self._clock = clock
        self._monotonic = monotonic

    def run(self) -> None:
        self._clean()
        pause = 1.0
        while not self._shutdown.is_set():
            try:
                served = self._wait_for_one_request()
                pause = 1.0
            except (BotoCoreError, ClientError, WebordinaryError) as error:
                logger().error("That went wrong; waiting for claim requests again.", extra={"cause": str(error)})
                self._shutdown.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
                continue
            if served and self._settings.exit_after_release:
                return

    def _wait_for_one_request(self) -> bool:
        received = self._queues.receive(
            "unclaimed", wait_seconds=self._settings.poll_seconds, visibility_seconds=REQUEST_VISIBILITY_SECONDS
        )
        return received is not None and self._consider(received)

    def _consider(self, received: Received) -> bool:
        """Whether a pair was served."""
        try:
            request = ClaimRequest.read(received.body)
        except InvalidMessageError as error:
            logger().error("A claim request that cannot be read was dropped.", extra={"cause": str(error)})
            self._queues.delete("unclaimed", received)
            return False
        try:
            self._protection.on()
        except ProtectionError as error:
            logger().error(str(error))
            self._queues.hide("unclaimed", received, 0)
            self._shutdown.wait(UNPROTECTED_PAUSE_SECONDS)  # meanwhile the request goes to somebody else
            return False
        try:
            return self._claim(request, received)
        finally:
            self._unprotect()

    def _claim(self, request: ClaimRequest, received: Received) -> bool:
        sent_at = self._monotonic()
        try:
            ownership = self._ownership.claim(request.pair, self._settings.container_id)
        except PairOwnedError as error:
            self._answer_owned(error.ownership, received)
            _count("lost")
            return False
        _count("won")
        milestone(
            "pair_claimed",
            pair=request.pair.key,
            job_id=request.job_id,
            fence=ownership.fence,
            container_id=self._settings.container_id,
        )
        try:
            self._serve(ownership, sent_at, lambda: self._queues.delete("unclaimed", received))
        finally:
            self._clean()
        return True

    def _answer_owned(self, owner: Ownership, received: Received) -> None:
        seconds = seconds_until_claimable(owner, self._clock(), self._settings.timing)
        if seconds is None:
            self._queues.delete("unclaimed", received)
        else:
            _count("stale_owner")
            self._queues.hide("unclaimed", received, seconds)

    def _unprotect(self) -> None:
        try:
            self._protection.off()
        except ProtectionError as error:
            logger().warning(str(error))
