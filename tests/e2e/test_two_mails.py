"""Mails of different pairs run in parallel, mails of one pair in sequence."""

from __future__ import annotations

from local.model.steps import ScriptedStep, ToolCall
from tests.e2e.conftest import ADA, BOB, MailSender, SentMail
from tests.support.model_client import StandInClient

LIST_PAGES = ToolCall(name="Glob", input={"pattern": "src/pages/*.astro"})


def slowly(seconds: float) -> ScriptedStep:
    """A step in which the agent hangs, then lists files."""
    return ScriptedStep(text="Let me look around first.", tools=(LIST_PAGES,), hang=seconds)


def started_at(mail: SentMail) -> float:
    return mail.wait_for("agent_started").at


def ended_at(mail: SentMail) -> float:
    return mail.wait_for("agent_finished").at


def test_two_pairs_are_served_in_parallel_by_two_workers(mail_sender: MailSender, model: StandInClient) -> None:
    model.script(slowly(8), when="9 am to 3 pm")
    model.script(slowly(8), when="9 am to 5 pm")

    of_ada = mail_sender.send(ADA, 'Please change "8 am to 2 pm" to "9 am to 3 pm".')
    of_bob = mail_sender.send(BOB, 'Please change "8 am to 2 pm" to "9 am to 5 pm".')
    of_ada.wait_for_reply()
    of_bob.wait_for_reply()

    assert started_at(of_ada) < ended_at(of_bob)
    assert started_at(of_bob) < ended_at(of_ada)
    assert of_ada.wait_for("agent_started").source != of_bob.wait_for("agent_started").source


def test_two_mails_of_one_pair_run_in_sequence_with_separate_changes(mail_sender: MailSender) -> None:
    first = mail_sender.send(BOB, 'Please change "See what we bake" to "What we bake".')
    second = mail_sender.send(BOB, 'Please change "See what we bake" to "Our bread".')
    first.wait_for_reply()
    second.wait_for_reply()

    earlier, later = sorted((first, second), key=started_at)
    assert ended_at(earlier) < started_at(later)
    assert "What we bake" in first.page("garden")
    assert "Our bread" in second.page("garden")
