"""Inbound mail: SMTP, receipt rules, bucket and queue."""

from __future__ import annotations

import json
import smtplib
from collections.abc import Iterator
from email import message_from_bytes
from typing import Any

import pytest

from local.aws import EmulatedAws
from local.errors import PortInUseError
from local.pumps.inbound import Inbound, NoRuleError, StoredMail
from local.pumps.ses_headers import SmtpEnvelope, Verdicts
from local.pumps.smtp import MailServer
from local.runtime.serving import listen
from local.send import compose, send

EDIT = "edit@mail.example.com"


@pytest.fixture(scope="module")
def raw_mail(emulated: EmulatedAws) -> Iterator[dict[str, str]]:
    """A bucket that notifies a queue, and receipt rules that store in it."""
    s3, sqs, ses = (emulated.client(service) for service in ("s3", "sqs", "ses"))
    bucket = "raw-mail-of-a-test"
    s3.create_bucket(Bucket=bucket)
    queue = sqs.create_queue(QueueName="email-of-a-test")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    s3.put_bucket_notification_configuration(
        Bucket=bucket,
        NotificationConfiguration={"QueueConfigurations": [{"QueueArn": arn, "Events": ["s3:ObjectCreated:*"]}]},
    )
    ses.create_receipt_rule_set(RuleSetName="inbound-of-a-test")
    for name, enabled, recipients, prefix in (
        ("switched-off", False, ["mail.example.com"], "never/"),
        ("store", True, ["mail.example.com"], "mail/"),
    ):
        rule = {
            "Name": name,
            "Enabled": enabled,
            "Recipients": recipients,
            "Actions": [{"S3Action": {"BucketName": bucket, "ObjectKeyPrefix": prefix}}],
        }
        ses.create_receipt_rule(RuleSetName="inbound-of-a-test", Rule=rule)
    ses.set_active_receipt_rule_set(RuleSetName="inbound-of-a-test")
    yield {"bucket": bucket, "queue": queue}
    ses.set_active_receipt_rule_set()


@pytest.fixture
def inbound(emulated: EmulatedAws, raw_mail: dict[str, str]) -> Inbound:
    return Inbound(emulated)


@pytest.fixture
def smtp(inbound: Inbound) -> Iterator[tuple[int, list[StoredMail]]]:
    listener = listen(0, "The mail server", "PORT")
    stored: list[StoredMail] = []
    server = MailServer(listener, inbound, stored.append, largest_mail=100_000)
    server.start()
    yield listener.getsockname()[1], stored
    server.stop()


def test_smtp_mail_is_stored_under_its_id(emulated: EmulatedAws, smtp: tuple[int, list[StoredMail]]) -> None:
    port, stored = smtp
    send(compose("ada@example.com", EDIT, "Hours", "Please change them."), port)

    found = emulated.client("s3").get_object(Bucket=stored[0].bucket, Key=f"mail/{stored[0].mail_id}")
    assert message_from_bytes(found["Body"].read())["Subject"] == "Hours"


def test_stored_mail_triggers_a_queue_message(
    emulated: EmulatedAws, inbound: Inbound, raw_mail: dict[str, str]
) -> None:
    sqs: Any = emulated.client("sqs")

    stored = inbound.receive(b"From: ada@example.com\r\n\r\nhello", SmtpEnvelope("ada@example.com", (EDIT,)))

    announced: list[str] = []
    while stored.mail_id not in "".join(announced):  # other tests store mails too
        messages = sqs.receive_message(QueueUrl=raw_mail["queue"], WaitTimeSeconds=5, MaxNumberOfMessages=10)
        assert "Messages" in messages, "the queue got no message about the mail"
        announced += [message["Body"] for message in messages["Messages"]]
    assert json.loads(announced[-1])["Records"][0]["s3"]["object"]["key"].endswith(stored.mail_id)


def test_recipient_without_a_rule_is_rejected_with_550(smtp: tuple[int, list[StoredMail]]) -> None:
    port, _ = smtp
    with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
        send(compose("ada@example.com", "nobody@elsewhere.example.net", "x", "y"), port)

    assert refused.value.recipients["nobody@elsewhere.example.net"][0] == 550


def test_oversize_mail_is_rejected(smtp: tuple[int, list[StoredMail]]) -> None:
    port, stored = smtp
    with pytest.raises(smtplib.SMTPException):
        send(compose("ada@example.com", EDIT, "x", "y" * 200_000), port)

    assert stored == []


def test_explicit_verdicts_replace_the_computed_ones(inbound: Inbound) -> None:
    envelope = SmtpEnvelope("ada@example.com", (EDIT,))

    stored = inbound.receive(b"From: ada@example.com\r\n\r\n", envelope, Verdicts(dmarc="fail", virus="FAIL"))

    assert message_from_bytes(stored.raw)["X-SES-Virus-Verdict"] == "FAIL"


@pytest.mark.parametrize(
    ("recipient", "accepted"),
    [
        ("edit+t-abc@mail.example.com", True),
        ("EDIT@MAIL.EXAMPLE.COM", True),
        ("edit@example.com", False),
        ("edit@sub.mail.example.com", False),
    ],
)
def test_domain_rule_matches_exactly_that_domain(inbound: Inbound, recipient: str, accepted: bool) -> None:
    assert inbound.accepts(recipient) is accepted


def test_receive_without_a_matching_rule_raises(inbound: Inbound) -> None:
    with pytest.raises(NoRuleError):
        inbound.receive(b"\r\n", SmtpEnvelope("ada@example.com", ("x@example.net",)))


def test_listen_on_a_port_in_use_names_the_remedy() -> None:
    with listen(0, "The mail server", "") as taken, pytest.raises(PortInUseError, match=r"or choose another one\.$"):
        listen(taken.getsockname()[1], "The mail server", "choose another one")


def test_mail_without_an_emulator_is_refused_for_now() -> None:
    stopped = Inbound(EmulatedAws("http://127.0.0.1:1"))
    listener = listen(0, "The mail server", "PORT")
    server = MailServer(listener, stopped, lambda _stored: None, 1000)
    server.start()
    try:
        with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
            send(compose("ada@example.com", EDIT, "Hours", "Hello"), listener.getsockname()[1])
    finally:
        server.stop()

    assert refused.value.recipients[EDIT][0] == 451
    assert b"The AWS emulator does not answer" in refused.value.recipients[EDIT][1]
