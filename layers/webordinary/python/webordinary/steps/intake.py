"""From a stored mail to its execution: one each, named after the mail, so a second delivery starts nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self
from urllib.parse import unquote_plus

from webordinary.platform import clients
from webordinary.platform.errors import InvalidMessageError
from webordinary.platform.messages import RawMail
from webordinary.platform.names import Names
from webordinary.platform.observability import count, logger, milestone
from webordinary.platform.settings import IntakeSettings

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

# SES writes this object once when a receipt rule is made. It is no mail.
SETUP_NOTICE = "AMAZON_SES_SETUP_NOTIFICATION"


@dataclass(frozen=True)
class Intake:
    stepfunctions: SFNClient
    names: Names
    state_machine_arn: str

    @classmethod
    def from_settings(cls, settings: IntakeSettings) -> Self:
        return cls(clients.stepfunctions(), settings.names, settings.state_machine_arn)

    def run(self, notification: str) -> None:
        """Starts an execution for each mail of a notification, unless it was started before."""
        for mail in mails_in(notification, self.names):
            self._start(mail)

    def _start(self, mail: RawMail) -> None:
        client = self.stepfunctions
        try:
            client.start_execution(stateMachineArn=self.state_machine_arn, name=mail.mail_id, input=mail.wire_text())
        except client.exceptions.ExecutionAlreadyExists:
            count("DuplicateDeliveries")
            return
        milestone("execution_started", job_id=mail.mail_id)


def mails_in(notification: str, names: Names) -> Iterator[RawMail]:
    """The mails that an S3 event notification tells of. What is no mail is left out and logged."""
    try:
        records = json.loads(notification).get("Records", [])  # s3:TestEvent has none
    except (ValueError, AttributeError):
        logger().error("a message on the email queue is no S3 notification; it was dropped")
        count("PoisonMessages")
        return
    for record in records:
        try:
            bucket, key = record["s3"]["bucket"]["name"], unquote_plus(record["s3"]["object"]["key"])
            mail_id = key.removeprefix(names.object_prefix("raw_mail"))
            if mail_id != SETUP_NOTICE:
                yield RawMail.read({"mailId": mail_id, "bucket": bucket, "key": key})
        except (KeyError, TypeError, InvalidMessageError):
            logger().error("an S3 record names no mail; it was dropped")
            count("PoisonMessages")
