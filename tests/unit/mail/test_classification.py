"""Mail that no person wrote is recognised, and mail that a person wrote is not taken for it."""

from __future__ import annotations

import pytest

from tests.unit.mail.mails import ORDINARY, mail, receipt
from webordinary.mail import classify


@pytest.mark.parametrize("raw", ORDINARY.values(), ids=ORDINARY.keys())
def test_what_a_person_wrote_is_normal(raw: bytes) -> None:
    assert classify(raw) == "normal"


@pytest.mark.parametrize(
    "header",
    [
        "Auto-Submitted: auto-replied",
        "Auto-Submitted: auto-generated",
        "Precedence: bulk",
        "X-Autoreply: yes",
        "X-Autorespond: 1",
        "List-Id: <bakers.lists.example.org>",
        "List-Unsubscribe: <mailto:leave@lists.example.org>",
        "X-Webordinary-Thread: t-abc",
        'Content-Type: multipart/report; report-type=disposition-notification; boundary="x"',
    ],
)
def test_a_header_gives_automatic_mail_away(header: str) -> None:
    assert classify(mail(headers=header + "\r\n")) == "auto_reply"


@pytest.mark.parametrize("header", ["Auto-Submitted: no", "X-Auto-Response-Suppress: All", "Precedence: first-class"])
def test_a_header_that_says_nothing_about_the_mail_itself_does_not_count(header: str) -> None:
    assert classify(mail(headers=header + "\r\n")) == "normal"


@pytest.mark.parametrize(
    "subject",
    [
        "Out of office",
        "Automatic reply: Opening hours",
        "Abwesenheitsnotiz: Brot",
        "=?utf-8?q?R=C3=A9ponse_automatique_:?= Pain",
    ],
)
def test_a_subject_gives_automatic_mail_away(subject: str) -> None:
    assert classify(mail(subject=subject)) == "auto_reply"


@pytest.mark.parametrize(
    "subject", ["Out of office note for the contact page", "Re: Out of office", "Auto: neue Seite"]
)
def test_a_subject_about_such_things_is_a_persons(subject: str) -> None:
    assert classify(mail(subject=subject)) == "normal"


@pytest.mark.parametrize("sender", ["noreply@example.com", "Do Not Reply <do-not-reply@example.com>"])
def test_senders_that_take_no_answer_get_none(sender: str) -> None:
    assert classify(mail(sender=sender)) == "auto_reply"


def test_an_empty_return_path_asks_for_no_answer() -> None:
    assert classify(mail(above=receipt(sender=""))) == "auto_reply"


@pytest.mark.parametrize(
    "raw",
    [
        mail(headers='Content-Type: multipart/report; report-type="delivery-status"; boundary="x"\r\n'),
        mail(sender="Mail Delivery System <MAILER-DAEMON@example.com>"),
        mail(headers="X-Failed-Recipients: gone@example.net\r\n"),
        mail(subject="Undelivered Mail Returned to Sender", above=receipt(sender="")),
    ],
    ids=["report", "daemon", "failed recipients", "subject"],
)
def test_a_bounce_is_a_bounce(raw: bytes) -> None:
    assert classify(raw) == "bounce"


def test_an_abuse_report_is_feedback() -> None:
    assert (
        classify(mail(headers="Content-Type: multipart/report; report-type=feedback-report; boundary=x\r\n"))
        == "feedback"
    )
