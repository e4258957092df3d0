"""What the edge answers: CloudFront's and S3's parts are played, the code is the one that is deployed."""

from __future__ import annotations

import hashlib
from base64 import b64decode, b64encode
from typing import Any

import pytest

from tests.unit.sites_at_the_edge.edge import EDGE, ask

THREAD = "a" * 26
PREVIEW_HOST = f"{THREAD}--bakery.preview.example.com"
LIVE_HOST = "bakery.sites.example.com"
PASSWORD = {"password/bakery": hashlib.sha256(b"bakery:open: sesame").hexdigest()}


def asked(host: str, path: str = "/", remembered: dict[str, str] | None = None, **headers: str) -> dict[str, Any]:
    request = {
        "method": "GET",
        "uri": path,
        "querystring": {"a": {"value": "b"}},
        "headers": {name: {"value": value} for name, value in {"host": host, **headers}.items()},
    }
    question = {"event": {"request": request}, "remembered": remembered or {}, "previewDomain": "preview.example.com"}
    answer: dict[str, Any] = ask("viewer", [question])[0]
    return answer


def basic(credentials: str) -> str:
    return "Basic " + b64encode(credentials.encode()).decode()


@pytest.mark.parametrize(
    ("host", "path", "key"),
    [
        (LIVE_HOST, "/", "/bakery/live/index.html"),
        (PREVIEW_HOST, "/menu", f"/bakery/preview/{THREAD}/menu/index.html"),
        (LIVE_HOST.upper(), "/a.css", "/bakery/live/a.css"),
        (LIVE_HOST, "/%2e%2e/releases/live.json", "/bakery/live/nothing/"),
    ],
)
def test_host_and_path_become_a_key(host: str, path: str, key: str) -> None:
    answer = asked(host, path)

    assert (answer["uri"], answer["querystring"]) == (key, {})


def test_a_host_of_nobody_is_not_looked_for() -> None:
    assert asked("-.sites.example.com")["statusCode"] == 404


def test_a_domain_of_its_own_shows_the_projects_live_site() -> None:
    remembered = {"domain/www.bakery.example": "bakery"}

    assert asked("www.bakery.example", remembered=remembered)["uri"] == "/bakery/live/index.html"


def test_an_old_preview_address_leads_to_the_new_one() -> None:
    answer = asked(LIVE_HOST, f"/session/{THREAD}/menu/")

    assert (answer["statusCode"], answer["headers"]["location"]["value"]) == (301, f"https://{PREVIEW_HOST}/menu/")


@pytest.mark.parametrize("credentials", [None, "x:wrong", "open: sesame:x", ""])
def test_a_preview_with_a_password_is_shown_to_nobody_without_it(credentials: str | None) -> None:
    headers = {} if credentials is None else {"authorization": basic(credentials)}

    assert asked(PREVIEW_HOST, remembered=PASSWORD, **headers)["statusCode"] == 401


def test_a_preview_with_a_password_is_shown_to_who_knows_it() -> None:
    assert "uri" in asked(PREVIEW_HOST, remembered=PASSWORD, authorization=basic("anybody:open: sesame"))


def test_a_live_site_needs_no_password() -> None:
    assert "uri" in asked(LIVE_HOST, remembered=PASSWORD)


def missing(path: str, stored: dict[str, str], status: str = "403") -> dict[str, Any]:
    request = {"uri": path, "origin": {"s3": {"domainName": "sites-1.s3.eu-west-1.amazonaws.com"}}}
    event = {"Records": [{"cf": {"request": request, "response": {"status": status, "headers": {}}}}]}
    answer: dict[str, Any] = ask("origin", [{"event": event, "stored": stored}])[0]
    return answer


def shown(answer: dict[str, Any]) -> tuple[str, str]:
    return answer["status"], b64decode(answer["body"]).decode()


def test_a_page_that_is_a_file_is_found() -> None:
    assert shown(missing("/bakery/live/menu/index.html", {"sites-1/bakery/live/menu.html": "menu"})) == ("200", "menu")


@pytest.mark.parametrize("path", ["/bakery/live/nothing/", "/bakery/live/gone/index.html", "/bakery/live/gone.css"])
def test_what_is_missing_shows_the_sites_own_page_with_status_404(path: str) -> None:
    stored = {"sites-1/bakery/live/404.html": "lost?", "sites-1/garden/live/gone.css": "not ours"}

    assert shown(missing(path, stored)) == ("404", "lost?")


def test_a_language_has_a_page_of_its_own_for_what_is_missing() -> None:
    stored = {"sites-1/bakery/live/404.html": "lost?", "sites-1/bakery/live/de/404.html": "verirrt?"}

    assert shown(missing("/bakery/live/de/gone/index.html", stored)) == ("404", "verirrt?")


def test_a_site_without_such_a_page_is_answered_plainly() -> None:
    assert shown(missing("/bakery/live/gone.css", {})) == ("404", "Not found\n")


def test_what_the_bucket_has_or_trouble_with_it_is_passed_on() -> None:
    for status in ("200", "304", "503"):
        assert missing("/bakery/live/index.html", {}, status) == {"status": status, "headers": {}}


def test_nothing_but_sites_is_looked_for() -> None:
    stored = {"sites-1/bakery/releases/live.json": "{}", "sites-1/bakery/releases/404.html": "x"}

    assert missing("/bakery/releases/live.json", stored) == {"status": "403", "headers": {}}


def test_the_function_fits_into_what_cloudfront_takes() -> None:
    code = sum(len((EDGE / name).read_bytes()) for name in ("viewer_request.js", "rules.js"))

    assert code + 1000 < 10 * 1024  # the contract's part comes on top
