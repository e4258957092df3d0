"""The model proxy: token, Messages API only, usage and budget."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest

from tests.support.model_api import KEY, ModelApi, event, stream
from tests.support.model_proxies import MODEL, anthropic_at, running_proxy
from webordinary_worker.proxies.model_prices import MOST_EXPENSIVE, Tokens, dollars_for, price_of
from webordinary_worker.proxies.model_proxy import MAX_REQUEST_BYTES, ModelProxy
from webordinary_worker.proxies.upstream import Upstream
from webordinary_worker.proxies.usage_meter import UsageReader

MESSAGE = {"model": MODEL, "stream": True, "messages": []}


@pytest.fixture
def api() -> Iterator[ModelApi]:
    with ModelApi().serving() as api:
        yield api


@pytest.fixture
def proxy(api: ModelApi) -> Iterator[ModelProxy]:
    with running_proxy(anthropic_at(api.url), budget=1.0) as proxy:
        yield proxy


def post(
    proxy: ModelProxy,
    path: str = "/v1/messages",
    *,
    method: str = "POST",
    content: Any = MESSAGE,
    **headers: str,
) -> tuple[int, bytes]:
    status, body_received, _ = post_in_full(proxy, path, method=method, content=content, **headers)
    return status, body_received


def post_in_full(
    proxy: ModelProxy,
    path: str = "/v1/messages",
    *,
    method: str = "POST",
    content: Any = MESSAGE,
    **headers: str,
) -> tuple[int, bytes, dict[str, str]]:
    connection = http.client.HTTPConnection(urlsplit(proxy.url).netloc, timeout=120)
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    all_headers = {"x-api-key": proxy.token, **{name.replace("_", "-"): value for name, value in headers.items()}}
    connection.request(method, path, body, all_headers)
    response = connection.getresponse()
    try:
        return response.status, response.read(), dict(response.getheaders())
    finally:
        connection.close()


def test_request_is_forwarded_with_the_real_key_and_response_unchanged(proxy: ModelProxy, api: ModelApi) -> None:
    status, body_received = post(proxy, "/v1/messages?beta=true", anthropic_version="2023-06-01", cookie="no")

    ((path, headers, body),) = api.asked
    assert (status, body_received) == (200, b"".join(api.pieces))
    assert (path, json.loads(body)) == ("/v1/messages?beta=true", MESSAGE)
    assert (headers["x-api-key"], headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert proxy.token not in str(headers)
    assert "cookie" not in headers


def test_usage_of_responses_is_counted(proxy: ModelProxy) -> None:
    post(proxy)
    post(proxy, content={**MESSAGE, "stream": False})

    usage = proxy.meter.usage()
    assert (usage["input_tokens"], usage["output_tokens"]) == (100, 10)  # the second response is a stream all the same
    assert usage["dollars"] == pytest.approx(100 * 3e-6 + 10 * 15e-6)


def test_usage_of_a_response_without_streaming_is_counted(proxy: ModelProxy, api: ModelApi) -> None:
    api.pieces = [json.dumps({"usage": {"input_tokens": 7, "cache_read_input_tokens": 2, "output_tokens": 3}}).encode()]

    post(proxy, content={**MESSAGE, "stream": False})

    assert (proxy.meter.usage()["input_tokens"], proxy.meter.usage()["output_tokens"]) == (9, 3)


def test_counting_tokens_is_free(proxy: ModelProxy, api: ModelApi) -> None:
    assert post(proxy, "/v1/messages/count_tokens")[0] == 200
    assert proxy.meter.usage()["dollars"] == 0


def test_response_is_streamed(proxy: ModelProxy, api: ModelApi) -> None:
    api.waits_after = 2
    connection = http.client.HTTPConnection(urlsplit(proxy.url).netloc, timeout=120)
    connection.request("POST", "/v1/messages", json.dumps(MESSAGE), {"x-api-key": proxy.token})

    first = connection.getresponse().read1(65536)

    assert b"message_start" in first
    assert b"message_stop" not in first


def test_usage_of_an_incomplete_response_is_estimated(proxy: ModelProxy, api: ModelApi) -> None:
    api.pieces = [*stream(text="x" * 3000)[:2], *[event("ping")] * 50]

    post(proxy)

    assert proxy.meter.usage()["output_tokens"] >= 1000


def test_requests_are_refused_once_the_budget_is_spent(proxy: ModelProxy, api: ModelApi) -> None:
    api.pieces = stream(input_tokens=400_000)
    first, second, third = (post(proxy)[0] for _ in range(3))

    assert (first, second, third) == (200, 400, 400)
    assert len(api.asked) == 1
    assert proxy.meter.usage()["over_budget"]


def test_turn_without_budget_sends_no_request(api: ModelApi) -> None:
    with running_proxy(anthropic_at(api.url), budget=-0.5) as proxy:
        assert post(proxy)[0] == 400
    assert api.asked == []


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/messages"),
        ("DELETE", "/v1/messages"),
        ("POST", "/v1/files"),
        ("POST", "/v1/messages/batches"),
        ("POST", "/v1/messages/../files"),
        ("POST", "/v1/messages?x=y"),
        ("POST", "http://example.com/v1/messages"),
        ("CONNECT", "example.com:443"),
        ("BREW", "/v1/messages"),
    ],
)
def test_only_the_messages_api_is_available(proxy: ModelProxy, api: ModelApi, method: str, path: str) -> None:
    assert post(proxy, path, method=method)[0] == 404
    assert api.asked == []


@pytest.mark.parametrize("headers", [{"x_api_key": "guessed"}, {"x_api_key": KEY}, {"x_api_key": ""}])
def test_request_without_the_token_is_not_forwarded(proxy: ModelProxy, api: ModelApi, headers: dict[str, str]) -> None:
    assert post(proxy, **headers)[0] == 401
    assert api.asked == []


def test_on_request_is_called_before_forwarding(proxy: ModelProxy, api: ModelApi) -> None:
    requests: list[int] = []
    proxy.meter.grant(1.0, lambda: requests.append(len(api.asked)))

    post(proxy, content={"model": "a"}, x_api_key="wrong")
    post(proxy)

    assert requests == [0]


def test_token_is_accepted_as_bearer(proxy: ModelProxy) -> None:
    assert post(proxy, x_api_key="", authorization=f"Bearer {proxy.token}")[0] == 200


def test_invalid_or_too_large_request_is_refused(proxy: ModelProxy, api: ModelApi) -> None:
    statuses = [
        post(proxy, content=b"{")[0],
        post(proxy, content=b"[]")[0],
        post(proxy, content_length=str(MAX_REQUEST_BYTES + 1))[0],
        post(proxy, transfer_encoding="chunked")[0],
    ]

    assert statuses == [400, 400, 413, 411]
    assert api.asked == []


def test_key_is_not_sent_to_the_target_of_a_redirect(proxy: ModelProxy, api: ModelApi) -> None:
    api.status, api.headers = 307, {"location": f"{api.url}/elsewhere"}

    post(proxy)

    assert len(api.asked) == 1


def test_api_error_is_relayed_with_its_retry_headers(proxy: ModelProxy, api: ModelApi) -> None:
    expected = {"retry-after": "3", "anthropic-ratelimit-requests-remaining": "0"}
    api.status, api.headers, api.pieces = 529, {**expected, "set-cookie": "x"}, [b"overloaded"]

    status, body_received, headers = post_in_full(proxy)

    assert (status, body_received) == (529, b"overloaded")
    assert expected.items() <= headers.items()
    assert not {"set-cookie", "request-id"} & headers.keys()


def test_unreachable_api_is_a_bad_gateway() -> None:
    with running_proxy(anthropic_at("http://127.0.0.1:9"), budget=1.0) as proxy:
        status, body_received = post(proxy)

    assert status == 502
    assert KEY.encode() not in body_received


def own_listening_ports() -> set[int]:
    """The ports of this process. Another process may get a port as soon as it is free, so connecting proves nothing."""
    connections = psutil.Process().net_connections(kind="tcp")
    return {found.laddr.port for found in connections if found.status == psutil.CONN_LISTEN}


def test_stopped_proxy_refuses_connections(api: ModelApi) -> None:
    with running_proxy(anthropic_at(api.url), budget=1.0) as proxy:
        port = urlsplit(proxy.url).port
        assert port in own_listening_ports()

    assert port not in own_listening_ports()


def test_unknown_model_has_the_highest_price() -> None:
    assert price_of("claude-haiku-4-5").input == 1.0
    assert price_of("unheard-of") == MOST_EXPENSIVE
    assert dollars_for("claude-sonnet-4-5", Tokens(1_000_000, 1_000_000, 1_000_000, 1_000_000)) == pytest.approx(22.05)


@pytest.mark.parametrize(
    ("model", "output"),
    [
        ("claude-opus-4-5", 25.0),
        ("claude-opus-5", 25.0),
        ("claude-opus-5-5", 20.0),
        ("claude-sonnet-4-6", 15.0),
        ("claude-sonnet-5", 10.0),
        ("claude-haiku-5-5", 2.5),
        ("claude-fable-5-1", 50.0),
        ("global.anthropic.claude-opus-5-5", 20.0),
        ("eu.anthropic.claude-opus-5-5", 22.0),
    ],
)
def test_price_of_each_model(model: str, output: float) -> None:
    assert price_of(model).output == output


def test_cache_write_for_an_hour_costs_twice_the_input() -> None:
    reader = UsageReader(stream=False)
    usage = {"cache_creation_input_tokens": 1_000_000, "cache_creation": {"ephemeral_1h_input_tokens": 400_000}}
    reader.feed(json.dumps({"usage": usage}).encode())

    assert dollars_for("claude-opus-4-5", reader.tokens()) == pytest.approx(5 * (0.6 * 1.25 + 0.4 * 2))


def test_upstream_respects_proxy_and_no_proxy() -> None:
    through = Upstream("https://api.example.com", {"HTTPS_PROXY": "http://proxy", "NO_PROXY": "other.example.com"})
    direct = Upstream("https://api.example.com", {"https_proxy": "http://proxy", "no_proxy": ".example.com"})

    assert [upstream._bypasses_proxy() for upstream in (through, direct)] == [False, True]
    assert KEY not in repr(anthropic_at("https://api.example.com"))
