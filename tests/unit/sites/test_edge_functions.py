"""The deployed code of the edge functions, with simulated CloudFront and S3."""

from __future__ import annotations

import hashlib
import re
from base64 import b64decode, b64encode
from typing import Any

import pytest

from tests.unit.sites.edge import ask, viewer_code

THREAD = "a" * 26
PREVIEW_HOST = f"{THREAD}--bakery.preview.example.com"
LIVE_HOST = "bakery.sites.example.com"
PASSWORD = {"password/bakery": hashlib.sha256(b"bakery:open: sesame").hexdigest()}


def asked(host: str, path: str = "/", remembered: dict[str, str] | None = None, **headers: str) -> dict[str, Any]:
    return asked_with("a=b", host, path, remembered, live=False, **headers)


def asked_live(query: str | None, host: str, path: str = "/", **headers: str) -> dict[str, Any]:
    return asked_with(query, host, path, None, live=True, **headers)


def asked_with(
    query: str | None, host: str, path: str, remembered: dict[str, str] | None, *, live: bool, **headers: str
) -> dict[str, Any]:
    request = {
        "method": "GET",
        "uri": path,
        "querystring": {"a": {"value": "b"}},
        "headers": {name: {"value": value} for name, value in {"host": host, **headers}.items()},
    }
    question = {
        "event": {"request": request},
        "remembered": remembered or {},
        "code": viewer_code(live=live),
        "query": query,
    }
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
def test_host_and_path_map_to_a_key(host: str, path: str, key: str) -> None:
    answer = asked(host, path)

    assert (answer["uri"], answer["querystring"]) == (key, {})


def test_invalid_host_gets_status_404() -> None:
    assert asked("-.sites.example.com")["statusCode"] == 404


def test_custom_domain_serves_the_live_site() -> None:
    remembered = {"domain/www.bakery.example": "bakery"}

    assert asked("www.bakery.example", remembered=remembered)["uri"] == "/bakery/live/index.html"


def test_old_preview_url_redirects_to_the_new_one() -> None:
    answer = asked(LIVE_HOST, f"/session/{THREAD}/menu/")

    assert (answer["statusCode"], answer["headers"]["location"]["value"]) == (301, f"https://{PREVIEW_HOST}/menu/")


@pytest.mark.parametrize("credentials", [None, "x:wrong", "open: sesame:x", ""])
def test_protected_preview_requires_the_password(credentials: str | None) -> None:
    headers = {} if credentials is None else {"authorization": basic(credentials)}

    assert asked(PREVIEW_HOST, remembered=PASSWORD, **headers)["statusCode"] == 401


def test_protected_preview_is_served_with_the_password() -> None:
    assert "uri" in asked(PREVIEW_HOST, remembered=PASSWORD, authorization=basic("anybody:open: sesame"))


def test_live_site_needs_no_password() -> None:
    assert "uri" in asked(LIVE_HOST, remembered=PASSWORD)


def internal_headers(answer: dict[str, Any]) -> tuple[str | None, str | None]:
    headers = answer["headers"]
    found = [headers.get(name, {}).get("value") for name in ("x-webordinary-host", "x-webordinary-target")]
    return found[0], found[1]


@pytest.mark.parametrize(
    ("path", "query", "target"),
    [
        ("/menu", None, "/menu"),
        ("/@vite/client", "v=1&t=%20x", "/@vite/client?v=1&t=%20x"),
        ("/caf%C3%A9/", "", "/caf%C3%A9/"),
        ("/a.css", "import&direct", "/a.css?import&direct"),
    ],
)
def test_request_carries_path_for_worker_and_key_for_bucket(path: str, query: str | None, target: str) -> None:
    answer = asked_live(query, PREVIEW_HOST, path)

    assert internal_headers(answer) == (PREVIEW_HOST, target)
    assert (answer["uri"], answer["querystring"]) == (asked(PREVIEW_HOST, path)["uri"], {})


def test_internal_headers_of_the_browser_are_ignored() -> None:
    forged = {
        "x-webordinary-host": f"{'b' * 26}--garden.preview.example.com",
        "x-webordinary-target": "/@fs/etc/passwd",
    }

    for host in (PREVIEW_HOST, LIVE_HOST):
        assert internal_headers(asked_live(None, host, **forged)) == (host, "/")


def test_no_internal_headers_without_live_previews() -> None:
    assert internal_headers(asked(PREVIEW_HOST)) == (None, None)


def test_password_is_checked_before_a_worker_is_used() -> None:
    assert asked_with(None, PREVIEW_HOST, "/", PASSWORD, live=True)["statusCode"] == 401


# Headers that an origin-response function may read, but neither remove nor change: CloudFront would answer 502.
READ_ONLY = {
    "transfer-encoding": [{"key": "Transfer-Encoding", "value": "chunked"}],
    "via": [{"key": "Via", "value": "1.1 example"}],
}
FROM_BUCKET = {**READ_ONLY, "content-type": [{"key": "Content-Type", "value": "application/xml"}]}


def missing(path: str, stored: dict[str, str], status: str = "403") -> dict[str, Any]:
    request = {"uri": path, "origin": {"s3": {"domainName": "sites-1.s3.eu-west-1.amazonaws.com"}}}
    event = {"Records": [{"cf": {"request": request, "response": {"status": status, "headers": FROM_BUCKET}}}]}
    answer: dict[str, Any] = ask("origin", [{"event": event, "stored": stored}])[0]
    kept = {name: answer["headers"].get(name) for name in READ_ONLY}
    return answer if kept == READ_ONLY else {"status": "502", "body": ""}


