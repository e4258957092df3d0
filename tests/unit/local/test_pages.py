"""The mailbox page shows hostile mails without obeying them."""

from datetime import UTC, datetime

from local.conversations import Conversation, read_mail
from local.pages import Compose, conversations_fragment, mailbox_page

NOW = datetime(2025, 5, 4, 12, 0, tzinfo=UTC)
OWN_ADDRESS = "http://127.0.0.1:8025"


def shown(raw: bytes) -> str:
    return conversations_fragment([Conversation([read_mail(raw, "in", NOW)])], lambda _job: [], OWN_ADDRESS)


def test_markup_in_a_plain_mail_is_shown_as_text() -> None:
    assert "<script>" not in shown(b"Subject: x\r\n\r\n<script>alert(1)</script>")


def test_markup_in_a_subject_is_shown_as_text() -> None:
    assert "<img" not in shown(b"Subject: <img src=x onerror=alert(1)>\r\n\r\nhello")


def test_markup_in_a_sender_is_shown_as_text() -> None:
    assert "<svg" not in shown(b'From: "<svg onload=alert(1)>" <a@example.com>\r\n\r\nhello')


def test_html_mail_is_locked_into_a_frame_without_scripts() -> None:
    page = shown(b'Content-Type: text/html\r\n\r\n"><script>alert(1)</script>')

    assert '<iframe class="html" sandbox="" ' in page
    assert "<script>" not in page


def test_only_addresses_of_this_page_become_links() -> None:
    page = shown(f"\r\n{OWN_ADDRESS}/sites/bakery/session/a/ and http://example.net/evil".encode())

    assert page.count("<a href") == 1
    assert f'<a href="{OWN_ADDRESS}/sites/bakery/session/a/"' in page


def test_a_mail_that_contains_a_marker_of_the_template_stays_text() -> None:
    compose = Compose(("ada@example.com",), "edit@mail.example.com", "an example")

    page = mailbox_page(compose, shown(b"\r\n{{example}}")).decode()

    assert page.count("{{example}}") == 1
