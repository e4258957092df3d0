"""Mails of different pairs run in parallel, mails of one pair in sequence."""

from __future__ import annotations

from local.model.steps import ScriptedStep, ToolCall
from tests.e2e.conftest import ADA, BOB, TIMEOUT_SECONDS, MailSender, SentMail
from tests.e2e.scenarios import HANG_SECONDS
from tests.support.model_client import StandInClient

LIST_PAGES = ToolCall(name="Glob", input={"pattern": "src/pages/*.astro"})


def started_at(mail: SentMail) -> float:
    return mail.wait_for("agent_started").at


def ended_at(mail: SentMail) -> float:
    return mail.wait_for("agent_finished").at


def test_two_pairs_are_served_in_parallel_by_two_workers(mail_sender: MailSender, model: StandInClient) -> None:
    new_hours = ("9 am to 3 pm", "9 am to 5 pm")
    for words in new_hours:
        hanging = ScriptedStep(text="Let me look around first.", tools=(LIST_PAGES,), hang=HANG_SECONDS)
        model.script(hanging, when=words)

    of_ada, of_bob = (
        mail_sender.send(sender, f'Please change "8 am to 2 pm" to "{words}".')
        for sender, words in zip((ADA, BOB), new_hours, strict=True)
    )
    for words in new_hours:
        model.wait_until_hanging(when=words, seconds=TIMEOUT_SECONDS)  # both agents run now
    model.resume()
    of_ada.wait_for_reply()
    of_bob.wait_for_reply()

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
