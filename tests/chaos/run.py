"""One run: sends mails and injects faults, waits until the system is idle, and checks the invariants."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from local.errors import TimedOutError
from local.stack.stack import Stack
from tests.chaos.fault_injector import FaultInjector
from tests.chaos.fault_log import Entry, FaultLog
from tests.chaos.invariants import InvariantResult, check_invariants
from tests.chaos.mail_streams import MailStreams
from tests.chaos.observed_state import Inspector, ObservedState
from tests.chaos.plan import Plan
from tests.chaos.tables import Tables

POLL_SECONDS = 0.5
HANG_SECONDS = 600.0


@dataclass(frozen=True)
class Result:
    plan: Plan
    fault_log: FaultLog
    observed: ObservedState
    invariants: list[InvariantResult]
    seconds: float

    @property
    def violations(self) -> list[str]:
        return [f"{result.invariant}: {reason}" for result in self.invariants for reason in result.violations]


def run(stack: Stack, plan: Plan, *, timeout: float, on_entry: Callable[[Entry], None] = lambda _entry: None) -> Result:
    """Runs the plan. `timeout` applies to all mails together."""
    finished = threading.Event()
    tables, fault_log = Tables.of(stack), FaultLog(on_entry)
    inspector = Inspector(stack, tables, plan, since=stack.events.position())
    mail_streams = MailStreams(stack, plan, timeout, finished.wait)
    fault_injector = FaultInjector(stack, mail_streams, tables, fault_log, finished)
    with ThreadPoolExecutor(len(plan.streams) + len(plan.chains), thread_name_prefix="chaos") as executor:
        streams = [executor.submit(mail_streams.send, stream) for stream in plan.streams]
        chains = [executor.submit(fault_injector.inject_all, chain) for chain in plan.chains]
        _join(streams)
        _join(chains)
        finished.set()
    _wait_until_idle(inspector)
    observed = inspector.gather(mail_streams.sent())
    return Result(plan, fault_log, observed, check_invariants(observed), fault_log.seconds())


def _join(futures: list[Future[None]]) -> None:
    for future in futures:
        with suppress(TimedOutError):  # a mail without a reply is reported by the invariants
            future.result()


def _wait_until_idle(inspector: Inspector) -> None:
    """Polls until the system is idle. The invariants report what is still in progress after a hang."""
    deadline = time.monotonic() + HANG_SECONDS
    while inspector.pending_work() and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
