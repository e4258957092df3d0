"""SES inbound: applies the active receipt rule set to a mail from SMTP."""

from __future__ import annotations

import secrets
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from local.aws import EmulatedAws
from local.errors import LocalError
from local.pumps.ses_headers import SmtpEnvelope, Verdicts, domain_of, trusted_block, verdicts_for

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_ses import SESClient

_ID_CHARACTERS = string.ascii_lowercase + string.digits


class NoRuleError(LocalError):
    """No enabled rule of the active rule set matches a recipient; SES answers 550."""

    def __init__(self, recipients: tuple[str, ...]) -> None:
        super().__init__(f"Mail for {', '.join(recipients)} is not accepted: no receipt rule matches.")


@dataclass(frozen=True)
class StoredMail:
    """A mail in the raw-mail bucket."""

    mail_id: str
    bucket: str
    key: str
    raw: bytes
    envelope: SmtpEnvelope


def new_mail_id() -> str:
    """An id in the format of SES: forty lower-case letters and digits."""
    return "".join(secrets.choice(_ID_CHARACTERS) for _ in range(40))


class Inbound:
    def __init__(
        self,
        emulated: EmulatedAws,
        *,
        new_id: Callable[[], str] = new_mail_id,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._region = emulated.region
        self._ses: SESClient = emulated.client("ses")
        self._s3: S3Client = emulated.client("s3")
        self._new_id = new_id
        self._clock = clock

    def accepts(self, recipient: str) -> bool:
        return any(True for _ in self._s3_actions((recipient,)))

    def receive(self, raw: bytes, envelope: SmtpEnvelope, verdicts: Verdicts | None = None) -> StoredMail:
        """Stores the mail as the first matching rule says. The bucket then notifies the email queue."""
        action = next(self._s3_actions(envelope.recipients), None)
        if action is None:
            raise NoRuleError(envelope.recipients)
        mail_id = self._new_id()
        verdicts = verdicts or verdicts_for(raw, envelope)
        stored = StoredMail(
            mail_id=mail_id,
            bucket=action["BucketName"],
            key=action.get("ObjectKeyPrefix", "") + mail_id,
            raw=trusted_block(raw, envelope, verdicts, mail_id, self._region, self._clock()) + raw,
            envelope=envelope,
        )
        self._s3.put_object(Bucket=stored.bucket, Key=stored.key, Body=stored.raw)
        return stored

    def _s3_actions(self, recipients: tuple[str, ...]) -> Iterator[Any]:
        for rule in self._ses.describe_active_receipt_rule_set().get("Rules", []):
            if rule.get("Enabled") and _rule_matches(rule.get("Recipients", []), recipients):
                yield from (action["S3Action"] for action in rule.get("Actions", []) if "S3Action" in action)


def _rule_matches(patterns: list[str], recipients: tuple[str, ...]) -> bool:
    return not patterns or any(_matches(pattern.lower(), to.lower()) for pattern in patterns for to in recipients)


def _matches(pattern: str, recipient: str) -> bool:
    """A pattern is an address (which includes its plus tags), a domain, or a dot and a domain for its subdomains."""
    if "@" in pattern:
        local_part, _, domain = recipient.rpartition("@")
        return pattern in (recipient, f"{local_part.partition('+')[0]}@{domain}")
    if pattern.startswith("."):
        return domain_of(recipient).endswith(pattern)
    return domain_of(recipient) == pattern
