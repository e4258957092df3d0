"""The Message-ID that SES puts on what it sends: answers to it will refer to that one and not to ours."""

from __future__ import annotations

FIRST_REGION = "us-east-1"  # older than the rule that a region is in the name


def sent_message_id(ses_id: str, region: str) -> str:
    """Without angle brackets. `ses_id` is what SES answered to the sending."""
    host = "email" if region == FIRST_REGION else region
    return f"{ses_id}@{host}.amazonses.com"
