"""The paths of the state machine in another interpreter: which functions are called with what, and how it ends."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.unit.sites.edge import NODE
from tools.statemachine import render

PROGRAM = Path(__file__).with_name("executions.mjs")
TASKS = ("Control", "Dispatch", "Picture", "Reply", "ReplyProblem", "ReplyRefusal", "ReplyToCommand", "ParseEmail")
NESTED = ("ProcessAttachment", "CheckOwnership", "Claim")
JOB = {"jobId": "mail-1", "pair": {"project": "bakery", "user": "ada"}, "threadId": "a" * 26, "command": "edit"}
PAGES = [{"path": "index.html", "change": "changed"}]
RECEIPT = {"output": {"Payload": {"jobId": "mail-1", "messageId": "m"}}}


def failure(error: str) -> dict[str, str]:
    return {"error": error, "cause": "because"}


def parsed(decision: str = "accept", parts: int = 0, **job: Any) -> dict[str, Any]:
    attachment_parts = [{"name": f"{number}.png"} for number in range(parts)]
    found = {"decision": decision, "reason": "r", "job": {**JOB, **job}, "attachmentParts": attachment_parts}
    if decision == "answer":
        found = {"decision": decision, "reason": "r", "refusal": {"jobId": "mail-1"}, "attachmentParts": []}
    return {"output": {"Payload": found}}


def owned(value: bool) -> dict[str, Any]:
    return {"output": {"Payload": {"owned": value}}}


def done(**outcome: Any) -> dict[str, Any]:
    return {"output": {"state": "done", **outcome}}


@dataclass(frozen=True)
class Course:
    """A path: the answers of the functions, the states that call one, and the error that it ends with."""

    answers: dict[str, Any]
    called: list[str]
    error: str | None = None


USUAL = {
    "ParseEmail": parsed(),
    "CheckOwnership": owned(True),
    "Dispatch": done(),
    "Reply": RECEIPT,
    "ReplyProblem": RECEIPT,
    "ReplyRefusal": RECEIPT,
    "ReplyToCommand": RECEIPT,
    "Claim": {"output": {"Payload": {}}},
    "ProcessAttachment": {"output": {"Payload": {"name": "0.png", "key": "media/1"}}},
    "Picture": {"output": {"Payload": {"after": True}}},
    "Control": {"output": {"Payload": {"state": "done"}}},
}
BEFORE = ["ParseEmail", "CheckOwnership"]
PICTURED = {"ParseEmail": parsed(pictures=True), "Dispatch": done(previewUrl="https://p", pages=PAGES)}
FAILED_PARSE = failure("Exception")

PATHS: dict[str, Course] = {
    "an edit of an owned pair": Course({}, [*BEFORE, "Dispatch", "Reply"]),
    "an edit of a pair without an owner": Course(
        {"CheckOwnership": owned(False)}, [*BEFORE, "Claim", "Dispatch", "Reply"]
    ),
    "attachments": Course({"ParseEmail": parsed(parts=2)}, [*BEFORE, *["ProcessAttachment"] * 2, "Dispatch", "Reply"]),
    "an unusable attachment": Course(
        {"ParseEmail": parsed(parts=1), "ProcessAttachment": failure("Exception")},
        [*BEFORE, *["ProcessAttachment"] * 3, "Dispatch", "Reply"],
    ),
    "a picture": Course(PICTURED, [*BEFORE, "Dispatch", "Picture", "Reply"]),
    "a picture that fails": Course(
        {**PICTURED, "Picture": failure("Exception")}, [*BEFORE, "Dispatch", "Picture", "Reply"]
    ),
    "pictures turned off": Course({**PICTURED, "ParseEmail": parsed(pictures=False)}, [*BEFORE, "Dispatch", "Reply"]),
    "a change without pages": Course(
        {**PICTURED, "Dispatch": done(previewUrl="https://p")}, [*BEFORE, "Dispatch", "Reply"]
    ),
    "a failed job": Course({"Dispatch": failure("JobFailed")}, [*BEFORE, "Dispatch", "Reply"]),
    "a preempted job": Course({"Dispatch": failure("JobPreempted")}, [*BEFORE, "Dispatch", "Reply"]),
    "a job that times out": Course(
        {"Dispatch": failure("States.Timeout")}, [*BEFORE, "Dispatch", "ReplyProblem"], "ProcessingFailed"
    ),
    "a dispatch that cannot read its input": Course(
        {"Dispatch": failure("InvalidMessageError")}, [*BEFORE, "Dispatch", "ReplyProblem"], "ProcessingFailed"
    ),
    "an ownership check that fails": Course(
        {"CheckOwnership": failure("Exception")}, ["ParseEmail", *["CheckOwnership"] * 4, "Dispatch", "Reply"]
    ),
    "a claim that fails": Course(
        {"CheckOwnership": owned(False), "Claim": failure("Exception")},
        [*BEFORE, *["Claim"] * 3, "Dispatch", "Reply"],
    ),
    "a refused mail": Course({"ParseEmail": parsed("answer")}, ["ParseEmail", "ReplyRefusal"]),
    "a dropped mail": Course({"ParseEmail": parsed("drop")}, ["ParseEmail"]),
    "an unreadable mail": Course({"ParseEmail": FAILED_PARSE}, ["ParseEmail"] * 6, "Unreadable"),
    "an invalid event": Course({"ParseEmail": failure("InvalidMessageError")}, ["ParseEmail"], "Unreadable"),
    "a reply that fails": Course({"Reply": failure("Exception")}, [*BEFORE, "Dispatch", *["Reply"] * 7], "ReplyFailed"),
    "a refusal that fails": Course(
        {"ParseEmail": parsed("answer"), "ReplyRefusal": failure("Exception")},
        ["ParseEmail", *["ReplyRefusal"] * 7],
        "ReplyFailed",
    ),
    **{
        f"the command {command}": Course(
            {"ParseEmail": parsed(command=command)}, ["ParseEmail", "Control", "ReplyToCommand"]
        )
        for command in ("help", "status", "stop")
    },
    **{
        f"an agent that finds {command}": Course(
            {"Dispatch": done(understood=command)}, [*BEFORE, "Dispatch", "Control", "ReplyToCommand"]
        )
        for command in ("help", "status", "stop")
    },
    "an agent that finds publish": Course({"Dispatch": done(understood="publish")}, [*BEFORE, "Dispatch", "Reply"]),
    "a command that fails": Course(
        {"ParseEmail": parsed(command="stop"), "Control": failure("Exception")},
        ["ParseEmail", *["Control"] * 4, "ReplyProblem"],
        "ProcessingFailed",
    ),
}


def definition() -> dict[str, Any]:
    machine = render()
    for state in _tasks(machine):
        # This interpreter knows no service integrations; its handlers replace them.
        state["Resource"] = "arn:aws:lambda:eu-west-1:123456789012:function:replaced"
        # It waits for these in real time.
        state.pop("HeartbeatSeconds", None)
        state.pop("TimeoutSeconds", None)
    return machine


def _tasks(machine: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for state in machine["States"].values():
        if state["Type"] == "Task":
            yield state
        for inner in [*state.get("Branches", []), *([state["ItemProcessor"]] if "ItemProcessor" in state else [])]:
            yield from _tasks(inner)


@pytest.fixture(scope="module")
def executions(packages: Path) -> dict[str, Any]:
    cases = [
        {
            "input": {"mailId": "mail-1"},
            "answers": {state: [answer] for state, answer in {**USUAL, **one.answers}.items()},
        }
        for one in PATHS.values()
    ]
    given = {"definition": {"machine": definition(), "states": [*TASKS, *NESTED]}, "cases": cases}
    done = subprocess.run(
        [NODE, PROGRAM, packages], input=json.dumps(given), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(PATHS, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("name", PATHS)
def test_path_calls_these_functions_and_ends_so(executions: dict[str, Any], name: str) -> None:
    found, path = executions[name], PATHS[name]

    # The two branches of Prepare run side by side.
    assert sorted(state for state, _ in found["calls"]) == sorted(path.called)
    assert found["error"] == path.error


def test_reply_gets_the_job_with_its_attachments(executions: dict[str, Any]) -> None:
    (given,) = [given for state, given in executions["attachments"]["calls"] if state == "Reply"]

    job = given["Payload"]["job"] if "Payload" in given else given["job"]
    assert [one["key"] for one in job["attachments"]] == ["media/1", "media/1"]


def test_dispatch_gets_the_task_token(executions: dict[str, Any]) -> None:
    (given,) = [given for state, given in executions["an edit of an owned pair"]["calls"] if state == "Dispatch"]

    assert given["Payload"]["taskToken"] == "the-token"


def test_control_gets_the_command_that_the_agent_found(executions: dict[str, Any]) -> None:
    (given,) = [given for state, given in executions["an agent that finds status"]["calls"] if state == "Control"]

    assert given["Payload"]["job"]["command"] == "status"


def test_every_task_is_on_a_path() -> None:
    tested = {state for path in PATHS.values() for state in path.called}

    assert tested == {*TASKS, *NESTED}
