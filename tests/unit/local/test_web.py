"""The page of the local stack: the mailbox in the console, untrusted mails, and forms that send once."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from local.page.conversations import LocalMailbox
from local.page.live_previews import LivePreviews
from local.page.mailbox import FRAME_POLICY
from local.page.site_files import Previews
from local.page.site_routes import newest_link
from local.page.web import ChangeFeed, ComposeForm, PageContent, create_app
from local.runtime.events import Event, Events
from local.send import WrittenMail
from tests.support.world import THREAD, World
from tests.unit.ops.conftest import deployment as deployment
from webordinary.tables.conversation_records import NotedMail, ReplyFacts
from webordinary_ops.deployment import Deployment

OWN = "http://127.0.0.1:8025"
SITE = "http://bakery.localhost:8025/"
REPLY = (
    b"Subject: Re: x\r\nTo: ada@example.com\r\nReply-To: edit+t-1@mail.example.com\r\nMessage-ID: <r1@ses.example>\r\n"
    b"In-Reply-To: <1@example.com>\r\nMIME-Version: 1.0\r\n"
    b'Content-Type: multipart/alternative; boundary="b"\r\n\r\n'
    b"--b\r\nContent-Type: text/plain\r\n\r\nSee http://bakery.localhost:8025/menu/\r\n"
    b"--b\r\nContent-Type: text/html\r\n\r\n<b>Done</b><script>alert(1)</script>\r\n--b--\r\n"
)
MAIL = b"Message-ID: <1@example.com>\r\nFrom: ada@example.com\r\nSubject: x\r\n\r\nhello"


@dataclass
class Page:
    """The page, the mails that its forms sent, and what has happened."""

    mailbox: LocalMailbox
    events: Events
    client: Any
    sent: list[WrittenMail] = field(default_factory=list)
    problem: str = ""

    def get(self, path: str, status: int = 200, **headers: str) -> str:
        answer = self.client.get(path, base_url=OWN, headers=headers)
        assert answer.status_code == status, answer.text
        return str(answer.text)

    def post(self, path: str, origin: str = OWN, accept: str = "text/html", **fields: Any) -> Any:
        headers = {"Origin": origin, "Accept": accept} if origin else {"Accept": accept}
        return self.client.post(path, base_url=OWN, data=fields, headers=headers)

    def happened(self, name: str, **fields: Any) -> None:
        self.events.publish(Event("function/webordinary-x", name, fields, 1.0))


@pytest.fixture
def page(deployment: Deployment) -> Page:
    mailbox, events = LocalMailbox(), Events()
    made = Page(mailbox, events, None)

    def send(mail: WrittenMail) -> str:
        made.sent.append(mail)
        mailbox.add_incoming(mail.composed().as_bytes(), f"job-{len(made.sent)}")
        return str(mail.message_id)

    content = PageContent(
        deployment=deployment,
        compose=ComposeForm(("ada@example.com",), "edit@mail.example.com", "an example"),
        mailbox=mailbox,
        events=events,
        previews=cast(Previews, None),
        live_previews=cast(LivePreviews, None),
        send=send,
        problem=lambda: made.problem,
    )
    made.client = create_app(OWN, ChangeFeed(), content).test_client()
    return made


@pytest.fixture
def replied(page: Page, tmp_path: Path) -> Page:
    file = tmp_path / "reply.eml"
    file.write_bytes(REPLY)
    page.mailbox.add_incoming(MAIL, "job-0")
    page.mailbox.add_outgoing(file)
    return page


FORM = {"sender": "ada@example.com", "recipient": "edit@mail.example.com", "subject": "s", "text": "t"}


@pytest.mark.parametrize(
    "raw",
    [
        b"Subject: x\r\n\r\n<script>alert(1)</script>",
        b"Subject: <script>alert(1)</script>\r\n\r\nhello",
        b'From: "<script>alert(1)</script>" <a@example.com>\r\n\r\nhello',
        b'Subject: x\r\nContent-Disposition: attachment; filename="<script>alert(1)</script>"\r\n\r\nx',
        b"Subject: {{ form.example }}\r\n\r\n{{ form.example }}",
    ],
)
def test_markup_in_a_mail_is_escaped(page: Page, raw: bytes) -> None:
    page.mailbox.add_incoming(raw, "job-0")

    for path in ("/", "/mailbox", "/mailbox/mails/job-0"):
        assert "<script>alert" not in page.get(path)
        assert "an example" not in page.get("/mailbox/mails/job-0")


def test_html_of_a_mail_is_shown_in_a_frame_without_scripts(replied: Page) -> None:
    replied.happened("reply_sent", job_id="job-0")
    body = replied.get("/mailbox/mails/job-0")
    answer = replied.client.get("/mailbox/html/1", base_url=OWN)

    assert 'sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"' in body
    assert "<b>Done</b>" not in body
    assert "<b>Done</b>" in answer.text
    assert answer.headers["Content-Security-Policy"] == FRAME_POLICY
    assert "allow-scripts" not in FRAME_POLICY
    assert "default-src 'none'" in FRAME_POLICY


def test_form_sends_one_mail_however_often_it_is_sent(page: Page) -> None:
    first = page.post("/send", **FORM, once="0" * 16)
    second = page.post("/send", **FORM, once="0" * 16)

    assert (first.status_code, first.headers["Location"]) == (303, "/mailbox/mails/job-1")
    assert second.headers["Location"] == first.headers["Location"]
    assert len(page.sent) == 1


def test_forms_without_a_mark_send_each_time(page: Page) -> None:
    for _ in range(2):
        assert page.post("/send", accept="*/*", **FORM).text == "sent"

    assert len({mail.message_id for mail in page.sent}) == 2


def test_attachments_are_sent(page: Page) -> None:
    page.post("/send", **FORM, files=(__import__("io").BytesIO(b"\xff\xd8\xff"), "plum cake.jpg", "image/jpeg"))

    (mail,) = page.sent
    assert [(file.name, file.content_type, file.content) for file in mail.files] == [
        ("plum cake.jpg", "image/jpeg", b"\xff\xd8\xff")
    ]
    (stored,) = page.mailbox.mails("in")
    assert stored.attachments == ("plum cake.jpg",)


@pytest.mark.parametrize(("fields", "text"), [({"say": "publish"}, "publish"), ({"text": "Thank you"}, "Thank you")])
def test_reply_continues_the_conversation(replied: Page, fields: dict[str, str], text: str) -> None:
    assert replied.post("/mailbox/reply", number="1", **fields).status_code == 303

    (mail,) = replied.sent
    assert (mail.sender, mail.recipient, mail.in_reply_to, mail.text) == (
        "ada@example.com", "edit+t-1@mail.example.com", "<r1@ses.example>", text,
    )  # fmt: skip


@pytest.mark.parametrize("number", ["0", "9", "x", ""])
def test_only_our_own_mails_can_be_replied_to(replied: Page, number: str) -> None:
    assert replied.post("/mailbox/reply", number=number, text="x").status_code == 404


@pytest.mark.parametrize("origin", ["", "null", "http://example.net", "http://bakery.localhost:8025"])
def test_form_of_another_origin_is_rejected(page: Page, origin: str) -> None:
    assert page.post("/send", origin=origin, **FORM).status_code == 403
    assert page.sent == []


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("unknown_sender", "The sender may not edit any website."),
        ("automatic.bounce", "The mail was sent automatically."),
        ("something_new", "something_new"),
    ],
)
def test_dropped_mail_shows_the_reason(page: Page, reason: str, words: str) -> None:
    page.mailbox.add_incoming(MAIL, "job-0")
    page.happened("mail_parsed", job_id="job-0", decision="drop", reason=reason)

    assert words in page.get("/mailbox")
    assert words in page.get("/mailbox/mails/job-0")
    assert "is being read" not in page.get("/mailbox/mails/job-0")


def test_pending_mail_shows_its_progress_and_reloads_without_script(page: Page) -> None:
    page.mailbox.add_incoming(MAIL, "job-0")
    page.happened("mail_parsed", job_id="job-0", decision="accept")

    shown = page.get("/mailbox/mails/job-0")

    assert "Sender, conversation and request were read" in shown
    assert '<noscript><meta http-equiv="refresh"' in shown


def test_mail_of_a_conversation_leads_to_it(page: Page, world: World) -> None:
    page.mailbox.add_incoming(MAIL, "mail-1")
    world.conversations.note_mail(NotedMail.of_job(world.job()))
    page.happened("job_dispatched", job_id="mail-1", thread_id=THREAD)

    answer = page.client.get("/mailbox/mails/mail-1", base_url=OWN)
    shown = page.get(answer.headers["Location"])

    assert answer.headers["Location"] == f"/conversations/{THREAD}"
    assert '<div class="words">hello</div>' in shown


def test_open_page_of_a_mail_moves_to_its_conversation(page: Page, world: World) -> None:
    page.mailbox.add_incoming(MAIL, "mail-1")
    stream = iter(page.client.get("/events?path=/mailbox/mails/mail-1", base_url=OWN).response)
    next(stream)
    assert b"is being read" in _bytes(next(stream))
    page.happened("job_dispatched", job_id="mail-1", thread_id=THREAD)
    assert b"event: changed" in _bytes(next(stream))  # the conversation is not recorded yet

    world.conversations.note_mail(NotedMail.of_job(world.job()))

    moved = _bytes(next(stream))
    assert b"event: moved" in moved
    assert f'"/conversations/{THREAD}"'.encode() in moved
    assert list(stream) == []


def test_conversation_offers_a_reply_with_one_tap_commands(replied: Page, world: World) -> None:
    world.conversations.note_mail(NotedMail.of_job(world.job("job-0")))
    replied.happened("job_dispatched", job_id="job-0", thread_id=THREAD)

    shown = replied.get(f"/conversations/{THREAD}")

    assert "Reply as ada@example.com" in shown
    for word in ("publish", "undo", "unpublish"):
        assert f'name="say" value="{word}"' in shown


def test_reply_form_comes_with_the_reply_and_stays(page: Page, world: World, tmp_path: Path) -> None:
    noted = NotedMail.of_job(world.job("job-0"))
    page.mailbox.add_incoming(MAIL, "job-0")
    world.conversations.note_mail(noted)
    page.happened("job_dispatched", job_id="job-0", thread_id=THREAD)
    stream = iter(page.client.get(f"/events?path=/conversations/{THREAD}", base_url=OWN).response)
    next(stream)
    waiting = _bytes(next(stream))
    file = tmp_path / "reply.eml"
    file.write_bytes(REPLY)
    page.mailbox.add_outgoing(file)
    world.conversations.note_reply(noted, ReplyFacts("changed"))
    replied = _bytes(next(stream))
    unchanged = _bytes(next(stream))

    assert b"Under way" in waiting
    assert b"Reply as" not in waiting
    assert b'"head"' in replied  # its state and its actions
    assert b"Reply as ada@example.com" in replied
    assert b'"nodes": {}' in unchanged  # each rendering has another mark against sending twice


def tour_links(page: Page) -> list[str]:
    tour = page.get("/").partition('id="tour"')[2].partition("</details>")[0]
    return re.findall(r"<a [^>]*>([^<]*)</a>", tour)


def test_tour_follows_what_has_happened(page: Page) -> None:
    assert "0 of 6 steps" in page.get("/")

    page.mailbox.add_incoming(MAIL, "job-0")
    page.happened("job_dispatched", job_id="job-0", thread_id=THREAD)
    page.happened("reply_sent", job_id="job-0", thread_id=THREAD)
    assert "2 of 6 steps" in page.get("/")
    assert tour_links(page) == ["Write it", "Watch", "Open"]  # those of the steps to come follow

    page.happened("site_published", job_id="job-0", pair="bakery#ada")
    assert "3 of 6 steps" in page.get("/")
    assert 'href="http://bakery.localhost:' in page.get("/")


def test_page_says_that_the_emulator_has_stopped(page: Page) -> None:
    page.problem = "The emulator has stopped. Start again."

    assert '<p id="notice" class="notice" role="alert">The emulator has stopped. Start again.</p>' in page.get("/")
    site = page.client.get("/", base_url=SITE)
    assert (site.status_code, site.text) == (503, page.problem)
    assert page.post("/send", **FORM).status_code == 503


def test_stream_says_that_the_emulator_has_stopped(page: Page) -> None:
    stream = iter(page.client.get("/events?path=/", base_url=OWN).response)
    assert b"retry" in _bytes(next(stream))
    assert b"All is well." in _bytes(next(stream))

    page.problem = "The emulator has stopped."

    stopped = _bytes(next(stream))
    assert b"event: stopped" in stopped
    assert b"The emulator has stopped." in stopped
    assert b"so the state is unknown" in stopped


def test_stream_sends_only_what_has_changed(page: Page) -> None:
    stream = iter(page.client.get("/events?path=/mailbox", base_url=OWN).response)
    next(stream)
    first = _bytes(next(stream))
    second = _bytes(next(stream))
    page.mailbox.add_incoming(MAIL, "job-0")
    third = _bytes(next(stream))

    assert b'"mails"' in first
    assert b'"nodes": {}' in second
    assert b"/mailbox/mails/job-0" in third


@pytest.mark.parametrize("path", ["//evil.example/", "http://evil.example/", "/events?path=/", "/actions/pause", "x"])
def test_stream_follows_pages_of_the_console_only(page: Page, path: str) -> None:
    assert page.client.get("/events", query_string={"path": path}, base_url=OWN).status_code == 404


def test_only_addresses_of_own_sites_are_found() -> None:
    find: Callable[[str], str | None] = lambda text: newest_link([text], OWN)  # noqa: E731

    assert find(f"See {SITE}menu/.") == f"{SITE}menu/"
    for other in (
        "http://example.net/evil",
        "http://bakery.localhost:8026/",
        "http://bakery.localhost:8025.evil.example/",
    ):
        assert find(other) is None


def _bytes(part: Any) -> bytes:
    return part if isinstance(part, bytes) else str(part).encode()
