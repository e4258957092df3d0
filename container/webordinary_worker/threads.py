"""Keeps the lease of an owned pair, and knows when it is over.

    renewal sent ─────────────────── lease ───────────────────▶ deadline
        └ answered: the deadline moves to *sent* + lease (the table's clock cannot have started earlier)

A renewal that fails on the way is not a lost lease: the worker goes on until its own deadline. A renewal that the
table refuses is: somebody else may own the pair. Two threads, because a renewal that hangs must not hide the deadline.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.platform import observability
from webordinary.platform.settings import Timing
from webordinary.tables.ownership import Ownership, OwnershipLostError


class Renewals(Protocol):
    def renew(self, ownership: Ownership, *, active: bool = False) -> Ownership: ...


class LeaseKeeper:
    def __init__(
        self,
        table: Renewals,
        ownership: Ownership,
        timing: Timing,
        *,
        claim_sent_at: float,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.ownership = ownership
        self.busy = False  # whether a job runs: what the table shows as activity
        self._table = table
        self._timing = timing
        self._monotonic = monotonic
        self._deadline = claim_sent_at + timing.lease_seconds
        self._ended = threading.Event()
        self._lost = threading.Event()
        self._moved = threading.Condition()
        self._on_lost: list[Callable[[], None]] = []

    def start(self) -> None:
        for name, target in (("lease-renewal", self._renew_until_ended), ("lease-deadline", self._watch_deadline)):
            threading.Thread(target=target, name=name, daemon=True).start()

    def end(self) -> None:
        """No more renewals. The lease itself is given up by releasing the ownership."""
        self._ended.set()
        with self._moved:
            self._moved.notify_all()

    @property
    def is_lost(self) -> bool:
        return self._lost.is_set() or self._monotonic() >= self._deadline

    def check(self) -> None:
        """To be called before anything is published."""
        if self.is_lost:
            raise OwnershipLostError(self.ownership.pair, self.ownership.fence)

    def when_lost(self, react: Callable[[], None]) -> None:
        with self._moved:
            self._on_lost.append(react)
            already = self._lost.is_set()
        if already:
            react()

    def renew_once(self) -> bool:
        """One renewal; false if it did not get through. Raises OwnershipLostError where the table refuses."""
        sent_at = self._monotonic()
        try:
            self._table.renew(self.ownership, active=self.busy)
        except (BotoCoreError, ClientError) as error:
            observability.logger().warning("A renewal failed; the lease still runs.", extra={"cause": str(error)})
            return False
        with self._moved:
            self._deadline = sent_at + self._timing.lease_seconds
            self._moved.notify_all()
        return True

    def _renew_until_ended(self) -> None:
        pause = self._timing.renewal_seconds
        while not self._ended.wait(pause):
            try:
                renewed = self.renew_once()
            except OwnershipLostError:
                self._lose()
                return
            pause = self._timing.renewal_seconds if renewed else self._timing.renewal_seconds / 5

    def _watch_deadline(self) -> None:
        with self._moved:
            while not self._ended.is_set() and not self._lost.is_set():
                left = self._deadline - self._monotonic()
                if left <= 0:
                    break
                self._moved.wait(left)
            else:
                return
        self._lose()

    def _lose(self) -> None:
        with self._moved:
            if self._lost.is_set() or self._ended.is_set():
                return
            self._lost.set()
            self._moved.notify_all()
            reactions = list(self._on_lost)
        observability.logger().error("The lease is lost; nothing more is published.")
        for react in reactions:
            react()
