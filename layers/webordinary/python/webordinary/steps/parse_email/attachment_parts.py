"""Attachments become separate objects, so that the mail need not be parsed again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from webordinary.contract.messages.mail import AttachmentPart, AttachmentRefusal
from webordinary.contract.names import attachment_part_key
from webordinary.contract.outcomes import AttachmentProblem
from webordinary.contract.sizes import json_bytes
from webordinary.contract.values import limit

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from webordinary.contract.messages.base import Pair
    from webordinary.contract.messages.mail import RawMail
    from webordinary.mail import AttachmentInfo, OpenedMail, ParsedMail

LONGEST_CONTENT_ID = 200  # bytes


class AttachmentParts(NamedTuple):
    s3: S3Client

    def store(self, mail: RawMail, pair: Pair, opened: OpenedMail, parsed: ParsedMail) -> tuple[AttachmentPart, ...]:
        attachments = [attachment for attachment in parsed.attachments if not attachment.decoration]
        most = limit("attachments_per_mail")
        too_many = AttachmentRefusal(problem=AttachmentProblem.TOO_MANY, limit=most)
        parts = [_part_of(mail, pair, attachment) for attachment in attachments[: 2 * most]]
        for part, attachment in zip(parts[:most], attachments, strict=False):
            self.s3.put_object(Bucket=part.bucket, Key=part.key, Body=opened.content(attachment))
        return (*parts[:most], *(part.model_copy(update={"refused": too_many}) for part in parts[most:]))


def _part_of(mail: RawMail, pair: Pair, attachment: AttachmentInfo) -> AttachmentPart:
    content_id = attachment.content_id or ""
    return AttachmentPart(
        bucket=mail.bucket,
        key=attachment_part_key(mail.mail_id, attachment.index),
        pair=pair,
        name=attachment.safe_name,
        content_type=attachment.content_type,
        content_id=content_id if 0 < json_bytes(content_id) <= LONGEST_CONTENT_ID else None,
        inline=attachment.inline,
        shown_as=attachment.shown_as,
    )
