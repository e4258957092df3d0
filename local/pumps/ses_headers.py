"""The header block that SES writes above a mail before it stores it, and the verdicts in it.

Nothing is really checked here: no DNS is asked and no signature is verified. The verdicts are those that SES would
reach for an honest mail (the envelope comes from the domain in From) and for a plain forgery (it does not); a test may
pass verdicts of its own.
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
    """How a mail came in: the SMTP envelope and the machine that brought it."""

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
    """The lines that SES puts first. X-SES-RECEIPT ends what a reader may trust; what follows came with the mail."""
    sender_domain = domain_of(envelope.sender)
    spf_comment = f"(spfCheck: domain of {_plain(sender_domain)} {_spf_words(verdicts.spf)} {envelope.client_address})"
    spf_details = (
        f"client-ip={envelope.client_address}; envelope-from={_plain(envelope.sender)}; "
        f"helo={_plain(envelope.client_name)};"
    )
    lines = [
        f"Return-Path: <{_plain(envelope.sender)}>",
        f"Received: from {_plain(envelope.client_name)} ({_plain(envelope.client_name)} [{envelope.client_address}])",
        f" by inbound-smtp.{region}.amazonaws.com with SMTP id {mail_id}",
        f" for {_plain(envelope.recipients[0])};",
        f" {format_datetime(now)}",
        f"X-SES-Spam-Verdict: {verdicts.spam}",
        f"X-SES-Virus-Verdict: {verdicts.virus}",
        f"Received-SPF: {verdicts.spf} {spf_comment} {spf_details}",
        "Authentication-Results: amazonses.com;",
        f" spf={verdicts.spf} {spf_comment} {spf_details}",
        f" dkim={verdicts.dkim} header.i=@{_plain(from_domain(raw))};",
        f" dmarc={verdicts.dmarc} header.from={_plain(from_domain(raw))};",
        "X-SES-RECEIPT: c3RhbmQtaW4gZm9yIHRoZSByZWNlaXB0IG9mIFNFUw==",
        "X-SES-DKIM-SIGNATURE: a=rsa-sha256; q=dns/txt; b=c3RhbmQtaW4=; c=relaxed/simple; s=local; d=amazonses.com;",
        f" t={int(now.timestamp())}; v=1; bh=c3RhbmQtaW4=; h=From:To:Cc:Bcc:Subject:Date:Message-ID;",
    ]
    return "".join(f"{line}\r\n" for line in lines).encode()


def _spf_words(verdict: str) -> str:
    return "designates" if verdict == "pass" else "does not designate"


def _plain(text: str) -> str:
    """Envelope and From are the sender's words: no line break or comment of theirs may end up in the trusted block."""
    return "".join(character for character in text if character.isprintable() and character not in '()<>;\\" ')
