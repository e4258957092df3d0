"""The calls of a mail, as sections of the budget."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.load.call_counts import Calls, Counted

if TYPE_CHECKING:
    from collections.abc import Iterable

OF_A_MAIL = ("intake", "parse_email", "check_ownership", "claim", "dispatch", "picture", "reply")


def calls_of_mail(found: Counted, functions: Iterable[str] = OF_A_MAIL) -> Calls:
    """Calls and invocations of the functions, named by their caller."""
    calls: Calls = Counter()
    for function in functions:
        if function in found.invocations:
            calls[f"{function}: lambda invocation"] = len(found.invocations[function])
        for name, count in found.all(function).items():
            calls[f"{function}: {name}"] += count
    return calls


def with_worker(found: Counted) -> Calls:
    calls = calls_of_mail(found)
    for name, count in found.worker.items():
        calls[f"worker: {name}"] += count
    return calls
