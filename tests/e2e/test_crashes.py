"""A killed worker is replaced, and each mail gets one reply."""

from __future__ import annotations

from local.runtime.events import milestone
from local.stack.stack import Stack
from tests.e2e.conftest import ADA, TIMEOUT_SECONDS, MailSender
from tests.e2e.fleet import first_worker, stop_workers


def test_worker_killed_during_start_is_replaced(stack: Stack, mail_sender: MailSender) -> None:
    stop_workers(stack)
    since = stack.events.position()
    mail = mail_sender.send(ADA, 'Please change "8 am to 2 pm" to "8 am to 6 pm".')
    stack.events.wait_for(milestone("worker_started"), TIMEOUT_SECONDS, since=since, what="a worker")

    stack.workers.kill(first_worker(stack))
    mail.wait_for_reply()

    assert "8 am to 6 pm" in mail.page("bakery")
    assert len(mail.replies()) == 1
    assert len(stack.events.all(milestone("worker_started"), since=since)) >= 2


def test_worker_killed_while_idle_is_replaced_for_the_next_mail(stack: Stack, mail_sender: MailSender) -> None:
    first = mail_sender.send(ADA, 'Please change "8 am to 2 pm" to "8 am to 7 pm".')
    first.wait_for_reply()
    stack.workers.kill(first.milestones("agent_finished")[-1].source)

    second = mail_sender.send(ADA, 'Please change "8 am to 2 pm" to "8 am to 8 pm".')
    second.wait_for_reply()

    assert "8 am to 8 pm" in second.page("bakery")
    assert (len(first.replies()), len(second.replies())) == (1, 1)
