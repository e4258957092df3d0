"""Who may speak for a pair: functions, and the pair's recent owners.

SQS records the sender of each message (`role id:session name`), and the broker names the sessions. A pair's workers
choose everything else in a message: its body, its group and its deduplication id.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from webordinary.contract.messages.base import Pair
from webordinary.contract.names import session_name
from webordinary.tables.ownership import OwnershipTable


@dataclass(frozen=True)
class Senders:
    """Without a configured worker role, as on the emulator, all messages have one sender, which is not checked."""

    ownership: OwnershipTable
    worker_role_id: str | None = None

    def is_worker(self, sender_id: str | None) -> bool:
        return self.worker_role_id is not None and (sender_id or "").startswith(f"{self.worker_role_id}:")

    def is_one_of(self, workers: Collection[str], sender_id: str | None) -> bool:
        """Whether SQS names one of these workers as the sender."""
        if self.worker_role_id is None:
            return bool(workers)
        return any(sender_id == f"{self.worker_role_id}:{session_name(worker)}" for worker in workers)

    def may_speak_for(self, pair: Pair, sender_id: str | None) -> bool:
        """Whether a message about this pair counts: from a function, or from a recent owner of the pair."""
        if not self.is_worker(sender_id):
            return True
        return self.is_one_of(self.ownership.recent_owners(pair).values(), sender_id)
