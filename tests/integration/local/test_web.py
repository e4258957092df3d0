"""The page over HTTP: sites from the bucket, and the form that sends mails."""

from __future__ import annotations

import hashlib
import http.client
from base64 import b64encode
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from local.aws import ACCOUNT, EmulatedAws
from local.domain import Names
from local.operators_package import Connection, Deployment
from local.page.conversations import LocalMailbox
from local.page.live_previews import LivePreviews
from local.page.site_files import Previews
from local.page.web import ComposeForm, PageContent, PageServer
from local.runtime.events import Events
from local.runtime.serving import listen
from local.send import WrittenMail
from tests.support.world import make_tables
from webordinary.tables.items import to_values

NAMES = Names("webtest", ACCOUNT)
THREAD = "a" * 26
PASSWORD = "open sesame"

STORED = {
    "bakery": {
        f"preview/{THREAD}/index.html": "<h1>home</h1>",
        f"preview/{THREAD}/menu/index.html": "<h1>menu</h1>",
        f"preview/{THREAD}/about.html": "<h1>about</h1>",
        f"preview/{THREAD}/style.css": "h1{}",
        f"preview/{THREAD}/404.html": "<h1>lost?</h1>",
        "live/index.html": "<h1>live</h1>",
        "releases/live.json": "{}",
    },
    "garden": {f"preview/{THREAD}/index.html": "<h1>flowers</h1>"},
}


class Site:
    """A running page, and the mails that its form sent."""

    def __init__(self, page: PageServer) -> None:
        self.page = page
        self.sent: list[tuple[str, str, str, str]] = []
        self.host = page.address.removeprefix("http://")

    def receive(self, mail: WrittenMail) -> str:
        self.sent.append((mail.sender, mail.recipient, mail.subject, mail.text))
        return str(mail.message_id)

    def request(
        self, path: str, method: str = "GET", body: str | None = None, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, str]:
        connection = http.client.HTTPConnection(self.host, timeout=120)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()
        finally:
            connection.close()

    def request_site(self, label: str, path: str = "/", **headers: str) -> tuple[int, http.client.HTTPMessage, str]:
        """Requests a page by the host name of its site."""
        return self.request(path, Host=f"{label}.localhost:{self.page.port}", **headers)

    def send_form(self, origin: str) -> int:
        form = urlencode({"sender": "a@example.com", "recipient": "b@example.com", "subject": "s", "text": "t"})
        kind = "application/x-www-form-urlencoded"
        return self.request("/send", "POST", form, Origin=origin, Content_Type=kind)[0]


@pytest.fixture(scope="module")
def site(emulated: EmulatedAws) -> Iterator[Site]:
    s3 = emulated.client("s3")
    s3.create_bucket(Bucket=NAMES.bucket("sites"))
    for project, files in STORED.items():
        for key, text in files.items():
            s3.put_object(Bucket=NAMES.bucket("sites"), Key=f"{project}/{key}", Body=text.encode())
    make_tables(emulated.client("dynamodb"), NAMES)
    digest = hashlib.sha256(f"garden:{PASSWORD}".encode()).hexdigest()
    locked = {"pk": "project#garden", "previewPasswordDigest": digest}
    emulated.client("dynamodb").put_item(TableName=NAMES.table("project_configs"), Item=to_values(locked))
    running = Site(PageServer(listen(0, "The page", "PORT")))
    running.page.start(
        PageContent(
            deployment=Deployment(Connection("local", "webtest", emulated.region, endpoint=emulated.endpoint)),
            compose=ComposeForm(("ada@example.com",), "edit@mail.example.com", "example"),
            mailbox=LocalMailbox(),
            events=Events(),
            previews=Previews(emulated, NAMES),
            live_previews=LivePreviews(emulated, NAMES),
            send=running.receive,
        )
    )
    yield running
    running.page.stop()


PREVIEW = f"{THREAD}--bakery"


@pytest.mark.parametrize(
    ("path", "content"),
    [("/", "home"), ("/menu/", "menu"), ("/menu", "menu"), ("/about", "about"), ("/style.css", "h1{}")],
)
def test_a_preview_is_served_from_the_root_of_its_host(site: Site, path: str, content: str) -> None:
    status, _, body = site.request_site(PREVIEW, path)

    assert status == 200
    assert content in body


def test_a_live_site_is_served_from_the_root_of_its_host(site: Site) -> None:
    assert site.request_site("bakery")[2] == "<h1>live</h1>"


def test_a_stylesheet_has_its_content_type(site: Site) -> None:
    _, headers, _ = site.request_site(PREVIEW, "/style.css")

    assert headers["Content-Type"].startswith("text/css")


