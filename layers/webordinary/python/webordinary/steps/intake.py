"""Starts one execution per stored mail, named after the mail, so that a second delivery starts nothing.

Each mail is started independently. If some fail, the whole notification fails afterwards: it is delivered again and
finally moves to the dead-letter queue.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import unquote_plus

from webordinary.aws import clients
from webordinary.aws.telemetry import count, logger, milestone, trace_of_this_call
from webordinary.contract.errors import InvalidMessageError, WebordinaryError
from webordinary.contract.messages.mail import RawMail
from webordinary.contract.names import Names
from webordinary.contract.settings import IntakeSettings

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

# SES writes this object when a receipt rule is created. It is not a mail.
SETUP_NOTICE = "AMAZON_SES_SETUP_NOTIFICATION"


class IncompleteIntakeError(WebordinaryError):
    """Some mails of a notification could not be started. The others were."""

    def __init__(self, failed: list[str], unreadable: int) -> None:
        super().__init__(
            f"Could not start {len(failed)} mails of a notification; {unreadable} of its records are invalid. "
            "SQS delivers it again, then moves it to the dead-letter queue."
        )


@dataclass(frozen=True)
class Intake:
    stepfunctions: SFNClient
    names: Names
    state_machine_arn: str

    @classmethod
    def from_settings(cls, settings: IntakeSettings) -> Self:
        return cls(clients.stepfunctions(), settings.names, settings.state_machine_arn)

    def run(self, notification: str) -> None:
        """Starts an execution for each mail of a notification, unless it exists."""
        mails, unreadable = read_notification(notification, self.names)
        failed = [mail.mail_id for mail in mails if not self._try_start(mail)]
        if failed or unreadable:
            raise IncompleteIntakeError(failed, unreadable)

    def _try_start(self, mail: RawMail) -> bool:
        try:
            self._start(mail)
        except Exception as error:
            logger().error(
                "Could not start the execution of a mail; SQS retries.",
                extra={"job_id": mail.mail_id, "cause": repr(error)},
            )
            count("MailsNotStarted")
            return False
        return True

    def _start(self, mail: RawMail) -> None:
        client, trace = self.stepfunctions, trace_of_this_call()
        traced: Any = {"traceHeader": trace} if trace else {}  # one trace from here to the reply
        try:
            client.start_execution(
                stateMachineArn=self.state_machine_arn, name=mail.mail_id, input=mail.wire_text(), **traced
            )
        except client.exceptions.ExecutionAlreadyExists:
            count("DuplicateDeliveries")
            return
        milestone("execution_started", job_id=mail.mail_id)


def read_notification(notification: str, names: Names) -> tuple[list[RawMail], int]:
    """The mails of an S3 event notification, and the number of invalid records."""
    try:
        records = json.loads(notification).get("Records", [])  # s3:TestEvent has none
    except (ValueError, AttributeError):
        records = [None]
    mails, unreadable = [], 0
    for record in records:
        try:
            bucket, key = record["s3"]["bucket"]["name"], unquote_plus(record["s3"]["object"]["key"])
            mail_id = key.removeprefix(names.object_prefix("raw_mail"))
            if mail_id != SETUP_NOTICE:
                mails.append(RawMail.read({"mailId": mail_id, "bucket": bucket, "key": key}))
        except (KeyError, TypeError, InvalidMessageError):
            count("UnreadableMessages")
            unreadable += 1
    return mails, unreadable
