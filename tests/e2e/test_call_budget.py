"""The functions in the path of a mail make no more calls than the budget that `make load` writes and checks in full."""

from __future__ import annotations

from local.stack.stack import Stack
from tests.e2e.conftest import ADA, MailSender
from tests.load import budget
from tests.load.call_counts import CallReader
from tests.load.mail_counts import calls_of_mail


def test_mail_makes_no_more_calls_than_its_budget(stack: Stack, mail_sender: MailSender) -> None:
    calls = CallReader(stack)
    first = mail_sender.send(ADA, 'Please add "Rolls from six" to the home page.').wait_for_reply()
    begin = calls.position()
    mail_sender.send(
        ADA, 'Please add "Rolls from five" to the home page.', in_reply_to=first.message_id
    ).wait_for_reply()
    calls.position()

    counted = calls_of_mail(calls.since(begin))
    assert counted["intake: lambda invocation"] == 1
    assert budget.exceeded(budget.load(), {"next_mail": counted}) == [], "Run make load ARGS=--write if it is meant."
