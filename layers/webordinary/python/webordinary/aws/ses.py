"""What SES requires of sent mail."""

from __future__ import annotations

from email.header import Header
from email.utils import formataddr

FIRST_REGION = "us-east-1"  # its host name does not contain the region
LONGEST_NAME = 80


def sent_message_id(ses_id: str, region: str) -> str:
    """The Message-ID that SES sets, and that replies refer to, without angle brackets. `ses_id` is SES's MessageId."""
    host = "email" if region == FIRST_REGION else region
    return f"{ses_id}@{host}.amazonses.com"


def named_address(name: str, address: str) -> str:
    """An address with a display name, as ASCII on one line: SES takes encoded words of at most 75 characters."""
    printable = "".join(char if char.isprintable() else " " for char in name)
    name = " ".join(printable.split())[:LONGEST_NAME]
    if name.isascii() and "=?" not in name:
        return formataddr((name, address))
    return f"{Header(name, 'utf-8', maxlinelen=75).encode(linesep='')} <{address}>"
