"""The exception that ends the checks of a mail."""

from __future__ import annotations

from typing import Any

from webordinary.contract.messages.parse import Decision
from webordinary.contract.outcomes import RefusalReason


class Refused(Exception):  # noqa: N818  control flow of the checks, not an error
    """A mail that becomes no job: answered if its reason is a RefusalReason, otherwise dropped."""

    def __init__(self, reason: str, **facts: Any) -> None:
        super().__init__(reason)
        self.reason = reason
        self.facts = facts  # for its reply: fields of Refusal
        self.decision = Decision.ANSWER if isinstance(reason, RefusalReason) else Decision.DROP
