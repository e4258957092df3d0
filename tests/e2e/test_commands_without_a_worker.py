"""Help, status and stop are answered while every worker is busy, in the language of the mail."""

from __future__ import annotations

from local.model.client import StandInClient
from local.model.steps import ScriptedStep
from tests.e2e.conftest import ADA, PATIENCE, Post
from webordinary.mail.markup import Markup


def test_help_status_and_stop_while_the_agent_thinks(post: Post, model: StandInClient) -> None:
    words = "9 am to 9 pm"
    model.script(ScriptedStep(text="Let me think.", hang=300), when=words)
    busy = post.send(ADA, f'Bitte ändere "8 am to 2 pm" in "{words}".')
    model.wait_until_hanging(when=words, seconds=PATIENCE)

    helped, told = post.send(ADA, "Hilfe"), post.send(ADA, "status")
    assert "Schreiben Sie in eigenen Worten" in helped.answer().text
    assert f'Bitte ändere "8 am to 2 pm" in "{words}".' in told.answer().text
    assert busy.answers() == []

    stopped = post.send(ADA, "stopp")
    assert "abgebrochen" in stopped.answer().text
    assert "Sie haben mich gebeten aufzuhören" in busy.answer().text
    assert [len(mail.answers()) for mail in (helped, told, stopped, busy)] == [1, 1, 1, 1]
    assert [mail.milestones("job_dispatched") for mail in (helped, told, stopped)] == [[], [], []]


def test_an_addition_while_a_request_runs_says_where_the_first_went(post: Post, model: StandInClient) -> None:
    model.script(ScriptedStep(text="Let me think.", hang=300), when="Wednesdays")
    first = post.send(ADA, 'Please change "closed, we sleep" to "closed on Wednesdays".')
    model.wait_until_hanging(when="Wednesdays", seconds=PATIENCE)

    second = post.send(ADA, 'Also change "Opening hours" to "Our hours".', answers=first.message_id)

    assert "My answer to “Also change" in first.answer().text
    answer = second.answer()
    assert "I changed “Opening hours” to “Our hours”." in answer.text
    assert (len(first.answers()), len(second.answers())) == (1, 1)


def test_a_question_is_answered_and_the_named_change_taken_back(post: Post) -> None:
    unclear = post.send(ADA, "Please make it a bit nicer.")
    asked = unclear.answer()
    assert "Which words should become which?" in asked.text

    first = post.send(ADA, 'change "Fresh this week" to "Fresh today"', answers=asked.message_id)
    second = post.send(ADA, 'change "Opening hours" to "Hours"', answers=first.answer().message_id)
    third = post.send(ADA, 'Please take back "Fresh this week" now, thank you', answers=second.answer().message_id)

    assert "was taken back" in third.answer().text
    page = third.page("bakery")
    assert ("Fresh this week" in page, "Fresh today" in page, "Opening hours" in page) == (True, False, False)


def test_an_answer_names_the_page_by_its_title_in_both_forms(post: Post) -> None:
    mail = post.send(ADA, 'Bitte ändere "555 0100" in "555 0177". Danke!')
    answer = mail.answer()

    assert answer.html is not None
    for shown in (answer.text, Markup(answer.html).text):
        assert "Diese Seiten haben sich geändert" in shown
        assert "Contact" in shown
        assert "555 0177" in shown
        assert "src/" not in shown
