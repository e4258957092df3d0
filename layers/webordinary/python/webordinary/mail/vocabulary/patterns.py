"""Patterns compiled on first use: most mails need few of them, and the cold start stays short."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache


def lazy_pattern(pattern: str, flags: int = 0) -> Callable[[], re.Pattern[str]]:
    return cache(lambda: re.compile(pattern, flags))
