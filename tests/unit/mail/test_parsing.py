"""Whole mails, as SES stores them."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.mail import mails
from webordinary.mail import ParsedMail, parse
from webordinary.mail.__main__ import main


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain", "Please change the opening hours."),
        ("gmail", "Looks great, please also make the headline blue.\n\nAnna"),
        ("outlook", "Bitte die Preise um 10 % erhöhen."),
        ("outlook html only", "Please remove the old menu."),
        ("apple", "Ja, gerne so."),
        ("thunderbird inline", "> Which colour should the headline have?\nBlue, please.\n\n> And the font?\nLeave it."),
        ("japanese", "営業時間を変更してください。"),
        ("russian", "Добавьте, пожалуйста, новое фото."),
        ("with pictures", "Please use this picture."),
        ("signed", "Please publish the page."),
        ("forward", "Please put this on the news page."),
    ],
)
def test_what_the_person_wrote(name: str, text: str) -> None:
    assert parse(mails.ORDINARY[name]).text == text


def test_the_forwarded_message_is_at_hand() -> None:
    assert parse(mails.FORWARD).forwarded_text == "The summer fair is on 5 July."


def test_headers_are_read() -> None:
    references = "In-Reply-To: <r1@example.org>\r\nReferences: <r0@example.org>\r\n <r1@example.org>\r\n"
    parsed = parse(mails.mail(headers=references + "Cc: carl@EXAMPLE.net\r\n"))
    assert parsed.message_id == "<m1@example.com>"
    assert parsed.in_reply_to == ("<r1@example.org>",)
    assert parsed.references == ("<r0@example.org>", "<r1@example.org>")
    assert parsed.recipients == ("bakery@example.org", "carl@example.net")
    assert parsed.date is not None
    assert parsed.date.isoformat() == "2025-03-03T10:00:00+01:00"


def test_the_sender_has_name_and_address() -> None:
    sender = parse(mails.mail(sender="=?utf-8?q?Berg=2C_Anna?= (home) <Anna@Example.COM>")).sender
    assert sender is not None
    assert (sender.name, sender.address) == ("Berg, Anna", "Anna@example.com")


def test_pictures_inside_the_text_are_told_from_attachments() -> None:
    found = [(info.safe_name, info.inline) for info in parse(mails.WITH_PICTURES).attachments]
    assert found == [("logo.png", True), ("Brötchen-frisch.jpg", False)]


def test_a_signature_of_the_mail_is_no_attachment() -> None:
    assert parse(mails.SIGNED).attachments == ()


def test_a_mail_forwarded_as_attachment_without_a_word_is_read() -> None:
    enclosed = mails.mail("The fair is on 5 July.")
    raw = mails.with_body(mails.multipart("mixed", mails.part("message/rfc822", enclosed)))
    assert parse(raw).text == "The fair is on 5 July."


def test_html_is_read_where_the_plain_part_is_empty() -> None:
    raw = mails.with_body(
        mails.multipart("alternative", mails.part("text/plain", " "), mails.part("text/html", "<p>Hello</p>"))
    )
    assert (parse(raw).text, parse(raw).from_html) == ("Hello", True)


def test_a_long_text_is_cut_and_says_so() -> None:
    parsed = parse(mails.mail("word " * 100_000))
    assert (len(parsed.full_text) <= 100_000, parsed.truncated) == (True, ("text",))


def test_an_empty_file_is_an_empty_mail() -> None:
    assert (parse(b"").sender, parse(b"").text) == (None, "")


def test_a_parsed_mail_survives_the_wire() -> None:
    parsed = parse(mails.WITH_PICTURES)
    assert ParsedMail.read(parsed.wire_text()) == parsed


def test_the_command_line_prints_the_mail_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mail.eml"
    file.write_bytes(mails.GMAIL)
    assert main([str(file)]) == 0
    assert json.loads(capsys.readouterr().out)["messageId"] == "<m1@example.com>"


def test_the_command_line_reads_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(mails.APPLE)))
    main(["-"])
    assert json.loads(capsys.readouterr().out)["text"] == "Ja, gerne so."


def test_the_command_line_says_which_file_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main([str(tmp_path / "gone.eml")])
    assert (code, "gone.eml could not be read" in capsys.readouterr().err) == (2, True)


def test_the_subject_goes_with_a_text_that_needs_it() -> None:
    parsed = parse(mails.mail("Delete the second paragraph.", subject="Re: Contact page"))
    assert (parsed.subject_request, parsed.request.instruction) == ("Contact page", "Delete the second paragraph.")


def test_a_subject_that_is_the_request_is_not_said_twice() -> None:
    parsed = parse(mails.mail("Sent from my iPhone", subject="Remove the job advert"))
    assert (parsed.subject_request, parsed.request.instruction) == ("", "Remove the job advert")


def test_a_command_about_what_the_mail_brings_is_an_edit() -> None:
    forward = mails.FORWARD.replace(b"Please put this on the news page.", b"Please publish this.")
    request = parse(forward).request
    assert (request.command, request.instruction, request.mentioned_command) == (
        "edit",
        "Please publish this.",
        "publish",
    )


def test_a_plain_part_that_only_excuses_itself_is_not_the_text() -> None:
    excuse = "This message was made for programs that display HTML. Please open it elsewhere."
    raw = mails.with_body(
        mails.multipart(
            "alternative", mails.part("text/plain", excuse), mails.part("text/html", "<p>Please raise all prices.</p>")
        )
    )
    assert parse(raw).text == "Please raise all prices."


def test_a_forward_as_attachment_is_material_for_the_words_above_it() -> None:
    enclosed = mails.part("message/rfc822", mails.mail("The fair is on 5 July."))
    raw = mails.with_body(mails.multipart("mixed", mails.part("text/plain", "Put this on the news page."), enclosed))
    assert (parse(raw).text, parse(raw).forwarded_text) == ("Put this on the news page.", "The fair is on 5 July.")


def test_a_quote_that_gmails_button_made_is_the_persons() -> None:
    html = '<div>Show this:</div><blockquote class="gmail_quote">Gone by noon.</blockquote>'
    history = '<div class="gmail_quote"><div class="gmail_attr">On Monday Bakery wrote:</div>Which one?</div>'
    raw = mails.mail(html + history, headers=mails.ANSWERS + "Content-Type: text/html\r\n")
    assert parse(raw).text == "Show this:\n\n> Gone by noon."


def test_every_line_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mail.eml"
    file.write_bytes(mails.APPLE)
    assert main(["--explain", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "turn: answer" in printed
    assert re.search(r"^kept +\| Ja, gerne so\.$", printed, re.MULTILINE)
    assert re.search(r"^line added by the mail program +\| Von meinem iPhone gesendet$", printed, re.MULTILINE)
    assert re.search(r"^quoted history +\| > Passt das so\?$", printed, re.MULTILINE)


def test_a_dropped_mail_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mail.eml"
    file.write_bytes(mails.mail(headers="List-Id: <bakers.lists.example.org>\r\n"))
    main(["--explain", str(file)])
    assert "kind: auto_reply (list-id: RFC 2919: a mailing list)" in capsys.readouterr().out
