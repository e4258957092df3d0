"""The page over HTTP: sites out of buckets, and only its own form may send mail."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from local.aws import ACCOUNT, Emulated
from local.conversations import Mailbox
from local.domain import Names
from local.events import Events
from local.previews import Previews
from local.serving import listen
from local.web import Compose, Content, Page

NAMES = Names("webtest", ACCOUNT)
THREAD = "session/" + "a" * 26


class Site:
    """A running page, and the mails that its form has sent."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.sent: list[tuple[str, str, str, str]] = []
        self.host = page.address.removeprefix("http://")

    def ask(
        self, path: str, method: str = "GET", body: str | None = None, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, str]:
        connection = http.client.HTTPConnection(self.host, timeout=10)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def send_form(self, origin: str) -> int:
        form = urlencode({"sender": "a@example.com", "recipient": "b@example.com", "subject": "s", "text": "t"})
        kind = "application/x-www-form-urlencoded"
        return self.ask("/send", "POST", form, Origin=origin, Content_Type=kind)[0]


@pytest.fixture(scope="module")
def site(emulated: Emulated) -> Iterator[Site]:
    s3 = emulated.client("s3")
    for kind in ("edit_site", "production_site"):
        s3.create_bucket(Bucket=NAMES.bucket(kind, "bakery"))
    edit = NAMES.bucket("edit_site", "bakery")
    s3.put_object(Bucket=edit, Key=f"{THREAD}/index.html", Body=b"<h1>home</h1>")
    s3.put_object(Bucket=edit, Key=f"{THREAD}/menu/index.html", Body=b"<h1>menu</h1>")
    s3.put_object(Bucket=edit, Key=f"{THREAD}/style.css", Body=b"h1{}")
    running = Site(Page(listen(0, "The page", "PORT")))
    running.page.start(
        Content(
            compose=Compose(("ada@example.com",), "edit@mail.example.com", "example"),
            mailbox=Mailbox(),
            events=Events(),
            previews=Previews(emulated, NAMES),
            send=lambda *mail: running.sent.append(mail),
        )
    )
    yield running
    running.page.stop()


@pytest.mark.parametrize(
    ("path", "content"), [("/", "home"), ("/menu/", "menu"), ("/menu", "menu"), ("/style.css", "h1{}")]
)
def test_a_thread_is_served_from_the_edit_bucket(site: Site, path: str, content: str) -> None:
    status, _, body = site.ask(f"/sites/bakery/{THREAD}{path}")

    assert status == 200
    assert content in body


def test_a_stylesheet_has_its_content_type(site: Site) -> None:
    _, headers, _ = site.ask(f"/sites/bakery/{THREAD}/style.css")

    assert headers["Content-Type"].startswith("text/css")


@pytest.mark.parametrize("path", ["/sites/bakery/", "/sites/nobody/", "/sites/../etc/passwd", "/sites/", "/elsewhere"])
def test_what_is_not_there_is_a_404(site: Site, path: str) -> None:
    assert site.ask(path)[0] == 404


def test_a_site_runs_without_an_origin_and_so_cannot_read_the_mailbox(site: Site) -> None:
    _, headers, _ = site.ask(f"/sites/bakery/{THREAD}/")

    policy = headers["Content-Security-Policy"]
    assert policy.startswith("sandbox")
    assert "allow-same-origin" not in policy


def test_the_mailbox_may_load_nothing_from_elsewhere_and_be_framed_by_nobody(site: Site) -> None:
    status, headers, _ = site.ask("/")

    assert status == 200
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(("asset", "kind"), [("mailbox.css", "text/css"), ("mailbox.js", "text/javascript")])
def test_style_and_script_of_the_page_are_served(site: Site, asset: str, kind: str) -> None:
    status, headers, _ = site.ask(f"/assets/{asset}")

    assert status == 200
    assert headers["Content-Type"].startswith(kind)


def test_the_form_of_the_page_sends_a_mail(site: Site) -> None:
    site.sent.clear()

    assert site.send_form(origin=site.page.address) == 200
    assert site.sent == [("a@example.com", "b@example.com", "s", "t")]


@pytest.mark.parametrize("origin", ["null", "http://example.net", ""])
def test_another_page_cannot_send_a_mail(site: Site, origin: str) -> None:
    site.sent.clear()

    assert site.send_form(origin=origin) == 403
    assert site.sent == []


def test_the_page_answers_to_no_foreign_name(site: Site) -> None:
    assert site.ask("/", Host="rebound.example.net")[0] == 421


def test_a_change_reaches_an_open_page_by_itself(site: Site) -> None:
    connection = http.client.HTTPConnection(site.host, timeout=10)
    connection.request("GET", "/changes")
    answer = connection.getresponse()

    site.page.changes.announce()

    assert next(line for line in answer if line.startswith(b"event")) == b"event: changed\n"
    connection.close()
