"""Patterns that are compiled when they are first asked for: a mail does without most of them, and a start is short."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache


def compiled_later(pattern: str, flags: int = 0) -> Callable[[], re.Pattern[str]]:
    return cache(lambda: re.compile(pattern, flags))
