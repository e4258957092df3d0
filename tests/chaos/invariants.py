"""What must hold after a run. Each invariant lists its violations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from tests.chaos.observed_state import ObservedMail, ObservedState


@dataclass(frozen=True)
class InvariantResult:
    invariant: str
    violations: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.violations


def check_invariants(observed: ObservedState) -> list[InvariantResult]:
    return [InvariantResult(invariant, tuple(find(observed))) for invariant, find in INVARIANTS.items()]


def _without_one_final_state(observed: ObservedState) -> Iterator[str]:
    for mail in observed.mails:
        if not mail.is_final:
            yield f"{_name(mail)} is {mail.state}"
        elif not mail.is_settled:
            yield f"{_name(mail)} is {mail.state}, but its execution was not notified"
        elif mail.decisions > 1:
            yield f"{_name(mail)} was ended {mail.decisions} times"


def _without_one_reply(observed: ObservedState) -> Iterator[str]:
    for mail in observed.mails:
        if mail.replies != 1:
            yield f"{_name(mail)} got {mail.replies} replies"


def _not_done(observed: ObservedState) -> Iterator[str]:
    for mail in observed.mails:
        if not (mail.state == "done" or (mail.mail.preempted and mail.state == "preempted")):
            yield f"{_name(mail)} is {mail.state}"


def _not_once_on_branch(observed: ObservedState) -> Iterator[str]:
    for mail in observed.mails:
        # A preempted mail keeps its partial changes, so its paragraph may exist.
        if mail.in_source not in ((0, 1) if mail.state == "preempted" else (1,)):
            yield f"{_name(mail)} occurs {mail.in_source} times in the source of its branch"
        if mail.commits != (0 if mail.state == "preempted" else 1):
            yield f"{_name(mail)} has {mail.commits} commits"


def _not_once_in_preview(observed: ObservedState) -> Iterator[str]:
    for mail in observed.mails:
        if mail.in_preview != mail.in_source:
            yield f"{_name(mail)} occurs {mail.in_preview} times in the preview of its thread"
        if mail.state == "done" and not mail.has_preview_link:
            yield f"{_name(mail)} got a reply without a link to its preview"


def _leased_by_stopped_worker(observed: ObservedState) -> Iterator[str]:
    for lease in observed.leases:
        if lease.is_live and not lease.container_runs:
            yield f"{lease.pair} is leased by {lease.container_id}, which is not running"


def _left_in_queues(observed: ObservedState) -> Iterator[str]:
    for name, count in observed.queues.items():
        yield f"{name} holds {count}"


def _too_many_workers(observed: ObservedState) -> Iterator[str]:
    if observed.peak_workers > observed.maximum:
        yield f"{observed.peak_workers} workers ran at the same time; the maximum is {observed.maximum}"


def _fences_not_increasing(observed: ObservedState) -> Iterator[str]:
    for pair, fences in observed.fences.items():
        for earlier, later in pairwise(fences):
            if later <= earlier:
                yield f"{pair} was claimed with fence {later} after {earlier}"


def _name(mail: ObservedMail) -> str:
    return f"mail {mail.mail.number} ({mail.job_id[:8] or 'no job'})"


INVARIANTS: dict[str, Callable[[ObservedState], Iterator[str]]] = {
    "every mail has exactly one final state": _without_one_final_state,
    "every mail has exactly one reply": _without_one_reply,
    "every mail is done, or preempted by a newer one": _not_done,
    "every change is on its thread's branch exactly once": _not_once_on_branch,
    "every preview shows its thread's newest state": _not_once_in_preview,
    "no pair is leased by a stopped worker": _leased_by_stopped_worker,
    "no queue holds a message": _left_in_queues,
    "the number of workers never exceeds the maximum": _too_many_workers,
    "fences increase": _fences_not_increasing,
}