def shown(answer: dict[str, Any]) -> tuple[str, str]:
    return answer["status"], b64decode(answer["body"]).decode()


def test_page_stored_as_a_file_is_found() -> None:
    assert shown(missing("/bakery/live/menu/index.html", {"sites-1/bakery/live/menu.html": "menu"})) == ("200", "menu")


@pytest.mark.parametrize("path", ["/bakery/live/nothing/", "/bakery/live/gone/index.html", "/bakery/live/gone.css"])
def test_missing_file_serves_the_sites_404_page(path: str) -> None:
    stored = {"sites-1/bakery/live/404.html": "lost?", "sites-1/garden/live/gone.css": "not ours"}

    assert shown(missing(path, stored)) == ("404", "lost?")


def test_missing_file_serves_the_404_page_of_its_language() -> None:
    stored = {"sites-1/bakery/live/404.html": "lost?", "sites-1/bakery/live/de/404.html": "verirrt?"}

    assert shown(missing("/bakery/live/de/gone/index.html", stored)) == ("404", "verirrt?")


def test_missing_file_without_a_404_page_gets_a_plain_response() -> None:
    assert shown(missing("/bakery/live/gone.css", {})) == ("404", "Not found\n")


def test_other_bucket_responses_are_passed_through() -> None:
    for status in ("200", "304", "503"):
        assert missing("/bakery/live/index.html", {}, status) == {"status": status, "headers": FROM_BUCKET}


def test_only_keys_of_sites_are_read() -> None:
    stored = {"sites-1/bakery/releases/live.json": "{}", "sites-1/bakery/releases/404.html": "x"}

    assert missing("/bakery/releases/live.json", stored) == {"status": "403", "headers": FROM_BUCKET}


def not_shown_live(path: str, stored: dict[str, str]) -> dict[str, Any]:
    """The response of the fallback function for a preview without a worker."""
    event = {"httpMethod": "GET", "path": path, "headers": {}, "requestContext": {"elb": {}}}
    answer: dict[str, Any] = ask("target", [{"event": event, "stored": stored, "bucket": "sites-1"}])[0]
    return answer


def preview(path: str) -> str:
    return f"/bakery/preview/{THREAD}/{path}"


def test_existing_file_is_left_to_the_bucket_with_status_503() -> None:
    for path, key in (("a.css", "a.css"), ("caf%C3%A9/index.html", "café/index.html")):
        assert not_shown_live(preview(path), {f"sites-1{preview(key)}": "x"})["statusCode"] == 503


@pytest.mark.parametrize(
    "path", [f"/bakery/preview/{THREAD}/%2e%2e/%2e%2e/live/x.css", "/bakery/releases/live.json", "/"]
)
def test_only_keys_of_sites_are_read_after_the_load_balancer(path: str) -> None:
    assert not_shown_live(path, {"sites-1/bakery/live/404.html": "lost?"})["statusCode"] == 503


@pytest.mark.parametrize(
    ("stored", "status", "words"),
    [
        ({"menu.html": "menu", "404.html": "lost?"}, 200, "menu"),
        ({"404.html": "lost?"}, 404, "lost?"),
        ({}, 404, "Not found\n"),
        ({"menu.html": "x" * 700_001, "404.html": "lost?"}, 404, "lost?"),
    ],
)
def test_other_forms_of_a_page_are_found_after_the_load_balancer(
    stored: dict[str, str], status: int, words: str
) -> None:
    answer = not_shown_live(
        preview("menu/index.html"), {f"sites-1{preview(name)}": file for name, file in stored.items()}
    )

    assert (answer["statusCode"], b64decode(answer["body"]).decode()) == (status, words)
    assert answer["headers"]["Cache-Control"] == "no-cache"


def test_missing_page_has_headers_of_the_found_file() -> None:
    answer = missing("/bakery/live/menu/index.html", {"sites-1/bakery/live/menu.html": "menu"})

    assert answer["headers"]["content-type"] == [{"key": "Content-Type", "value": "text/html"}]
    assert set(answer["headers"]) == {*READ_ONLY, "content-type", "cache-control"}


def test_bucket_without_read_only_headers_adds_none() -> None:
    request = {"uri": "/bakery/live/gone", "origin": {"s3": {"domainName": "sites-1.s3.eu-west-1.amazonaws.com"}}}
    event = {"Records": [{"cf": {"request": request, "response": {"status": "404", "headers": {}}}}]}
    answer = ask("origin", [{"event": event, "stored": {}}])[0]

    assert set(answer["headers"]) == {"content-type", "cache-control"}


def test_constants_are_declared_before_the_functions_that_use_them() -> None:
    code = viewer_code(live=True)

    assert re.search(r"^const ", code[code.index("async function handler") :], re.MULTILINE) is None
    assert code.index("const CONTRACT") < code.index("function fill")


def test_patterns_are_valid_in_older_javascript_engines() -> None:
    assert "[^]" not in viewer_code(live=True)


def test_function_is_within_the_cloudfront_size_limit() -> None:
    assert len(viewer_code(live=True).encode()) < 10 * 1024


def test_failing_store_gets_status_503() -> None:
    assert asked(PREVIEW_HOST, remembered={"broken": "yes"})["statusCode"] == 503


@pytest.mark.parametrize("host", ["bakery.customer.com", "bakery.example.com", "bakery.sites.example.com.evil.example"])
def test_label_of_another_domain_shows_no_site(host: str) -> None:
    assert asked(host)["statusCode"] == 404
