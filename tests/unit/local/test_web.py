"""The mailbox page: escaping of untrusted mails, links, and progress."""

from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

import pytest

from local.page.conversations import LocalMailbox
from local.page.live_previews import LivePreviews
from local.page.site_files import Previews
from local.page.web import ChangeFeed, ComposeForm, PageContent, create_app
from local.runtime.events import Event, Events

OWN_ADDRESS = "http://127.0.0.1:8025"
OWN_SITE = "http://bakery.localhost:8025/"


def render(
    *mails: bytes,
    path: str = "/conversations",
    events: Events | None = None,
    replies: tuple[Path, ...] = (),
    problem: str = "",
) -> str:
    mailbox = LocalMailbox()
    for number, mail in enumerate(mails):
        mailbox.add_incoming(mail, f"job-{number}")
    for reply in replies:
        mailbox.add_outgoing(reply)
    content = PageContent(
        compose=ComposeForm(("ada@example.com",), "edit@mail.example.com", "an example"),
        mailbox=mailbox,
        events=events or Events(),
        previews=cast(Previews, None),
        live_previews=cast(LivePreviews, None),
        send=lambda *_mail: None,
        problem=lambda: problem,
    )
    client: Any = create_app(OWN_ADDRESS, ChangeFeed(), content).test_client()
    return str(client.get(path, base_url=OWN_ADDRESS).text)


def frame_in(page: str) -> ElementTree.Element:
    start = page.index("<iframe")
    return ElementTree.fromstring(page[start : page.index("</iframe>") + len("</iframe>")])  # noqa: S314 our own page


def test_markup_in_a_plain_mail_is_escaped() -> None:
    page = render(b"Subject: x\r\n\r\n<script>alert(1)</script>")

    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>" not in page


def test_markup_in_a_subject_is_escaped() -> None:
    assert "&lt;img src=x" in render(b"Subject: <img src=x onerror=alert(1)>\r\n\r\nhello")


def test_markup_in_a_sender_is_escaped() -> None:
    assert "&lt;svg onload" in render(b'From: "<svg onload=alert(1)>" <a@example.com>\r\n\r\nhello')


def test_html_mail_is_shown_in_a_sandboxed_frame() -> None:
    frame = frame_in(render(b'Content-Type: text/html\r\n\r\n"><script>alert(1)</script>'))

    assert frame.get("sandbox") == ""
    assert str(frame.get("srcdoc")).startswith('<meta http-equiv="Content-Security-Policy" content="default-src')
    assert str(frame.get("srcdoc")).endswith('"><script>alert(1)</script>')


def test_only_addresses_of_own_sites_become_links() -> None:
    elsewhere = "http://example.net/evil http://bakery.localhost:8026/ http://bakery.localhost:8025.example.net/"
    page = render(f"\r\n{OWN_SITE}menu/ and {elsewhere} {OWN_ADDRESS}/".encode())

    assert page.count("<a href") == 1
    assert f'<a href="{OWN_SITE}menu/"' in page


def test_linked_address_cannot_inject_markup() -> None:
    assert "<i>" not in render(f"\r\n{OWN_SITE}&<i>".encode())


def test_template_syntax_in_a_mail_is_not_rendered() -> None:
    assert render(b"\r\n{{ compose.example }}", path="/").count("{{ compose.example }}") == 1


def test_pending_mail_shows_its_progress() -> None:
    events = Events()
    events.publish(Event("function/webordinary-parse-email", "mail_parsed", {"job_id": "job-0"}))

    page = render(b"Subject: x\r\n\r\nhello", events=events)

    assert '<li class="reached">parsed</li>' in page
    assert '<li class="pending">replied</li>' in page


REPLY = (
    b"Subject: Re: x\r\nIn-Reply-To: <1@example.com>\r\nMIME-Version: 1.0\r\n"
    b'Content-Type: multipart/alternative; boundary="b"\r\n\r\n'
    b"--b\r\nContent-Type: text/plain\r\n\r\nSee http://bakery.localhost:8025/menu/\r\n"
    b"--b\r\nContent-Type: text/html\r\n\r\n<b>Done</b><script>alert(1)</script>\r\n--b--\r\n"
)


def with_reply(tmp_path: Path, reply: bytes = REPLY) -> str:
    file = tmp_path / "reply.eml"
    file.write_bytes(reply)
    return render(b"Message-ID: <1@example.com>\r\nSubject: x\r\n\r\nhello", replies=(file,))


