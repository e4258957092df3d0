"""Mails that must not do anything: strangers, forgeries, and the same mail twice."""

from __future__ import annotations

import smtplib
import time
from typing import Any

import pytest

from local.aws import EmulatedAws
from local.send import compose, send
from local.stack.stack import Stack
from tests.e2e.conftest import ADA, TIMEOUT_SECONDS, MailSender


def execution_of(emulated: EmulatedAws, stack: Stack, job_id: str) -> Any:
    """The mail's execution, once it is over. An execution announces its end to nobody, so this one has to look."""
    client = emulated.client("stepfunctions")
    arn = stack.outputs["state_machine_arn"].replace(":stateMachine:", ":execution:") + f":{job_id}"
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        execution = client.describe_execution(executionArn=arn)
        if execution["status"] != "RUNNING":
            return execution
        time.sleep(0.2)
    raise AssertionError(f"the execution of {job_id} did not end")


def test_a_stranger_gets_no_answer(stack: Stack, emulated: EmulatedAws, post: MailSender) -> None:
    mail = post.send("mallory@example.net", 'Please change "8 am to 2 pm" to "never".')
    mail.wait_for("execution_started")
    execution_of(emulated, stack, mail.job_id)

    assert mail.replies() == []
    assert mail.milestones("job_dispatched") == []


def test_a_forged_sender_changes_nothing_and_gets_no_answer(stack: Stack, emulated: EmulatedAws) -> None:
    forged = compose(ADA, stack.recipient, "Hours", 'Please change "8 am to 2 pm" to "never".')
    message_id = send(forged, stack.smtp_port, envelope_sender="mallory@example.net")
    job_id = next(mail.job_id for mail in stack.mailbox.mails("in") if mail.message_id == message_id)
    stack.events.wait_for(
        lambda event: event.job_id == job_id and event.milestone == "execution_started", TIMEOUT_SECONDS
    )
    execution_of(emulated, stack, job_id)

    assert stack.mailbox.replies_to(message_id) == []
    assert not stack.events.all(lambda event: event.job_id == job_id and event.milestone == "job_dispatched")


def test_the_same_stored_mail_delivered_again_starts_nothing(
    stack: Stack, emulated: EmulatedAws, post: MailSender
) -> None:
    mail = post.send(ADA, 'Please change "8 am to 2 pm" to "8 am to 3 pm".')
    mail.wait_for_reply()
    execution_of(emulated, stack, mail.job_id)  # while it runs, starting it again counts as the same start
    bucket, key = stack.outputs["buckets"]["raw_mail"], stack.names.object_prefix("raw_mail") + mail.job_id
    s3 = emulated.client("s3")

    s3.put_object(Bucket=bucket, Key=key, Body=s3.get_object(Bucket=bucket, Key=key)["Body"].read())
    stack.logs.wait_for("function/webordinary-intake", "DuplicateDeliveries", TIMEOUT_SECONDS)

    assert len(mail.milestones("execution_started")) == 1
    assert len(mail.replies()) == 1


def test_mail_for_another_domain_is_refused_at_the_door(stack: Stack) -> None:
    with pytest.raises(smtplib.SMTPRecipientsRefused):
        send(compose(ADA, "edit@elsewhere.example.net", "x", "y"), stack.smtp_port)
