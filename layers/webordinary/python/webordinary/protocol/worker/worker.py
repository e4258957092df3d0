"""A worker's life: it asks the broker for a pair, serves it until it is quiet, and ends.

    ask ─▶ granted? ─▶ serve ─▶ leaving ─▶ release ─▶ gone (and the broker looks what waits)
     ▲────────┘ no

The broker has claimed the pair and deleted the request for it by the time its answer arrives. Where the answer does not
arrive, the worker asks again and gets the same pair; where the worker dies, the fleet asks for that pair. One worker
serves one pair: nothing of it can be left for the next.
"""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.telemetry import flush_metrics, logger, milestone
from webordinary.contract.errors import WebordinaryError
from webordinary.protocol.worker.host import Broker, Granted, Host, PairAccess
from webordinary.protocol.worker.lease import Lease
from webordinary.protocol.worker.pair_session import Ended, PairSession
from webordinary.protocol.worker.run import CancelReason
from webordinary.tables.ownership import Ownership
from webordinary.tables.workers import NotRegisteredError


class Worker:
    def __init__(self, host: Host, broker: Broker) -> None:
        self.has_served = False
        self._host = host
        self._broker = broker
        self._session: PairSession | None = None

    def serve_next(self) -> None:
        """Asks for a pair and, if there is one that waits, serves it."""
        granted = self._broker.pair()
        if granted is not None:
            self.has_served = True
            owned = granted.ownership
            milestone(
                "pair_claimed",
                pair=owned.pair.key,
                job_id=granted.job_id,
                fence=owned.fence,
                container_id=owned.container_id,
            )
            self._serve(granted)

    def leave(self) -> None:
        """The worker ends. Where this fails, the fleet finds out by itself."""
        try:
            self._broker.gone()
        except (BotoCoreError, ClientError, WebordinaryError) as error:
            logger().warning("The slot in the fleet could not be left.", extra={"cause": str(error)})
        flush_metrics()

    def cancel_running(self, reason: CancelReason) -> None:
        session = self._session
        if session is not None:
            session.cancel_running(reason)

    def _serve(self, granted: Granted) -> None:
        access = self._host.enter(granted)
        lease = Lease(
            access.ownership,
            granted.ownership,
            self._host.timing,
            claim_sent_at=granted.claim_sent_at,
            monotonic=self._host.monotonic,
        )
        ended = Ended.LOST
        try:
            with self._host.keep(lease):
                self._session = PairSession(self._host, access, lease, self._should_yield)
                ended = self._session.serve()
        finally:
            self._session = None
            if not lease.is_lost:
                self._release(granted.ownership, access, ended)

    def _should_yield(self) -> bool:
        try:
            return self._broker.should_yield()
        except NotRegisteredError:
            return True
        except (BotoCoreError, ClientError, WebordinaryError) as error:
            logger().warning("Nobody said whether others wait.", extra={"cause": str(error)})
            return False

    def _release(self, ownership: Ownership, access: PairAccess, ended: Ended) -> None:
        try:
            self._broker.leaving()
            access.ownership.release_lease(ownership)
            milestone("pair_released", pair=ownership.pair.key, fence=ownership.fence, reason=ended)
        except (BotoCoreError, ClientError, WebordinaryError) as error:
            # The lease runs out by itself, and the broker, the fleet or the sweep sees to what waits.
            logger().error("The pair could not be released properly.", extra={"cause": str(error)})
