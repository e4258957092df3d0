"""`webordinary send`: sends a test mail and waits for the reply."""

from __future__ import annotations

import smtplib
import time
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid

import click

from webordinary.aws.ses import sent_message_id
from webordinary.contract.messages.base import Message
from webordinary.tables.jobs import JobRecord
from webordinary_ops.cli import Operator
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError

POLL_SECONDS = 1.0


class SendResult(Message):
    message_id: str
    job: str | None = None
    state: str | None = None
    result: str | None = None
    answer: str | None = None
    seconds: float | None = None


@click.command(short_help="Send a test mail and wait for the reply.")
@click.argument("text")
@click.option(
    "--from", "sender", required=True, help="Address of a registered user. On AWS it must be verified in SES."
)
@click.option("--to", "recipient", help="Address of the mail domain; default: the address that replies come from.")
@click.option("--subject", default="A change for the website", show_default=True)
@click.option(
    "--wait",
    type=click.IntRange(min=0),
    default=300,
    show_default=True,
    help="Seconds to wait for the reply; 0 does not wait.",
)
@click.pass_obj
def send(operator: Operator, text: str, sender: str, recipient: str | None, subject: str, wait: int) -> None:
    """Sends TEXT as a mail (by SMTP to a local stack, through SES on AWS) and waits for the reply."""
    deployment = operator.deployment
    mail = EmailMessage(SMTP.clone(max_line_length=998))
    mail["From"], mail["To"], mail["Subject"] = sender, recipient or deployment.facts.reply_from, subject
    mail["Date"], mail["Message-ID"] = formatdate(), make_msgid(domain=sender.rpartition("@")[2] or "example.com")
    mail.set_content(text)
    message_id = _send(deployment, mail)
    if wait == 0:
        operator.output.one(SendResult(message_id=message_id))
        return
    operator.output.one(_wait(deployment, sender, message_id, wait))


def _send(deployment: Deployment, mail: EmailMessage) -> str:
    connection = deployment.connection
    if connection.smtp_port is not None:
        try:
            with smtplib.SMTP("127.0.0.1", connection.smtp_port, timeout=30) as server:
                server.send_message(mail)
        except (OSError, smtplib.SMTPException) as error:
            raise OperatorError(f"The local mail server rejected the mail: {error}") from error
        return str(mail["Message-ID"])
    if connection.is_local:
        raise OperatorError("The running emulator has no mail server. Start the full stack with `make up`.")
    sent = deployment.client("sesv2").send_email(
        FromEmailAddress=mail["From"],
        Destination={"ToAddresses": [mail["To"]]},
        Content={"Raw": {"Data": mail.as_bytes()}},
    )
    return f"<{sent_message_id(sent['MessageId'], connection.region)}>"


def _wait(deployment: Deployment, sender: str, message_id: str, seconds: int) -> SendResult:
    began = time.monotonic()
    while time.monotonic() < began + seconds:
        record = _job_of(deployment, sender, message_id)
        answer = deployment.answer_to(record.job_id) if record else None
        if record and answer:
            outcome = record.outcome
            return SendResult(
                message_id=message_id,
                job=record.job_id,
                state=record.state.value,
                result=str((outcome.result or outcome.failure or outcome.state) if outcome else ""),
                answer=answer,
                seconds=round(time.monotonic() - began, 1),
            )
        time.sleep(POLL_SECONDS)
    raise OperatorError(
        f"No reply to {message_id} within {seconds} s. `webordinary jobs --all` shows whether it became a job; "
        "mails from unknown or unauthenticated senders do not."
    )


def _job_of(deployment: Deployment, sender: str, message_id: str) -> JobRecord | None:
    for pair in deployment.projects.pairs_of_sender(sender):
        for record in deployment.jobs.all_jobs_of(pair):
            if isinstance(record, JobRecord) and record.job.envelope.message_id == message_id:
                return record
    return None
