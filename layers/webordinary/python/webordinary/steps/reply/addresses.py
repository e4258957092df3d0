"""Reply addresses with the token of a thread or of a question."""

from __future__ import annotations

from typing import NamedTuple

from webordinary.aws.clients import Secrets
from webordinary.contract import thread_tokens


class ReplyAddresses(NamedTuple):
    sender: str
    secrets: Secrets

    def of(self, thread_id: str | None, question_id: str = "", *, at: str = "") -> str:
        """Without a token, the address is `at`."""
        address = at or self.sender
        if question_id:
            return thread_tokens.reply_address(address, question_id, self.secret, thread_tokens.QUESTION_MARK)
        return thread_tokens.reply_address(address, thread_id, self.secret) if thread_id else at

    @property
    def secret(self) -> bytes:
        """The newest one."""
        return self.secrets()[0]
