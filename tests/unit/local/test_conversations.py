"""The local mailbox: conversations, waiting for replies, and malformed mails."""

from pathlib import Path

import pytest

from local.errors import LocalError, TimedOutError
from local.page.conversations import LocalMailbox
from tests.support.sleeping import sleeping_thread

REQUEST = b"From: ada@example.com\r\nSubject: hours\r\nMessage-ID: <q@example.com>\r\n\r\nPlease change them.\r\n"
REPLY = (
    b"From: edit@mail.example.com\r\nSubject: Re: hours\r\nMessage-ID: <a@example.com>\r\n"
    b"In-Reply-To: <q@example.com>\r\nReferences: <q@example.com>\r\n\r\nDone.\r\n"
)
FOLLOW_UP = b"Message-ID: <q2@example.com>\r\nIn-Reply-To: <a@example.com>\r\n\r\nAnd on Monday?\r\n"


@pytest.fixture
def reply_file(tmp_path: Path) -> Path:
    file = tmp_path / "0001.eml"
    file.write_bytes(REPLY)
    return file


def test_mail_reply_and_follow_up_form_one_conversation(reply_file: Path) -> None:
    mailbox = LocalMailbox()
    mailbox.add_incoming(REQUEST, "job-1")
    mailbox.add_outgoing(reply_file)
    mailbox.add_incoming(FOLLOW_UP, "job-2")

    assert [[mail.message_id for mail in found.mails] for found in mailbox.conversations()] == [
        ["<q@example.com>", "<a@example.com>", "<q2@example.com>"]
    ]


def test_unrelated_mails_form_two_conversations() -> None:
    mailbox = LocalMailbox()
    mailbox.add_incoming(REQUEST, "job-1")
    mailbox.add_incoming(b"Message-ID: <other@example.com>\r\n\r\nHello\r\n", "job-2")

    assert len(mailbox.conversations()) == 2


def test_wait_for_reply_returns_when_the_reply_arrives(reply_file: Path) -> None:
    mailbox = LocalMailbox()
    mailbox.add_incoming(REQUEST, "job-1")

    def wait() -> None:
        mailbox.wait_for_reply("<q@example.com>", timeout=3600)

    with sleeping_thread(mailbox, wait):
        mailbox.add_outgoing(reply_file)


def test_wait_for_reply_ignores_replies_to_other_mails(reply_file: Path) -> None:
    mailbox = LocalMailbox()
    mailbox.add_outgoing(reply_file)

    with pytest.raises(TimedOutError):
        mailbox.wait_for_reply("<other@example.com>", timeout=0.05)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xff\xfe\x00",
        b"Subject: =?no-such-charset?B?////?=\r\n\r\n",
        b"Content-Type: text/plain; charset=no-such-charset\r\n\r\nHello",
        b"Content-Type: multipart/mixed\r\n\r\nno parts",
        b"Content-Transfer-Encoding: base64\r\n\r\n!!!",
    ],
)
def test_malformed_mail_is_kept(raw: bytes) -> None:
    mailbox = LocalMailbox()

    mailbox.add_incoming(raw, "job-1")

    assert len(mailbox.mails("in")) == 1


def test_failure_ends_the_wait_for_a_reply() -> None:
    mailbox = LocalMailbox()
    mailbox.fail("The emulator has stopped.")

    with pytest.raises(LocalError, match="The emulator has stopped"):
        mailbox.wait_for_reply("<mail-1@example.com>", 600)
