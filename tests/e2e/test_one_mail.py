"""One mail through the whole system, and its reply."""

from __future__ import annotations

from local.stack.stack import Stack
from tests.e2e.conftest import ADA, MailSender
from tests.e2e.site_client import fetch, links_in
from webordinary.contract.names import branch_of


def test_reply_links_to_a_page_with_the_change(stack: Stack, mail_sender: MailSender) -> None:
    mail = mail_sender.send(ADA, 'Please change "plum cake as long as it lasts" to "apple cake all day".')
    address, *_ = links_in(mail.wait_for_reply().text)

    assert "apple cake all day" in fetch(stack, address).text


def test_conversation_reuses_its_branch_and_undoes_a_named_change(stack: Stack, mail_sender: MailSender) -> None:
    first = mail_sender.send(ADA, 'Please change "Fresh this week" to "Fresh today".')
    second = mail_sender.send(
        ADA, 'And change "Opening hours" to "Hours".', in_reply_to=first.wait_for_reply().message_id
    )
    reply = second.wait_for_reply()
    page = second.page("bakery")
    assert ("Fresh today" in page, "Opening hours" in page) == (True, False)
    assert len(stack.remotes["bakery"].commits(branch_of(first.thread_id()))) == 2

    third = mail_sender.send(ADA, 'Please take back "Fresh this week" now, thank you', in_reply_to=reply.message_id)

    assert "has been undone" in third.wait_for_reply().text
    page = third.page("bakery")
    assert ("Fresh this week" in page, "Fresh today" in page, "Opening hours" in page) == (True, False, False)
    assert third.thread_id() == first.thread_id()