def test_reply_html_is_shown_without_scripts(tmp_path: Path) -> None:
    frame = frame_in(with_reply(tmp_path))

    assert frame.get("sandbox") == "allow-popups allow-popups-to-escape-sandbox"
    assert "<b>Done</b>" in str(frame.get("srcdoc"))
    assert "script-src" not in str(frame.get("srcdoc"))


def test_conversation_shows_its_preview(tmp_path: Path) -> None:
    page = with_reply(tmp_path)

    assert '<iframe src="http://bakery.localhost:8025/menu/" sandbox="allow-scripts allow-same-origin"' in page
    assert "<aside" not in with_reply(tmp_path, REPLY.replace(b"bakery.localhost:8025", b"evil.example.net"))


def test_inline_pictures_of_a_reply_are_embedded(tmp_path: Path) -> None:
    picture = b"--b\r\nContent-Type: image/png\r\nContent-ID: <after>\r\n\r\nPNG\r\n--b--"
    reply = REPLY.replace(b"<b>Done</b>", b'<img src="cid:after">').replace(b"--b--", picture)

    assert 'src="data:image/png;base64,UE5H' in str(frame_in(with_reply(tmp_path, reply)).get("srcdoc"))


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("unknown_sender", "The sender may not edit any website."),
        ("automatic.bounce", "The mail was sent automatically."),
        ("something_new", "something_new"),
    ],
)
def test_dropped_mail_shows_the_reason(reason: str, words: str) -> None:
    events = Events()
    fields = {"job_id": "job-0", "decision": "drop", "reason": reason}
    events.publish(Event("function/webordinary-parse-email", "mail_parsed", fields))

    page = render(b"Subject: x\r\n\r\nhello", events=events)

    assert words in page
    assert "In progress" not in page


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_raw_bytes_in_a_subject_are_decoded(encoding: str) -> None:
    assert "<h2>Öffnungszeiten für Café</h2>" in render("Subject: Öffnungszeiten für Café\r\n\r\nx".encode(encoding))


def test_published_conversation_is_marked_live() -> None:
    events = Events()
    mail = b"Subject: x\r\n\r\nhello"
    assert '<span class="published">' not in render(mail, events=events)

    events.publish(Event("worker", "site_published", {"job_id": "job-0"}))

    assert '<span class="published">live</span>' in render(mail, events=events)


def test_unpublished_conversation_is_not_marked_live() -> None:
    events = Events()
    events.publish(Event("worker", "site_published", {"job_id": "job-0"}, at=1))
    events.publish(Event("worker", "site_published", {"job_id": "job-0", "release": 1}, at=2))

    assert '<span class="published">' not in render(b"Subject: x\r\n\r\nhello", events=events)


def test_all_replies_to_a_mail_are_render(tmp_path: Path) -> None:
    mail = b"Message-ID: <1@example.com>\r\nSubject: x\r\n\r\npublish"
    about = {}
    for reader in ("publisher", "asker"):
        about[reader] = tmp_path / f"{reader}.eml"
        about[reader].write_bytes(f"To: {reader}@example.com\r\n".encode() + REPLY)

    page = render(mail, replies=tuple(about.values()))

    assert [f"to {reader}@example.com" in page for reader in about] == [True, True]


def test_page_says_that_the_emulator_has_stopped() -> None:
    page = render(b"Subject: x\r\n\r\nhello", path="/", problem="The emulator has stopped. Start again.")

    assert '<p id="problem" class="problem" role="alert">The emulator has stopped. Start again.</p>' in page
    assert "hello" in page


def test_sites_say_that_the_emulator_has_stopped() -> None:
    content = PageContent(
        compose=ComposeForm((), "", ""),
        mailbox=LocalMailbox(),
        events=Events(),
        previews=cast(Previews, None),
        live_previews=cast(LivePreviews, None),
        send=lambda *_mail: None,
        problem=lambda: "The emulator has stopped.",
    )
    client: Any = create_app(OWN_ADDRESS, ChangeFeed(), content).test_client()

    for response in (
        client.get("/", base_url=OWN_SITE),
        client.post("/send", base_url=OWN_ADDRESS, headers={"Origin": OWN_ADDRESS}),
    ):
        assert (response.status_code, response.text) == (503, "The emulator has stopped.")
