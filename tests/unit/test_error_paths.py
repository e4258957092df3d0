"""Every state that can fail after parsing leads to a reply."""

import json
import re
from pathlib import Path
from typing import Any

ASL = Path(__file__).resolve().parents[2] / "statemachine/email_processor.asl.json"
CAN_FAIL = ("Task", "Parallel", "Map")
REPLIES = {"Reply", "ReplyToCommand", "ReplyProblem", "ReplyRefusal"}
BEFORE = {"ParseEmail"}  # it fails before the sender is known


def states() -> dict[str, Any]:
    text = re.sub(r": (\$\{[^}]*\})", r': "\1"', ASL.read_text(encoding="utf-8"))
    found: dict[str, Any] = json.loads(text)["States"]
    return found


def test_every_state_that_can_fail_leads_to_a_reply() -> None:
    failing = {name: state for name, state in states().items() if state["Type"] in CAN_FAIL}
    to_catch = failing.keys() - REPLIES - BEFORE

    targets = {
        name: {catcher["Next"] for catcher in failing[name].get("Catch", []) if "States.ALL" in catcher["ErrorEquals"]}
        for name in to_catch
    }

    assert to_catch >= {"Prepare", "Dispatch"}
    assert {name: found for name, found in targets.items() if not found or not found <= REPLIES} == {}


def test_every_state_of_a_branch_that_can_fail_is_caught_in_its_branch() -> None:
    """A failed attachment or request for a worker must not end the mail."""
    branches = [branch["States"] for state in states().values() for branch in state.get("Branches", [])]
    inner = [
        *branches,
        *(
            state["ItemProcessor"]["States"]
            for branch in branches
            for state in branch.values()
            if "ItemProcessor" in state
        ),
    ]
    tasks = {name: state for branch in inner for name, state in branch.items() if state["Type"] == "Task"}

    caught = {
        name
        for name, state in tasks.items()
        if any("States.ALL" in catcher["ErrorEquals"] for catcher in state.get("Catch", []))
    }
    assert tasks.keys() >= {"Claim", "CheckOwnership", "ProcessAttachment"}
    assert caught == tasks.keys()
