"""The printed report of a run."""

from __future__ import annotations

from collections.abc import Iterator

from tests.chaos.fault_log import Entry
from tests.chaos.observed_state import ObservedMail
from tests.chaos.plan import FaultKind
from tests.chaos.run import Result


def entry_line(entry: Entry) -> str:
    what = entry.fault.kind.value if entry.injected else f"skipped: {entry.fault.kind.value}"
    where = f"mail {entry.fault.mail}, {entry.fault.delay:g} s after {entry.fault.after}"
    return f"{entry.seconds:7.1f}  {what:32}  {where:44}  {entry.text}"


def lines(result: Result) -> Iterator[str]:
    yield ""
    yield f"Seed {result.plan.seed}, {len(result.plan.mails)} mails, {result.seconds:.0f} seconds"
    yield ""
    yield "Faults"
    counts = result.fault_log.injected_counts()
    for kind in FaultKind:
        planned = len(result.plan.faults(kind))
        if planned:
            yield f"  {kind.value:32} {counts[kind]:3} of {planned}"
    yield ""
    yield "Mails"
    yield f"  mail  {'pair':12} {'job':10} {'state':10} agents replies commits  seconds"
    yield from (_mail_line(mail) for mail in result.observed.mails)
    yield ""
    yield "Invariants"
    for checked in result.invariants:
        yield f"  {'yes' if checked.holds else 'NO ':4} {checked.invariant}"
        yield from (f"         {reason}" for reason in checked.violations)


def _mail_line(seen: ObservedMail) -> str:
    seconds = f"{seen.seconds:8.1f}" if seen.seconds is not None else f"{'-':>8}"
    return (
        f"  {seen.mail.number:4}  {seen.mail.writer.pair:12} {seen.job_id[:8]:10} {seen.state:10} "
        f"{seen.attempts:6} {seen.replies:7} {seen.commits:7} {seconds}"
    )
