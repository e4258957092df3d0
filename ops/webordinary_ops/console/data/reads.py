"""Reads that may fail: a page shows what it could not read, and since when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.clients import Clock
from webordinary.contract.errors import WebordinaryError
from webordinary_ops.errors import OperatorError

Value = TypeVar("Value")


@dataclass(frozen=True)
class Unknown:
    """A value that could not be read. `since` is the last time it could be; None if it never could."""

    since: datetime | None
    reason: str


@dataclass
class Reads:
    """Remembers when each value was last read. `problem` says why no read can succeed; empty if they may."""

    clock: Clock
    problem: Callable[[], str] = str
    _read_at: dict[str, datetime] = field(default_factory=dict)

    def attempt(self, name: str, read: Callable[[], Value]) -> Value | Unknown:
        if problem := self.problem():
            return Unknown(self._read_at.get(name), problem)
        try:
            found = read()
        except (ClientError, BotoCoreError, WebordinaryError, OperatorError) as error:
            return Unknown(self._read_at.get(name), str(error))
        self._read_at[name] = self.clock()
        return found
