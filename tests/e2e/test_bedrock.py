"""Mails of a project whose model runs on Bedrock. The stand-in verifies the signatures with the pair's role session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from local.model.steps import ScriptedStep
from local.stack.stack import Stack
from tests.e2e.conftest import BOB, MailSender
from tests.e2e.fleet import stop_workers
from tests.e2e.test_operator import webordinary
from tests.support.model_client import StandInClient


@pytest.fixture
def on_bedrock(stack: Stack) -> Iterator[StandInClient]:
    """Workers read a project once, so they are stopped before and after."""
    assert stack.model_url is not None
    stop_workers(stack)
    webordinary("projects", "change", "garden", "--set", "model_provider=bedrock")
    yield StandInClient(stack.model_url)
    stop_workers(stack)
    webordinary("projects", "change", "garden", "--set", "model_provider=")


def test_mail_is_carried_out_on_bedrock_by_own_profile(mail_sender: MailSender, on_bedrock: StandInClient) -> None:
    profile = webordinary("projects", "profiles", "garden")["modelProfiles"]["claude-opus-5-5"]
    words = "Grown on Bedrock"
    mail = mail_sender.send(BOB, f'Please add "{words}" to the home page.')

    assert mail.wait_for_reply().text
    assert words in mail.page("garden")
    models = {(asked.headers.get("x-model"), asked.status) for asked in on_bedrock.requests(when=words)}
    assert models == {(profile, 200)}
    webordinary("projects", "profiles", "garden", "--forget")


def test_unavailable_model_is_answered_truthfully(mail_sender: MailSender, on_bedrock: StandInClient) -> None:
    words = "Not to be had"
    on_bedrock.script(ScriptedStep(status=404, message="Model not found.", when=words, times=20))
    reply = mail_sender.send(BOB, f'Please add "{words}" to the home page.').wait_for_reply()

    assert "isn't available right now" in reply.text
    assert "went wrong" not in reply.text
