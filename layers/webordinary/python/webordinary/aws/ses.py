"""The Message-ID that SES sets on sent mail: replies refer to it, not to one of ours."""

from __future__ import annotations

FIRST_REGION = "us-east-1"  # its host name does not contain the region


def sent_message_id(ses_id: str, region: str) -> str:
    """Without angle brackets. `ses_id` is the MessageId of the SES response."""
    host = "email" if region == FIRST_REGION else region
    return f"{ses_id}@{host}.amazonses.com"
