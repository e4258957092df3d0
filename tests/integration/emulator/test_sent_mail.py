"""SES in the emulator: sent mails in the mailbox folder."""

import email
from email.message import EmailMessage, Message
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from local.emulator.process import EmulatorProcess

SENDER = "editor@example.com"


def reply() -> bytes:
    mail = EmailMessage()
    mail["From"] = f"Editor <{SENDER}>"
    mail["To"] = "ada@example.org"
    mail["Subject"] = "Re: opening hours"
    mail["Message-ID"] = "<mine@example.com>"
    mail["In-Reply-To"] = "<question@example.org>"
    mail.set_content("Done. Grüße")
    return mail.as_bytes()


@pytest.fixture
def sender(emulator: EmulatorProcess) -> str:
    emulator.client("ses").verify_domain_identity(Domain="example.com")
    return SENDER


def send(emulator: EmulatorProcess, raw: bytes, sender: str = SENDER) -> str:
    answer = emulator.client("sesv2").send_email(
        FromEmailAddress=sender, Destination={"ToAddresses": ["ada@example.org"]}, Content={"Raw": {"Data": raw}}
    )
    return str(answer["MessageId"])


def file_of(emulator: EmulatorProcess, message_id: str) -> Path:
    [file] = (emulator.state / "mailbox").glob(f"*-{message_id}.eml")
    return file


def mail_in(file: Path) -> Message:
    return email.message_from_bytes(file.read_bytes())


def test_sent_mail_is_in_the_mailbox(emulator: EmulatorProcess, sender: str) -> None:
    mail = mail_in(file_of(emulator, send(emulator, reply())))

    assert (mail["To"], mail["In-Reply-To"], mail.get_payload(decode=True)) == (
        "ada@example.org",
        "<question@example.org>",
        "Done. Grüße\n".encode(),
    )


def test_message_id_is_the_one_from_ses(emulator: EmulatorProcess, sender: str) -> None:
    message_id = send(emulator, reply())

    mail = mail_in(file_of(emulator, message_id))

    assert mail.get_all("Message-ID") == [f"<{message_id}@email.amazonses.com>"]


def test_mail_that_is_not_utf8_is_stored_unchanged(emulator: EmulatorProcess, sender: str) -> None:
    raw = b"From: editor@example.com\r\nTo: ada@example.org\r\nSubject: bytes\r\n\r\nna\xefve\r\n"

    file = file_of(emulator, send(emulator, raw))

    assert file.read_bytes().endswith(b"\r\n\r\nna\xefve\r\n")


def test_files_are_numbered_in_sending_order(emulator: EmulatorProcess, sender: str) -> None:
    files = [file_of(emulator, send(emulator, reply())) for _ in range(3)]

    assert files == sorted(files)


def test_unverified_sender_is_rejected(emulator: EmulatorProcess) -> None:
    with pytest.raises(ClientError, match="authority"):
        send(emulator, reply(), sender="stranger@example.net")