def test_missing_page_shows_the_sites_404_page(site: Site) -> None:
    status, _, body = site.request_site(PREVIEW, "/gone/")

    assert (status, body) == (404, "<h1>lost?</h1>")


@pytest.mark.parametrize(
    ("label", "path"),
    [
        ("unknown", "/"),
        ("bakery", f"/preview/{THREAD}/index.html"),
        ("bakery", "/../releases/live.json"),
        ("bakery", "/%2e%2e/releases/live.json"),
        ("b" * 26 + "--bakery", "/"),
    ],
)
def test_unknown_site_or_path_is_404(site: Site, label: str, path: str) -> None:
    assert site.request_site(label, path)[0] == 404


@pytest.mark.parametrize("path", ["/sites/", "/elsewhere", "/sites/-/"])
def test_the_console_has_no_such_pages(site: Site, path: str) -> None:
    assert site.request(path)[0] == 404


def test_former_addresses_redirect_to_current_ones(site: Site) -> None:
    preview, live = (f"http://{label}.localhost:{site.page.port}" for label in (PREVIEW, "bakery"))

    def redirect(response: tuple[int, http.client.HTTPMessage, str]) -> tuple[int, str]:
        return response[0], response[1]["Location"]

    assert redirect(site.request(f"/sites/bakery/session/{THREAD}/menu/")) == (301, f"{preview}/menu/")
    assert redirect(site.request_site("bakery", f"/session/{THREAD}/menu/")) == (301, f"{preview}/menu/")
    assert redirect(site.request("/sites/bakery/menu/")) == (301, f"{live}/menu/")


@pytest.mark.parametrize("path", ["/", "/gone/"])
def test_preview_sends_noindex_and_no_referrer(site: Site, path: str) -> None:
    _, headers, _ = site.request_site(PREVIEW, path)

    assert "noindex" in headers["X-Robots-Tag"]
    assert headers["Referrer-Policy"] == "no-referrer"


def test_live_site_can_be_indexed(site: Site) -> None:
    assert "X-Robots-Tag" not in site.request_site("bakery")[1]


@pytest.mark.parametrize(
    "authorization", ["", "Basic", "Basic ???", f"Basic {b64encode(b'x:wrong').decode()}", "Bearer x"]
)
def test_preview_with_password_rejects_wrong_credentials(site: Site, authorization: str) -> None:
    status, headers, body = site.request_site(f"{THREAD}--garden", Authorization=authorization)

    assert (status, body) == (401, "")
    assert headers["WWW-Authenticate"].startswith("Basic")


def test_preview_with_password_accepts_the_password(site: Site) -> None:
    given = b64encode(f"anybody:{PASSWORD}".encode()).decode()

    assert "flowers" in site.request_site(f"{THREAD}--garden", Authorization=f"Basic {given}")[2]


def test_a_site_cannot_send_mail_through_its_own_host(site: Site) -> None:
    host = f"bakery.localhost:{site.page.port}"

    assert site.request("/send", "POST", "", Host=host, Origin=f"http://{host}")[0] == 405
    assert site.sent == []


def test_console_forbids_external_content_and_framing(site: Site) -> None:
    status, headers, _ = site.request("/")

    assert status == 200
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(("asset", "kind"), [("console.css", "text/css"), ("console.js", "text/javascript")])
def test_page_assets_are_served(site: Site, asset: str, kind: str) -> None:
    status, headers, _ = site.request(f"/assets/{asset}")

    assert status == 200
    assert headers["Content-Type"].startswith(kind)


def test_form_sends_a_mail(site: Site) -> None:
    site.sent.clear()

    assert site.send_form(origin=site.page.address) == 200
    assert site.sent == [("a@example.com", "b@example.com", "s", "t")]


@pytest.mark.parametrize("origin", ["null", "http://example.net", ""])
def test_form_from_another_origin_is_rejected(site: Site, origin: str) -> None:
    site.sent.clear()

    assert site.send_form(origin=origin) == 403
    assert site.sent == []


def test_foreign_host_name_is_rejected(site: Site) -> None:
    assert site.request("/", Host="rebound.example.net")[0] == 421


def test_open_page_receives_changes(site: Site) -> None:
    connection = http.client.HTTPConnection(site.host, timeout=120)
    connection.request("GET", "/events?path=/mailbox")
    response = connection.getresponse()

    assert next(line for line in response if line.startswith(b"event")) == b"event: changed\n"
    connection.close()


def test_console_without_a_deployment_shows_what_it_could_not_read(site: Site) -> None:
    assert "unknown" in site.request("/fleet")[2]
