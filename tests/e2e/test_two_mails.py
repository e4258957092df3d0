"""Mails side by side and one after the other: pairs do not wait for each other, mails of one pair do."""

from __future__ import annotations

from local.model.client import StandInClient
from local.model.steps import ScriptedStep, ToolCall
from tests.e2e.conftest import ADA, BOB, MailSender, SentMail

LOOK_AROUND = ToolCall(name="Glob", input={"pattern": "src/pages/*.astro"})


def slowly(seconds: float) -> ScriptedStep:
    """The agent thinks for a while and looks around before it begins."""
    return ScriptedStep(text="Let me look around first.", tools=(LOOK_AROUND,), hang=seconds)


def began(mail: SentMail) -> float:
    return mail.wait_for("agent_started").at


def ended(mail: SentMail) -> float:
    return mail.wait_for("agent_finished").at


def test_two_pairs_are_served_side_by_side_by_two_workers(post: MailSender, model: StandInClient) -> None:
    model.script(slowly(8), when="9 am to 3 pm")
    model.script(slowly(8), when="9 am to 5 pm")

    of_ada = post.send(ADA, 'Please change "8 am to 2 pm" to "9 am to 3 pm".')
    of_bob = post.send(BOB, 'Please change "8 am to 2 pm" to "9 am to 5 pm".')
    of_ada.wait_for_reply()
    of_bob.wait_for_reply()

    assert began(of_ada) < ended(of_bob)
    assert began(of_bob) < ended(of_ada)
    assert of_ada.wait_for("agent_started").source != of_bob.wait_for("agent_started").source


def test_two_mails_of_one_pair_are_done_one_after_the_other_each_with_its_own_change(post: MailSender) -> None:
    first = post.send(BOB, 'Please change "See what we bake" to "What we bake".')
    second = post.send(BOB, 'Please change "See what we bake" to "Our bread".')
    first.wait_for_reply()
    second.wait_for_reply()

    earlier, later = sorted((first, second), key=began)
    assert ended(earlier) < began(later)
    assert "What we bake" in first.page("garden")
    assert "Our bread" in second.page("garden")
