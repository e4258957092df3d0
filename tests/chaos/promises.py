"""What must hold after a run, whatever was done to the system. Each promise names what breaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from tests.chaos.observed_state import ObservedMail, ObservedState


@dataclass(frozen=True)
class Verdict:
    promise: str
    broken_by: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.broken_by


def judge(observed: ObservedState) -> list[Verdict]:
    return [Verdict(promise, tuple(find(observed))) for promise, find in PROMISES.items()]


def _without_one_final_state(observed: ObservedState) -> Iterator[str]:
    for mail in observed.mails:
        if not mail.is_final:
            yield f"{_name(mail)} is {mail.state}"
        elif not mail.is_settled:
            yield f"{_name(mail)} is {mail.state}, but its execution was not told"
        elif mail.decisions > 1:
            yield f"{_name(mail)} was ended {mail.decisions} times"


def _without_one_answer(observed: ObservedState) -> Iterator[str]:
    for mail in observed.mails:
        if mail.answers != 1:
            yield f"{_name(mail)} got {mail.answers} answers"


def _not_done(observed: ObservedState) -> Iterator[str]:
    for mail in observed.mails:
        if not (mail.state == "done" or (mail.mail.overtaken and mail.state == "preempted")):
            yield f"{_name(mail)} is {mail.state}"


def _not_once_on_its_branch(observed: ObservedState) -> Iterator[str]:
    for mail in observed.mails:
        # What an overtaken mail had done by then is kept, so its change may be there.
        if mail.in_source not in ((0, 1) if mail.state == "preempted" else (1,)):
            yield f"{_name(mail)} stands {mail.in_source} times in the source of its branch"
        if mail.commits != (0 if mail.state == "preempted" else 1):
            yield f"{_name(mail)} has {mail.commits} commits"


def _not_once_in_the_preview(observed: ObservedState) -> Iterator[str]:
    for mail in observed.mails:
        if mail.in_preview != mail.in_source:
            yield f"{_name(mail)} stands {mail.in_preview} times in the preview of its thread"
        if mail.state == "done" and not mail.has_preview_link:
            yield f"{_name(mail)} was answered without a link to its preview"


def _held_by_the_dead(observed: ObservedState) -> Iterator[str]:
    for holding in observed.holdings:
        if holding.is_live and not holding.container_runs:
            yield f"{holding.pair} is held by {holding.container_id}, which is dead"


def _left_in_queues(observed: ObservedState) -> Iterator[str]:
    for name, count in observed.queues.items():
        yield f"{name} holds {count}"


def _too_many_workers(observed: ObservedState) -> Iterator[str]:
    if observed.most_workers > observed.maximum:
        yield f"{observed.most_workers} workers ran at once, {observed.maximum} is the maximum"


def _fences_that_did_not_grow(observed: ObservedState) -> Iterator[str]:
    for pair, fences in observed.fences.items():
        for earlier, later in pairwise(fences):
            if later <= earlier:
                yield f"{pair} was claimed with fence {later} after {earlier}"


def _name(mail: ObservedMail) -> str:
    return f"mail {mail.mail.number} ({mail.job_id[:8] or 'no job'})"


PROMISES: dict[str, Callable[[ObservedState], Iterator[str]]] = {
    "every mail has exactly one final state": _without_one_final_state,
    "every mail has exactly one answer": _without_one_answer,
    "every mail was carried out, or overtaken by a newer one": _not_done,
    "every change is on its thread's branch exactly once": _not_once_on_its_branch,
    "every preview shows its thread's newest state": _not_once_in_the_preview,
    "no pair is held by the dead": _held_by_the_dead,
    "no queue holds a message": _left_in_queues,
    "there are never more workers than the maximum": _too_many_workers,
    "fences only grow": _fences_that_did_not_grow,
}
