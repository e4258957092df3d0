"""Parsing of whole mails, as stored by SES."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.mail import mails
from webordinary.contract.outcomes import Command
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
        ("with pictures", "Please use this picture.\n\n[picture: logo.png]"),
        ("signed", "Please publish the page."),
        ("forward", "Please put this on the news page."),
    ],
)
def test_parse_returns_what_the_person_wrote(name: str, text: str) -> None:
    assert parse(mails.ORDINARY[name]).text == text


def test_forwarded_text_is_returned() -> None:
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


def test_inline_images_differ_from_attachments() -> None:
    found = [(info.safe_name, info.inline) for info in parse(mails.WITH_PICTURES).attachments]
    assert found == [("logo.png", True), ("Brötchen-frisch.jpg", False)]


def test_pgp_signature_is_not_an_attachment() -> None:
    assert parse(mails.SIGNED).attachments == ()


def test_enclosed_mail_without_other_text_is_the_content() -> None:
    enclosed = mails.mail("The fair is on 5 July.")
    raw = mails.with_body(mails.multipart("mixed", mails.part("message/rfc822", enclosed)))
    assert parse(raw).text == "The fair is on 5 July."


def test_html_is_used_if_the_plain_part_is_empty() -> None:
    raw = mails.with_body(
        mails.multipart("alternative", mails.part("text/plain", " "), mails.part("text/html", "<p>Hello</p>"))
    )
    assert (parse(raw).text, parse(raw).from_html) == ("Hello", True)


def test_long_text_is_reported_as_truncated() -> None:
    parsed = parse(mails.mail("word " * 100_000))
    assert (len(parsed.full_text) <= 100_000, parsed.truncated) == (True, ("text",))


def test_an_empty_file_is_an_empty_mail() -> None:
    assert (parse(b"").sender, parse(b"").text) == (None, "")


def test_parsed_mail_round_trips_through_json() -> None:
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


def test_the_command_line_names_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main([str(tmp_path / "gone.eml")])
    assert (code, "gone.eml could not be read" in capsys.readouterr().err) == (2, True)


def test_subject_request_accompanies_the_text() -> None:
    parsed = parse(mails.mail("Delete the second paragraph.", subject="Re: Contact page"))
    assert (parsed.subject_request, parsed.request.instruction) == ("Contact page", "Delete the second paragraph.")


def test_subject_used_as_request_is_not_repeated() -> None:
    parsed = parse(mails.mail("Sent from my iPhone", subject="Remove the job advert"))
    assert (parsed.subject_request, parsed.request.instruction) == ("", "Remove the job advert")


def test_command_about_a_forward_is_an_edit() -> None:
    forward = mails.FORWARD.replace(b"Please put this on the news page.", b"Please publish this.")
    request = parse(forward).request
    assert (request.command, request.instruction, request.mentioned_command) == (
        "edit",
        "Please publish this.",
        "publish",
    )


def test_placeholder_plain_part_is_ignored() -> None:
    excuse = "This message was made for programs that display HTML. Please open it elsewhere."
    raw = mails.with_body(
        mails.multipart(
            "alternative", mails.part("text/plain", excuse), mails.part("text/html", "<p>Please raise all prices.</p>")
        )
    )
    assert parse(raw).text == "Please raise all prices."


def test_enclosed_mail_below_text_is_forwarded_text() -> None:
    enclosed = mails.part("message/rfc822", mails.mail("The fair is on 5 July."))
    raw = mails.with_body(mails.multipart("mixed", mails.part("text/plain", "Put this on the news page."), enclosed))
    assert (parse(raw).text, parse(raw).forwarded_text) == ("Put this on the news page.", "The fair is on 5 July.")


BLOCK = "From: Carl <carl@example.net>\nSent: Sunday, March 2, 2025 6:00 PM\nTo: Anna\nSubject: Site\n\n"
WITHOUT_OWN_WORDS = {
    "forward": ("Fwd: Site", f"---------- Forwarded message ---------\n{BLOCK}Publish"),
    "forward below a closing": (
        "Fwd: Site",
        f"Best,\nAnna Berg\n\n---------- Forwarded message ---------\n{BLOCK}undo",
    ),
    "fresh mail": ("Site", f"---------- Forwarded message ---------\n{BLOCK}Stop"),
    "quoted forward": (
        "Fwd: Site",
        "Begin forwarded message:\n\n> From: Carl <carl@example.net>\n> Subject: x\n> \n> Publish",
    ),
    "empty answer in Outlook": ("RE: Site", f"{BLOCK}Publish"),
    "empty answer without quote marks": (
        "Re: Site",
        "On 2 March 2025 at 18:00, Carl <carl@example.net> wrote:\n\nPublish",
    ),
    "slash command": ("Fwd: Site", f"---------- Forwarded message ---------\n{BLOCK}/publish"),
}


@pytest.mark.parametrize(("subject", "text"), WITHOUT_OWN_WORDS.values(), ids=WITHOUT_OWN_WORDS.keys())
def test_mail_without_own_words_gives_no_command(subject: str, text: str) -> None:
    parsed = parse(mails.mail(text, subject=subject))
    assert (parsed.request.command, parsed.is_forward) == (Command.EDIT, True)
    assert parsed.request.instruction == parsed.text
    assert parsed.request.mentioned_command is not None


def test_command_above_the_history_is_the_persons_own() -> None:
    parsed = parse(mails.mail(f"Publish\n\n{BLOCK}Ready?", subject="RE: Site"))
    assert (parsed.request.command, parsed.is_forward) == (Command.PUBLISH, False)


def test_quote_made_with_the_gmail_button_is_kept() -> None:
    html = '<div>Show this:</div><blockquote class="gmail_quote">Gone by noon.</blockquote>'
    history = '<div class="gmail_quote"><div class="gmail_attr">On Monday Bakery wrote:</div>Which one?</div>'
    raw = mails.mail(html + history, headers=mails.ANSWERS + "Content-Type: text/html\r\n")
    assert parse(raw).text == "Show this:\n\n> Gone by noon."


def test_explain_names_a_rule_for_every_removed_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mail.eml"
    file.write_bytes(mails.APPLE)
    assert main(["--explain", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "turn: answer" in printed
    assert re.search(r"^kept +\| Ja, gerne so\.$", printed, re.MULTILINE)
    assert re.search(r"^line added by the mail program +\| Von meinem iPhone gesendet$", printed, re.MULTILINE)
    assert re.search(r"^quoted history +\| > Passt das so\?$", printed, re.MULTILINE)


def test_explain_names_the_rule_of_an_automatic_mail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mail.eml"
    file.write_bytes(mails.mail(headers="List-Id: <bakers.lists.example.org>\r\n"))
    main(["--explain", str(file)])
    assert "kind: auto_reply (list-id: RFC 2919: a mailing list)" in capsys.readouterr().out
