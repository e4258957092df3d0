"""A worker that dies in the middle of a job: another takes over, and the mail is answered once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from local.model.client import StandInClient
from local.model.steps import ScriptedStep
from local.stack import Stack
from tests.e2e.conftest import ADA, Post


@pytest.fixture
def pool_of_two(stack: Stack) -> Iterator[None]:
    """Whatever a test does to the workers, the next one finds as many as before."""
    before = stack.workers.count()
    yield
    stack.workers.start(before - stack.workers.count())


@pytest.mark.usefixtures("pool_of_two")
def test_a_killed_workers_mail_is_redone_by_another_and_answered_once(
    stack: Stack, post: Post, model: StandInClient
) -> None:
    model.script(ScriptedStep(text="Let me think.", hang=300), when="8 am to 5 pm")
    mail = post.send(ADA, 'Please change "8 am to 2 pm" to "8 am to 5 pm".')
    victim = mail.wait_for("agent_started")
    model.wait_until_hanging(when="8 am to 5 pm", seconds=60)

    stack.workers.kill(victim.source)
    mail.answer()

    finisher = mail.milestones("agent_finished")[-1]
    assert finisher.source != victim.source
    assert "8 am to 5 pm" in mail.page("bakery")
    assert len(mail.answers()) == 1
