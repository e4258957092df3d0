"""One run: mails are written while troubles strike; then the system comes to rest and is inspected."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from local.errors import TimedOutError
from local.stack.stack import Stack
from tests.chaos.ledger import Entry, Ledger
from tests.chaos.observed_state import Inspector, ObservedState
from tests.chaos.plan import Plan
from tests.chaos.post import Post
from tests.chaos.promises import Verdict, judge
from tests.chaos.tables import Tables
from tests.chaos.troubles import Troubles

LOOK_AGAIN_SECONDS = 0.5


@dataclass(frozen=True)
class Result:
    plan: Plan
    ledger: Ledger
    observed: ObservedState
    verdicts: list[Verdict]
    seconds: float

    @property
    def broken(self) -> list[str]:
        return [f"{verdict.promise}: {reason}" for verdict in self.verdicts for reason in verdict.broken_by]


def run(
    stack: Stack, plan: Plan, *, patience: float, on_entry: Callable[[Entry], None] = lambda _entry: None
) -> Result:
    """Carries the plan out. `patience` bounds the time for all mails."""
    over = threading.Event()
    tables, ledger = Tables.of(stack), Ledger(on_entry)
    inspector = Inspector(stack, tables, plan, since=stack.events.position())
    post = Post(stack, plan, patience, over.wait)
    troubles = Troubles(stack, post, tables, ledger, over)
    with ThreadPoolExecutor(len(plan.streams) + len(plan.chains), thread_name_prefix="chaos") as side_by_side:
        streams = [side_by_side.submit(post.write, stream) for stream in plan.streams]
        chains = [side_by_side.submit(troubles.carry_out, chain) for chain in plan.chains]
        _join(streams)
        _join(chains)
        over.set()
    _come_to_rest(inspector, tables)
    observed = inspector.gather(post.sent())
    return Result(plan, ledger, observed, judge(observed), ledger.seconds())


def _join(futures: list[Future[None]]) -> None:
    for future in futures:
        with suppress(TimedOutError):  # a mail without an answer is found by the inspection, which says more
            future.result()


def _come_to_rest(inspector: Inspector, tables: Tables) -> None:
    """Waits until nothing moves any more. Queues announce to nobody that they are empty, so this has to look."""
    timing = tables.timing
    takeover = timing.lease_seconds + timing.clock_margin_seconds + timing.input_visibility_seconds
    deadline = time.monotonic() + takeover + 2 * timing.idle_seconds + timing.sweep_seconds
    while inspector.unrest() and time.monotonic() < deadline:
        time.sleep(LOOK_AGAIN_SECONDS)
