# ruff: noqa: RUF001 - letters of many languages are meant to look the way they do
"""Whether a mail starts a thread, replies or forwards."""

from __future__ import annotations

import pytest

from tests.unit.mail.mails import mail
from webordinary.mail import parse
from webordinary.mail.mime.subjects import Prefix, prefix_of


@pytest.mark.parametrize("subject", ["Opening hours", "Contact page: new number", "Regarding the menu", ""])
def test_mail_with_a_new_subject_is_fresh(subject: str) -> None:
    assert parse(mail(subject=subject)).turn == "fresh"


@pytest.mark.parametrize("header", ["In-Reply-To: <a@example.org>", "References: <a@example.org> <b@example.org>"])
def test_reply_headers_make_an_answer(header: str) -> None:
    assert parse(mail(headers=header + "\r\n")).turn == "answer"


@pytest.mark.parametrize(
    "subject", ["Re: Hours", "AW: Zeiten", "SV: Tider", "Odp: Godziny", "回复：时间", "رد: الساعات"]
)
def test_reply_prefix_is_recognised(subject: str) -> None:
    assert prefix_of(subject) is Prefix.REPLY


@pytest.mark.parametrize("subject", ["Fwd: Fair", "FW: Re: Fair", "WG: Fest", "TR: Fête", "转发：集市"])
def test_forward_prefix_is_recognised(subject: str) -> None:
    assert prefix_of(subject) is Prefix.FORWARD


@pytest.mark.parametrize(
    "body",
    [
        "Blue.\n\n> Conversation: t-abcdefgh",
        "Blue.\n\nOn 3/3/25 9:12, Bakery <bakery@example.org> wrote:\n> Which colour?",
        "Blue.\n\nFrom: Bakery <bakery+t-abcd@example.org>\nSent: Monday\n\nWhich colour?",
    ],
    ids=["footer", "introduction", "header block"],
)
def test_our_mail_quoted_in_the_text_makes_an_answer(body: str) -> None:
    parsed = parse(mail(body, subject="Colour"))
    assert (parsed.turn, parsed.text) == ("answer", "Blue.")


def test_our_address_in_a_request_keeps_the_mail_fresh() -> None:
    assert parse(mail("Write bakery@example.org on the contact page.")).turn == "fresh"


def test_address_outside_our_mail_domain_is_not_ours() -> None:
    raw = mail(
        "Please add what Carl says.\n\nOn 3/3/25 9:12, Carl <carl@example.net> wrote:\n> The fair is on 5 July.",
        headers="Cc: Carl <carl@example.net>\r\n",
    )
    assert parse(raw, mail_domain="example.org").turn == "fresh"
    assert "The fair is on 5 July." in parse(raw, mail_domain="example.org").text


def test_mail_with_other_recipients_is_parsed() -> None:
    parsed = parse(mail("Please add the soup.", headers="Cc: Carl <carl@example.net>, dora@example.net\r\n"))
    assert parsed.request.instruction == "Please add the soup."
    assert parsed.recipients == ("bakery@example.org", "carl@example.net", "dora@example.net")
