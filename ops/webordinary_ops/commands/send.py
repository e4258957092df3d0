"""`webordinary send`: sends a test mail and waits for the reply."""

from __future__ import annotations

import smtplib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
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
from webordinary_ops.job_finder import JobFinder, NoSuchJobError
from webordinary_ops.stored_data import StoredData

POLL_SECONDS = 1.0
NEWEST = 50  # executions among which a sent mail is searched
# States of the state machine, as what a mail waits for.
WAITS_FOR = {
    "ParseEmail": "its sender and request to be read",
    "Control": "the command to be carried out",
    **dict.fromkeys(("Prepare", "Claim", "CheckOwnership", "ContinueToDispatch"), "its attachments and a worker"),
    "Dispatch": "the worker to finish the job",
    "Picture": "the screenshots",
    **dict.fromkeys(("Reply", "ReplyProblem", "ReplyRefusal", "ReplyToCommand"), "the reply to be sent"),
}


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
    operator.output.one(wait_for_reply(operator, SentMail(deployment, message_id), wait))


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


@dataclass
class SentMail:
    """A sent mail on its way through the deployment, found by its Message-ID."""

    deployment: Deployment
    message_id: str
    mail_id: str | None = None
    _others: set[str] = field(default_factory=set)  # executions of other mails

    def waits_for(self) -> str:
        """What the mail waits for now, as far as the deployment tells."""
        if (mail_id := self._find()) is None:
            return "the mail to arrive"
        steps = JobFinder(self.deployment).steps(mail_id)
        if not steps:
            return "its execution"
        if steps[-1].step == "Dispatch" and (project := self._paused_project(mail_id)) is not None:
            return f"the pause of {project} to end"
        return WAITS_FOR.get(steps[-1].step, f"the step {steps[-1].step}")

    def result(self) -> SendResult | None:
        """The result once the reply has been sent, or once the mail has ended without one."""
        if (mail_id := self._find()) is None:
            return None
        answer = self.deployment.answer_to(mail_id)
        if answer is None and not self._has_ended(mail_id):
            return None
        record = self._record(mail_id)
        outcome = record.outcome if record else None
        refused = JobFinder(self.deployment).reason(mail_id) if record is None else None
        result = (outcome.result or outcome.failure or outcome.state) if outcome else refused
        return SendResult(
            message_id=self.message_id,
            job=mail_id,
            state=record.state.value if record else ("answered" if answer else "dropped"),
            result=str(result) if result else None,
            answer=answer,
        )

    def _find(self) -> str | None:
        """The id of the mail. Its execution has this name; the stored mail has the Message-ID."""
        if self.mail_id is None:
            deployment = self.deployment
            machine = deployment.facts.state_machine_arn
            newest = deployment.client("stepfunctions").list_executions(stateMachineArn=machine, maxResults=NEWEST)
            for name in (execution["name"] for execution in newest["executions"]):
                if name not in self._others and StoredData(deployment).message_id_of(name) == self.message_id:
                    self.mail_id = name
                    break
                self._others.add(name)
        return self.mail_id

    def _record(self, mail_id: str) -> JobRecord | None:
        try:
            return JobFinder(self.deployment).find(mail_id)
        except NoSuchJobError:
            return None  # refused, or a command that needs no worker

    def _paused_project(self, mail_id: str) -> str | None:
        record = self._record(mail_id)
        project = record.job.pair.project if record else None
        return project if project is not None and self.deployment.pauses.is_paused(project) else None

    def _has_ended(self, mail_id: str) -> bool:
        """The execution ends after the reply, so an ended one without a reply has none."""
        arn = JobFinder(self.deployment).execution_arn(mail_id)
        ended = self.deployment.client("stepfunctions").describe_execution(executionArn=arn)["status"] != "RUNNING"
        return ended and self.deployment.answer_to(mail_id) is None


def wait_for_reply(
    operator: Operator,
    mail: SentMail,
    seconds: int,
    *,
    clock: Callable[[], float] = time.monotonic,
    wait: Callable[[float], None] = time.sleep,
) -> SendResult:
    """Waits for the reply, and notes what the mail waits for whenever that changes."""
    began, shown = clock(), ""
    while True:
        if result := mail.result():
            return result.model_copy(update={"seconds": round(clock() - began, 1)})
        if (waits_for := mail.waits_for()) != shown:
            shown = waits_for
            operator.output.note(f"{clock() - began:5.1f} s  waiting for {shown}")
        if clock() >= began + seconds:
            break
        wait(POLL_SECONDS)
    command = operator.deployment.connection.command
    look = command(f"show {mail.mail_id}") if mail.mail_id else command("jobs --all --since 10")
    raise OperatorError(f"No reply to {mail.message_id} within {seconds} s; it waits for {shown}. To see more: {look}")
