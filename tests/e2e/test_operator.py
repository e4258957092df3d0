"""The operator's command against the whole running system, as it is called from a terminal."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from local.events import milestone
from local.stack import Stack
from tests.e2e.conftest import ADA, Post

COMMAND = Path(__file__).resolve().parents[2] / "ops/webordinary"


def webordinary(*arguments: str) -> Any:
    answer = subprocess.run(
        [COMMAND, "--json", "--yes", *arguments], capture_output=True, text=True, check=False, timeout=240
    )
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


@pytest.fixture
def sent(stack: Stack) -> Any:
    """A mail that the command sent, answered."""
    return webordinary("send", 'Please change "8 am to noon" to "8 am to 1 pm".', "--from", ADA, "--wait", "120")


def test_a_sample_mail_is_answered_and_its_way_can_be_followed(sent: Any) -> None:
    assert (sent["state"], sent["answer"] is not None) == ("done", True)

    shown = webordinary("show", sent["job"])
    steps = [step["step"] for step in shown["steps"]]
    assert steps.index("ParseEmail") < steps.index("Dispatch") < steps.index("Reply")
    assert shown["commit"]
    assert sent["job"] in [row["job"] for row in webordinary("jobs", "--all", "--project", "bakery")]
    assert webordinary("status")["projects"] >= 2


def test_a_replay_is_carried_out_and_not_answered_again(stack: Stack, post: Post, sent: Any) -> None:
    replayed = webordinary("replay", sent["job"])
    stack.events.wait_for(milestone("job_settled", job_id=replayed["job"]), 120)

    shown = webordinary("show", replayed["job"])
    assert (shown["state"], shown["thread"]) == ("done", webordinary("show", sent["job"])["thread"])
    assert "answer" not in shown
    assert len(stack.mailbox.replies_to(sent["messageId"])) == 1
