"""A mail's way through the whole system, and its answer."""

from __future__ import annotations

from local.stack import Stack
from tests.e2e.conftest import ADA, Post
from tests.e2e.looking import links_in, look
from webordinary.platform.names import branch_of


def test_a_mail_changes_the_site_is_pushed_and_is_answered_once(stack: Stack, post: Post) -> None:
    mail = post.send(ADA, 'Please change "8 am to 2 pm" to "8 am to 4 pm".')
    mail.answer()

    assert "8 am to 4 pm" in mail.page("bakery")
    assert "8 am to 4 pm" in stack.remotes["bakery"].diff(branch_of(mail.thread_id()))
    assert len(mail.answers()) == 1


def test_the_answer_links_to_a_page_that_shows_the_change(stack: Stack, post: Post) -> None:
    mail = post.send(ADA, 'Please change "plum cake as long as it lasts" to "apple cake all day".')
    address, *_ = links_in(mail.answer().text)

    assert "apple cake all day" in look(stack, address).text


def test_an_answer_to_the_answer_goes_on_with_the_same_branch(stack: Stack, post: Post) -> None:
    first = post.send(ADA, 'Please change "7 am to 6 pm" to "7 am to 7 pm".')
    answer = first.answer()

    second = post.send(ADA, 'And change "closed, we sleep" to "closed".', answers=answer.message_id)
    second.answer()

    assert second.thread_id() == first.thread_id()
    assert len(stack.remotes["bakery"].commits(branch_of(first.thread_id()))) == 2


def test_the_second_mail_of_a_thread_keeps_what_the_first_changed(post: Post) -> None:
    first = post.send(ADA, 'Please change "Fresh this week" to "Fresh today".')
    answer = first.answer()

    second = post.send(ADA, 'Please change "Opening hours" to "When we are open".', answers=answer.message_id)
    second.answer()

    page = second.page("bakery")
    assert "Fresh today" in page
    assert "When we are open" in page


def test_what_cannot_be_done_is_answered_and_changes_nothing(stack: Stack, post: Post) -> None:
    mail = post.send(ADA, 'Please change "words that no page has" to "other words".')
    mail.answer()

    assert branch_of(mail.thread_id()) not in stack.remotes["bakery"].branches()
