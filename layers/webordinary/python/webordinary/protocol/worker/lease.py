"""The lease of an owned pair as its owner sees it.

    renewal sent ─────────────────── lease ───────────────────▶ deadline
        └ answered: the deadline moves to *sent* + lease (the table's clock cannot have started earlier)

A renewal that fails on the way is not a lost lease: the worker goes on until its own deadline. A renewal that the
table refuses is: somebody else may own the pair.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.telemetry import logger
from webordinary.contract.settings import Timing
from webordinary.tables.ownership import Ownership, OwnershipLostError

# After a renewal that failed on the way, the next one comes this much sooner.
HURRY = 5


class Renewals(Protocol):
    def renew(self, ownership: Ownership, *, active: bool = False) -> Ownership: ...


class Lease:
    """Renewed by one thread, watched by another and asked by a third: every change is a single assignment."""

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
        self.busy = False  # whether a job runs: what the table shows as activity
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
        """To be called before anything is published."""
        if self.is_lost:
            raise OwnershipLostError(self.ownership.pair, self.ownership.fence)

    def when_lost(self, react: Callable[[], None]) -> None:
        # First noted, then looked: `lose` does it the other way round, so one of the two sees the other.
        self._on_lost = react
        if self.is_lost:
            react()

    def renew(self) -> float | None:
        """One renewal. Returns the seconds until the next one is due, or None if the lease is over."""
        sent_at = self._monotonic()
        try:
            self._table.renew(self.ownership, active=self.busy)
        except OwnershipLostError:
            self.lose()
            return None
        except (BotoCoreError, ClientError) as error:
            logger().warning("A renewal failed; the lease still runs.", extra={"cause": str(error)})
            return self._timing.renewal_seconds / HURRY
        self._deadline = sent_at + self._timing.lease_seconds
        return self._timing.renewal_seconds

    def lose(self) -> None:
        """The table refused, or the deadline has passed: nothing more is published."""
        if self._refused:
            return
        self._refused = True
        logger().error("The lease is lost; nothing more is published.")
        self._on_lost()


def _nothing() -> None:
    """Nobody has to be told yet."""
