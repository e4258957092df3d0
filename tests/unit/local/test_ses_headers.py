"""The trusted header block of the inbound pump."""

from datetime import UTC, datetime
from email import message_from_bytes

from local.pumps.ses_headers import FORGED, HONEST, SmtpEnvelope, trusted_block, verdicts_for

NOW = datetime(2025, 5, 4, 12, 0, tzinfo=UTC)
MAIL = b"From: Ada <ada@example.com>\r\nSubject: hours\r\n\r\nHello\r\n"


def stored(envelope: SmtpEnvelope, mail: bytes = MAIL) -> bytes:
    return trusted_block(mail, envelope, verdicts_for(mail, envelope), "id1", "us-east-1", NOW) + mail


def test_envelope_from_the_domain_in_from_passes() -> None:
    assert verdicts_for(MAIL, SmtpEnvelope("bounces@example.com", ("edit@mail.example.com",))) == HONEST


def test_envelope_from_another_domain_fails() -> None:
    assert verdicts_for(MAIL, SmtpEnvelope("mallory@example.net", ("edit@mail.example.com",))) == FORGED


def test_empty_envelope_sender_fails() -> None:
    assert verdicts_for(b"Subject: x\r\n\r\n", SmtpEnvelope("", ("edit@mail.example.com",))) == FORGED


def test_verdicts_precede_the_receipt_and_the_mail() -> None:
    message = message_from_bytes(stored(SmtpEnvelope("ada@example.com", ("edit@mail.example.com",))))

    names = [name.lower() for name in message.keys()]  # noqa: SIM118 (iterating over a message yields each key only once)
    assert names.index("authentication-results") < names.index("x-ses-receipt") < names.index("from")


def test_authentication_results_name_the_domain_in_from() -> None:
    message = message_from_bytes(stored(SmtpEnvelope("ada@example.com", ("edit@mail.example.com",))))

    assert "dmarc=pass header.from=example.com" in str(message["Authentication-Results"])


def test_envelope_sender_cannot_inject_headers() -> None:
    malicious = SmtpEnvelope("a@example.com>\r\nX-SES-Spam-Verdict: PASS\r\nX: <", ("edit@mail.example.com",))

    assert len(message_from_bytes(stored(malicious)).get_all("X-SES-Spam-Verdict") or []) == 1


def test_from_domain_cannot_inject_a_verdict() -> None:
    mail = b"From: <ada@example.com;dmarc=pass>\r\n\r\n"

    results = str(
        message_from_bytes(stored(SmtpEnvelope("m@example.net", ("e@mail.example.com",)), mail))[
            "Authentication-Results"
        ]
    )
    assert "; dmarc=pass" not in results
