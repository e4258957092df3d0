"""The mailbox page shows hostile mails without obeying them."""

from typing import Any, cast
from xml.etree import ElementTree

from local.conversations import Mailbox
from local.events import Event, Events
from local.previews import Previews
from local.web import Changes, Compose, Content, create_app

OWN_ADDRESS = "http://127.0.0.1:8025"
OWN_SITE = "http://bakery.localhost:8025/"


def shown(*mails: bytes, path: str = "/conversations", events: Events | None = None) -> str:
    mailbox = Mailbox()
    for number, mail in enumerate(mails):
        mailbox.add_incoming(mail, f"job-{number}")
    content = Content(
        compose=Compose(("ada@example.com",), "edit@mail.example.com", "an example"),
        mailbox=mailbox,
        events=events or Events(),
        previews=cast(Previews, None),
        send=lambda *_mail: None,
    )
    client: Any = create_app(OWN_ADDRESS, Changes(), content).test_client()
    return str(client.get(path, base_url=OWN_ADDRESS).text)


def frame_in(page: str) -> ElementTree.Element:
    start = page.index("<iframe")
    return ElementTree.fromstring(page[start : page.index("</iframe>") + len("</iframe>")])  # noqa: S314 our own page


def test_markup_in_a_plain_mail_is_shown_as_text() -> None:
    page = shown(b"Subject: x\r\n\r\n<script>alert(1)</script>")

    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>" not in page


def test_markup_in_a_subject_is_shown_as_text() -> None:
    assert "&lt;img src=x" in shown(b"Subject: <img src=x onerror=alert(1)>\r\n\r\nhello")


def test_markup_in_a_sender_is_shown_as_text() -> None:
    assert "&lt;svg onload" in shown(b'From: "<svg onload=alert(1)>" <a@example.com>\r\n\r\nhello')


def test_html_mail_is_locked_into_a_frame_without_scripts() -> None:
    frame = frame_in(shown(b'Content-Type: text/html\r\n\r\n"><script>alert(1)</script>'))

    assert frame.get("sandbox") == ""
    assert str(frame.get("srcdoc")).startswith('<meta http-equiv="Content-Security-Policy" content="default-src')
    assert str(frame.get("srcdoc")).endswith('"><script>alert(1)</script>')


def test_only_addresses_of_sites_of_this_page_become_links() -> None:
    elsewhere = "http://example.net/evil http://bakery.localhost:8026/ http://bakery.localhost:8025.example.net/"
    page = shown(f"\r\n{OWN_SITE}menu/ and {elsewhere} {OWN_ADDRESS}/".encode())

    assert page.count("<a href") == 1
    assert f'<a href="{OWN_SITE}menu/"' in page


def test_an_address_of_this_page_cannot_bring_markup() -> None:
    assert "<i>" not in shown(f"\r\n{OWN_SITE}&<i>".encode())


def test_a_mail_that_contains_a_template_stays_text() -> None:
    assert shown(b"\r\n{{ compose.example }}", path="/").count("{{ compose.example }}") == 1


def test_a_mail_that_waits_shows_how_far_it_is() -> None:
    events = Events()
    events.publish(Event("function/webordinary-parse-email", "mail_parsed", {"job_id": "job-0"}))

    page = shown(b"Subject: x\r\n\r\nhello", events=events)

    assert '<li class="reached">understood</li>' in page
    assert '<li class="ahead">answered</li>' in page
