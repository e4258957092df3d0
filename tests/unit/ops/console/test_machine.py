"""The drawing of the state machine agrees with the ASL, and shows the path that was taken."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from webordinary_ops.console.filters import duration
from webordinary_ops.console.machine.definition import read_definition
from webordinary_ops.console.machine.execution_path import draw_lines, draw_states, execution_path
from webordinary_ops.console.machine.layout import BOXES, HEIGHT, LINES, NOT_DRAWN, WIDTH

START = datetime(2026, 11, 18, 15, 0, tzinfo=UTC)


def events(*names: str, end: str = "") -> list[dict[str, Any]]:
    """`+Name` enters a state and `-Name` leaves it, a second after another."""
    found: list[dict[str, Any]] = [{"type": "ExecutionStarted", "timestamp": START}]
    for number, name in enumerate(names, 1):
        entered = name.startswith("+")
        key = "stateEnteredEventDetails" if entered else "stateExitedEventDetails"
        found.append({"type": "x", "timestamp": START + timedelta(seconds=number), key: {"name": name[1:]}})
    if end:
        found.append({"type": end, "timestamp": START + timedelta(seconds=len(names) + 1)})
    return found


def test_every_state_has_a_place_and_no_other() -> None:
    assert set(BOXES) == set(read_definition().states)


def test_every_transition_is_drawn_or_left_out_on_purpose() -> None:
    transitions = {(one.source, one.target) for one in read_definition().transitions}

    assert transitions == set(LINES) | NOT_DRAWN
    assert not set(LINES) & NOT_DRAWN


def test_boxes_are_inside_the_drawing_and_apart() -> None:
    boxes = [box for name, box in BOXES.items() if name != "Prepare"]
    for number, one in enumerate(boxes):
        assert one.x >= 0
        assert one.x + one.width <= WIDTH
        assert one.y + one.height <= HEIGHT
        for other in boxes[number + 1 :]:
            apart = (
                one.x + one.width <= other.x or other.x + other.width <= one.x
                or one.y + one.height <= other.y or other.y + other.height <= one.y
            )  # fmt: skip
            assert apart, (one, other)


def test_running_mail_shows_its_path_and_its_state() -> None:
    path = execution_path(events("+ParseEmail", "-ParseEmail", "+RouteDecision", "-RouteDecision", "+NeedsWorker",
                        "-NeedsWorker", "+Prepare", "+CheckOwnership"))  # fmt: skip
    states = {one.name: one.kind for one in draw_states(read_definition(), path, START, duration)}

    assert path.current == "CheckOwnership"
    assert (states["ParseEmail"], states["CheckOwnership"], states["Dispatch"]) == ("taken", "current", "ahead")
    assert (states["Unreadable"], states["Control"]) == ("aside", "aside")
    taken = {line.path for line in draw_lines(read_definition(), path) if line.taken}
    assert LINES["RouteDecision", "NeedsWorker"] in taken
    assert LINES["RouteDecision", "Dropped"] not in taken
    assert LINES["Prepare", "CheckOwnership"] in taken


@pytest.mark.parametrize(
    ("through", "expected"), [(True, ("Dispatch", "IsUnderstoodCommand")), (False, ("Dispatch", "Reply"))]
)
def test_only_the_transition_that_was_taken_is_marked(through: bool, expected: tuple[str, str]) -> None:
    decisions = ("IsUnderstoodCommand", "HasVisibleChange") if through else ()
    middle = [f"{sign}{name}" for name in decisions for sign in "+-"]
    path = execution_path(events("+Dispatch", "-Dispatch", *middle, "+Reply", "-Reply", "+Answered", "-Answered",
                        end="ExecutionSucceeded"))  # fmt: skip
    taken = {line.path for line in draw_lines(read_definition(), path) if line.taken}

    assert LINES[expected] in taken
    assert len({LINES["Dispatch", "IsUnderstoodCommand"], LINES["Dispatch", "Reply"]} & taken) == 1
    assert (path.status, path.current) == ("SUCCEEDED", "")


def test_failed_execution_has_no_active_state() -> None:
    path = execution_path(events("+ParseEmail", "+Unreadable", end="ExecutionFailed"))

    assert (path.status, path.current) == ("FAILED", "")
    assert all(visit.left for visit in path.visits)


def test_deleted_execution_is_unknown() -> None:
    assert execution_path([]).status == "UNKNOWN"
