"""The life of a thread's changes: made, live, taken off, live again, undone."""

from __future__ import annotations

from webordinary.contract.outcomes import ChangeState
from webordinary.protocol.change_life import Event, Made, Published, TakenOff, Undone, fold

HOURS, JOBS = Made("a", "Hours"), Made("b", "Jobs")


def states(*events: Event) -> list[ChangeState]:
    return [change.state for change in fold(events)]


def test_change_is_made_then_live_then_taken_off_then_live_again() -> None:
    life: list[Event] = [HOURS, Published(("a",)), TakenOff(), Published(("a",))]

    assert [states(*life[: number + 1])[0] for number in range(4)] == [
        ChangeState.MADE,
        ChangeState.LIVE,
        ChangeState.TAKEN_OFF,
        ChangeState.LIVE,
    ]


def test_unpublish_restores_the_publication_before() -> None:
    assert states(HOURS, Published(("a",)), JOBS, Published(("a", "b")), TakenOff()) == [
        ChangeState.LIVE,
        ChangeState.TAKEN_OFF,
    ]


def test_undone_change_stays_live_until_the_next_publish() -> None:
    life: list[Event] = [HOURS, JOBS, Published(("a", "b")), Undone("a")]

    assert states(*life)[0] is ChangeState.UNDONE_STILL_LIVE
    assert states(*life, Published(("b",)))[0] is ChangeState.UNDONE


def test_taken_off_change_can_be_undone() -> None:
    assert states(HOURS, Published(("a",)), TakenOff(), Undone("a")) == [ChangeState.UNDONE]


def test_change_that_is_reported_twice_counts_once() -> None:
    assert len(fold([HOURS, HOURS])) == 1
