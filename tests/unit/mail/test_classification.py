"""Classification of mail: from people, automatic, bounces, abuse reports."""

from __future__ import annotations

import pytest

from tests.unit.mail.mails import ORDINARY, mail, multipart, part, receipt, with_body
from webordinary.mail import classify, parse


@pytest.mark.parametrize("raw", ORDINARY.values(), ids=ORDINARY.keys())
def test_mail_from_a_person_is_normal(raw: bytes) -> None:
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
def test_automatic_mail_is_recognised_by_header(header: str) -> None:
    assert classify(mail(headers=header + "\r\n")) == "auto_reply"


@pytest.mark.parametrize("header", ["Auto-Submitted: no", "X-Auto-Response-Suppress: All", "Precedence: first-class"])
def test_unrelated_header_keeps_mail_normal(header: str) -> None:
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
def test_automatic_mail_is_recognised_by_subject(subject: str) -> None:
    assert classify(mail(subject=subject)) == "auto_reply"


@pytest.mark.parametrize(
    "subject", ["Out of office note for the contact page", "Re: Out of office", "Auto: neue Seite"]
)
def test_subject_that_mentions_an_absence_is_normal(subject: str) -> None:
    assert classify(mail(subject=subject)) == "normal"


@pytest.mark.parametrize("sender", ["noreply@example.com", "Do Not Reply <do-not-reply@example.com>"])
def test_no_reply_sender_is_automatic(sender: str) -> None:
    assert classify(mail(sender=sender)) == "auto_reply"


def test_empty_return_path_is_automatic() -> None:
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
def test_bounce_is_recognised(raw: bytes) -> None:
    assert classify(raw) == "bounce"


def test_an_abuse_report_is_feedback() -> None:
    assert (
        classify(mail(headers="Content-Type: multipart/report; report-type=feedback-report; boundary=x\r\n"))
        == "feedback"
    )


def test_feedback_id_header_keeps_mail_normal() -> None:
    assert classify(mail(headers="Feedback-ID: 1234:user:provider\r\n")) == "normal"


def test_newsletter_is_recognised_by_its_list_header() -> None:
    headers = "Feedback-ID: 1:2:3\r\nList-Unsubscribe: <mailto:leave@example.com>\r\n"
    assert classify(mail(headers=headers)) == "auto_reply"


@pytest.mark.parametrize(
    "sender",
    [
        "Mailer-Daemon <>",
        "Postmaster <postmaster>",
        "MAILER-DAEMON (Mail Delivery System)",
        "mailer_daemon@example.com",
        "mail.daemon@example.com",
        "Mail Delivery Subsystem <mailer-daemon@example.com>",
    ],
)
def test_mail_server_sender_is_a_bounce_in_every_spelling(sender: str) -> None:
    assert classify(mail(sender=sender)) == "bounce"


@pytest.mark.parametrize("sender", ["", "Anna Berg", "undisclosed"])
def test_mail_without_a_valid_sender_is_automatic(sender: str) -> None:
    assert classify(mail(sender=sender)) == "auto_reply"


STATUS = part("message/delivery-status", "Final-Recipient: rfc822; gone@example.net\n")
NOTE = part("text/plain", "We could not deliver your mail.")


@pytest.mark.parametrize("kind", ["mixed", "report"])
def test_delivery_status_part_makes_a_bounce(kind: str) -> None:
    assert classify(with_body(multipart(kind, NOTE, STATUS), subject="Your mail")) == "bounce"


def test_forwarded_bounce_is_normal() -> None:
    assert classify(with_body(multipart("mixed", NOTE, STATUS), subject="Fwd: Your mail")) == "normal"


OUR_MAIL = part("message/rfc822", "From: bakery@example.org\nSubject: Done\nX-Webordinary-Thread: t-abc\n\nDone.\n")


@pytest.mark.parametrize(
    ("sender", "subject"), [("abuse@example.net", "Report"), ("help@example.net", "A user marked this as spam")]
)
def test_a_complaint_about_our_mail_is_feedback(sender: str, subject: str) -> None:
    assert classify(with_body(multipart("mixed", OUR_MAIL), sender=sender, subject=subject)) == "feedback"


def test_question_with_our_mail_enclosed_is_normal() -> None:
    raw = with_body(multipart("mixed", part("text/plain", "What does this mean?"), OUR_MAIL), subject="Question")
    parsed = parse(raw)
    assert (classify(raw), parsed.text, parsed.forwarded_text) == ("normal", "What does this mean?", "")
