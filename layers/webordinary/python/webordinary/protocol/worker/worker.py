"""A worker's life: it asks the broker for a pair, serves it until it is idle, and ends.

    ask ─▶ granted? ─▶ serve ─▶ leaving ─▶ release lease ─▶ gone (the broker looks for waiting jobs)
     ▲────────┘ no

The broker claims the pair and deletes the worker request before it responds. If the response is lost, the worker asks
again and gets the same pair. If the worker dies, the fleet requests a worker for that pair. A worker serves one pair
only, so nothing of one pair can leak to the next.
"""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.telemetry import flush_metrics, logger, milestone
from webordinary.contract.errors import WebordinaryError
from webordinary.protocol.worker.host import BrokerApi, ClaimedPair, Host, PairAccess
from webordinary.protocol.worker.lease import Lease
from webordinary.protocol.worker.pair_session import Ended, PairSession
from webordinary.protocol.worker.run import CancelReason
from webordinary.tables.ownership import Ownership
from webordinary.tables.workers import NotRegisteredError


class Worker:
    def __init__(self, host: Host, broker: BrokerApi) -> None:
        self.has_served = False
        self._host = host
        self._broker = broker
        self._session: PairSession | None = None

    def serve_next(self) -> None:
        """Asks the broker for a pair and serves it if there is one."""
        claimed = self._broker.pair()
        if claimed is not None:
            self.has_served = True
            owned = claimed.ownership
            milestone(
                "pair_claimed",
                pair=owned.pair.key,
                job_id=claimed.job_id,
                fence=owned.fence,
                container_id=owned.container_id,
            )
            self._serve(claimed)

    def leave(self) -> None:
        """Gives up the slot in the fleet. If this fails, the fleet notices the ended task."""
        try:
            self._broker.gone()
        except (BotoCoreError, ClientError, WebordinaryError) as error:
            logger().warning(
                "Could not give up the slot; the fleet frees it when the task has ended.", extra={"cause": str(error)}
            )
        flush_metrics()

    def cancel_running(self, reason: CancelReason) -> None:
        session = self._session
        if session is not None:
            session.cancel_running(reason)

    def _serve(self, claimed: ClaimedPair) -> None:
        access = self._host.open_pair(claimed)
        lease = Lease(
            access.ownership,
            claimed.ownership,
            self._host.timing,
            claim_sent_at=claimed.claim_sent_at,
            monotonic=self._host.monotonic,
        )
        ended = Ended.LOST
        try:
            with self._host.keep_renewed(lease):
                self._session = PairSession(self._host, access, lease, self._should_yield)
                ended = self._session.serve()
        finally:
            self._session = None
            if not lease.is_lost:
                self._release(claimed.ownership, access, ended)

    def _should_yield(self) -> bool:
        try:
            return self._broker.should_yield()
        except NotRegisteredError:
            return True
        except (BotoCoreError, ClientError, WebordinaryError) as error:
            logger().warning(
                "The broker did not answer whether to yield; the worker stays.", extra={"cause": str(error)}
            )
            return False

    def _release(self, ownership: Ownership, access: PairAccess, ended: Ended) -> None:
        try:
            self._broker.leaving()
            access.ownership.release_lease(ownership)
            milestone("pair_released", pair=ownership.pair.key, fence=ownership.fence, reason=ended)
        except (BotoCoreError, ClientError, WebordinaryError) as error:
            # The lease expires, and the broker, the fleet or the sweep requests a worker for waiting jobs.
            logger().error("Could not release the lease; it expires by itself.", extra={"cause": str(error)})
