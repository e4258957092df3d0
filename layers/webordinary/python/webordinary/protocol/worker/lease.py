"""The lease of an owned pair, as its owner sees it.

    renewal sent ─────────────────── lease ───────────────────▶ deadline
        └ answered: the deadline moves to *sent* + lease (the table's clock cannot have started earlier)

A renewal that fails in transit does not lose the lease: the worker continues until its own deadline. A renewal that the
table rejects does: another worker may own the pair.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.telemetry import logger
from webordinary.contract.settings import Timing
from webordinary.tables.ownership import Ownership, OwnershipLostError, RunningCost

# A renewal that failed in transit is retried after this fraction of the renewal interval.
RETRY_DIVISOR = 5


class Renewals(Protocol):
    def renew(self, ownership: Ownership, *, active: bool = False, cost: RunningCost | None = None) -> Ownership: ...


class Lease:
    """Used by three background tasks at once (renewal, deadline, job), so every change is a single assignment."""

    def __init__(
        self,
        table: Renewals,
        ownership: Ownership,
        timing: Timing,
        *,
        claim_sent_at: float,
        monotonic: Callable[[], float],
    ) -> None:
        self.ownership = ownership
        self.busy = False  # whether a job runs; the table shows it as activity
        self.cost: Callable[[], RunningCost | None] = _no_cost  # of the running job
        self._may_report_cost = True
        self._table = table
        self._timing = timing
        self._monotonic = monotonic
        self._deadline = claim_sent_at + timing.lease_seconds
        self._refused = False
        self._on_lost: Callable[[], None] = _nothing

    @property
    def seconds_left(self) -> float:
        return 0.0 if self._refused else max(0.0, self._deadline - self._monotonic())

    @property
    def is_lost(self) -> bool:
        return self.seconds_left == 0.0

    def check(self) -> None:
        """Called before every push and upload."""
        if self.is_lost:
            raise OwnershipLostError(self.ownership.pair, self.ownership.fence)

    def when_lost(self, react: Callable[[], None]) -> None:
        # Set first, checked second; `lose` does the reverse. So one of the two always sees the other.
        self._on_lost = react
        if self.is_lost:
            react()

    def renew(self) -> float | None:
        """Renews once. Returns the seconds until the next renewal, or None if the lease is lost."""
        cost = self._current_cost()
        sent_at = self._monotonic()
        try:
            self._table.renew(self.ownership, active=self.busy, cost=cost)
        except OwnershipLostError:
            self.lose()
            return None
        except (BotoCoreError, ClientError) as error:
            # The policy of an older deployment may not permit the cost: a rejected renewal is repeated without it.
            self._may_report_cost = self._may_report_cost and not (cost and _is_denied(error))
            logger().warning(
                "Lease renewal failed; the lease is still valid and the renewal is retried.",
                extra={"cause": str(error)},
            )
            return self._timing.renewal_seconds / RETRY_DIVISOR
        self._deadline = sent_at + self._timing.lease_seconds
        return self._timing.renewal_seconds

    def _current_cost(self) -> RunningCost | None:
        """The cost is only shown to operators: no error in counting it may stop the renewals."""
        if not (self.busy and self._may_report_cost):
            return None
        try:
            return self.cost()
        except Exception as error:
            logger().warning("Could not count the job's cost; the lease is renewed.", extra={"cause": str(error)})
            return None

    def lose(self) -> None:
        """The table rejected a renewal, or the deadline has passed. Nothing is pushed or uploaded from now on."""
        if self._refused:
            return
        self._refused = True
        logger().error("Lost the lease; the worker stops all pushes and uploads.")
        self._on_lost()


def _is_denied(error: Exception) -> bool:
    return isinstance(error, ClientError) and error.response.get("Error", {}).get("Code") == "AccessDeniedException"


def _no_cost() -> RunningCost | None:
    return None


def _nothing() -> None:
    """No job runs yet."""
