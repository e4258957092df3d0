"""Mails without effect: unknown senders, forgeries, and duplicates."""

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
    """Polls until the mail's execution has ended, because its end has no event."""
    client = emulated.client("stepfunctions")
    arn = stack.outputs["state_machine_arn"].replace(":stateMachine:", ":execution:") + f":{job_id}"
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        execution = client.describe_execution(executionArn=arn)
        if execution["status"] != "RUNNING":
            return execution
        time.sleep(0.2)
    raise AssertionError(f"the execution of {job_id} did not end")


def test_unknown_sender_gets_no_reply(stack: Stack, emulated: EmulatedAws, mail_sender: MailSender) -> None:
    mail = mail_sender.send("mallory@example.net", 'Please change "8 am to 2 pm" to "never".')
    mail.wait_for("execution_started")
    execution_of(emulated, stack, mail.job_id)

    assert mail.replies() == []
    assert mail.milestones("job_dispatched") == []


def test_forged_sender_changes_nothing_and_gets_no_reply(stack: Stack, emulated: EmulatedAws) -> None:
    forged = compose(ADA, stack.recipient, "Hours", 'Please change "8 am to 2 pm" to "never".')
    message_id = send(forged, stack.smtp_port, envelope_sender="mallory@example.net")
    job_id = next(mail.job_id for mail in stack.mailbox.mails("in") if mail.message_id == message_id)
    stack.events.wait_for(
        lambda event: event.job_id == job_id and event.milestone == "execution_started", TIMEOUT_SECONDS
    )
    execution_of(emulated, stack, job_id)

    assert stack.mailbox.replies_to(message_id) == []
    assert not stack.events.all(lambda event: event.job_id == job_id and event.milestone == "job_dispatched")


def test_duplicate_delivery_of_a_stored_mail_starts_nothing(
    stack: Stack, emulated: EmulatedAws, mail_sender: MailSender
) -> None:
    mail = mail_sender.send(ADA, 'Please change "8 am to 2 pm" to "8 am to 3 pm".')
    mail.wait_for_reply()
    execution_of(emulated, stack, mail.job_id)  # while it runs, another start would be idempotent
    bucket, key = stack.outputs["buckets"]["raw_mail"], stack.names.object_prefix("raw_mail") + mail.job_id
    s3 = emulated.client("s3")

    s3.put_object(Bucket=bucket, Key=key, Body=s3.get_object(Bucket=bucket, Key=key)["Body"].read())
    stack.logs.wait_for("function/webordinary-intake", "DuplicateDeliveries", TIMEOUT_SECONDS)

    assert len(mail.milestones("execution_started")) == 1
    assert len(mail.replies()) == 1


def test_mail_for_another_domain_is_rejected_by_smtp(stack: Stack) -> None:
    with pytest.raises(smtplib.SMTPRecipientsRefused):
        send(compose(ADA, "edit@elsewhere.example.net", "x", "y"), stack.smtp_port)
