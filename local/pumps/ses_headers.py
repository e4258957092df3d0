"""The header block that SES puts before a mail when it stores it, and the verdicts in it.

No DNS query is made and no signature is verified. A mail passes if the domain of its envelope sender equals the domain
in From, and fails otherwise. Tests can pass other verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from email.parser import BytesHeaderParser
from email.policy import compat32
from email.utils import format_datetime, parseaddr


@dataclass(frozen=True)
class Verdicts:
    spf: str = "pass"
    dkim: str = "pass"
    dmarc: str = "pass"
    spam: str = "PASS"
    virus: str = "PASS"


HONEST = Verdicts()
FORGED = Verdicts(spf="fail", dkim="none", dmarc="fail")


@dataclass(frozen=True)
class SmtpEnvelope:
    """The SMTP envelope of a mail and the client that delivered it."""

    sender: str
    recipients: tuple[str, ...]
    client_address: str = "127.0.0.1"
    client_name: str = "localhost"


def verdicts_for(raw: bytes, envelope: SmtpEnvelope) -> Verdicts:
    return HONEST if domain_of(envelope.sender) == from_domain(raw) != "" else FORGED


def from_domain(raw: bytes) -> str:
    headers = BytesHeaderParser(policy=compat32).parsebytes(raw)
    return domain_of(parseaddr(str(headers.get("From", "")))[1])


def domain_of(address: str) -> str:
    return address.rpartition("@")[2].lower() if "@" in address else ""


def trusted_block(
    raw: bytes, envelope: SmtpEnvelope, verdicts: Verdicts, mail_id: str, region: str, now: datetime
) -> bytes:
    """The headers that SES adds. A reader may trust those down to X-SES-RECEIPT; the rest came with the mail."""
    sender_domain = domain_of(envelope.sender)
    spf_comment = f"(spfCheck: domain of {_clean(sender_domain)} {_spf_phrase(verdicts.spf)} {envelope.client_address})"
    spf_details = (
        f"client-ip={envelope.client_address}; envelope-from={_clean(envelope.sender)}; "
        f"helo={_clean(envelope.client_name)};"
    )
    lines = [
        f"Return-Path: <{_clean(envelope.sender)}>",
        f"Received: from {_clean(envelope.client_name)} ({_clean(envelope.client_name)} [{envelope.client_address}])",
        f" by inbound-smtp.{region}.amazonaws.com with SMTP id {mail_id}",
        f" for {_clean(envelope.recipients[0])};",
        f" {format_datetime(now)}",
        f"X-SES-Spam-Verdict: {verdicts.spam}",
        f"X-SES-Virus-Verdict: {verdicts.virus}",
        f"Received-SPF: {verdicts.spf} {spf_comment} {spf_details}",
        "Authentication-Results: amazonses.com;",
        f" spf={verdicts.spf} {spf_comment} {spf_details}",
        f" dkim={verdicts.dkim} header.i=@{_clean(from_domain(raw))};",
        f" dmarc={verdicts.dmarc} header.from={_clean(from_domain(raw))};",
        "X-SES-RECEIPT: c3RhbmQtaW4gZm9yIHRoZSByZWNlaXB0IG9mIFNFUw==",
        "X-SES-DKIM-SIGNATURE: a=rsa-sha256; q=dns/txt; b=c3RhbmQtaW4=; c=relaxed/simple; s=local; d=amazonses.com;",
        f" t={int(now.timestamp())}; v=1; bh=c3RhbmQtaW4=; h=From:To:Cc:Bcc:Subject:Date:Message-ID;",
    ]
    return "".join(f"{line}\r\n" for line in lines).encode()


def _spf_phrase(verdict: str) -> str:
    return "designates" if verdict == "pass" else "does not designate"


def _clean(text: str) -> str:
    """Removes line breaks and comments: the sender controls envelope and From, and must not forge trusted headers."""
    return "".join(character for character in text if character.isprintable() and character not in '()<>;\\" ')
