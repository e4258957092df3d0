"""The model proxy with Bedrock: which requests are signed and forwarded, usage, budget, and errors of the provider."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from botocore.eventstream import EventStreamBuffer
from botocore.exceptions import CredentialRetrievalError

from local.model.bedrock import encode_chunk, frame
from local.model.steps import ScriptedStep
from tests.support.bedrock import EXPIRED, MODEL, PROFILE, REGION, SESSION, bedrock_at, bedrock_stand_in
from tests.support.model_api import ModelApi
from tests.support.model_client import StandInClient
from tests.support.model_proxies import running_proxy
from webordinary_worker.proxies.bedrock_api import BedrockApi
from webordinary_worker.proxies.event_stream import EventStreamReader
from webordinary_worker.proxies.model_api import ModelTrouble
from webordinary_worker.proxies.model_proxy import ModelProxy
from webordinary_worker.proxies.upstream import Upstream

PATH = f"/model/{MODEL}/invoke-with-response-stream"
ASKED = {
    "anthropic_version": "bedrock-2023-05-31",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "Hello"}],
    "tools": [{"name": "Read"}],
}
HELLO = ScriptedStep(text="Hello there.")


@pytest.fixture
def model() -> Iterator[StandInClient]:
    with bedrock_stand_in() as client:
        yield client


@pytest.fixture
def proxy(model: StandInClient) -> Iterator[ModelProxy]:
    with running_proxy(bedrock_at(model.url), budget=1.0) as proxy:
        yield proxy


def post(proxy: ModelProxy, path: str = PATH, *, content: Any = ASKED, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(proxy.url).netloc, timeout=120)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    own = {"authorization": f"Bearer {proxy.token}", "content-type": "application/json", **given}
    connection.request("POST", path, json.dumps(content).encode(), own)
    response = connection.getresponse()
    try:
        return response.status, response.read()
    finally:
        connection.close()


def text_of(stream: bytes) -> str:
    frames = EventStreamBuffer()
    frames.add_data(stream)
    reader = EventStreamReader()
    reader.feed(stream)
    assert not reader.is_broken
    return b"".join(message.payload for message in frames).decode()


def test_request_is_signed_with_the_session_and_accepted(proxy: ModelProxy, model: StandInClient) -> None:
    model.script(HELLO)

    status, stream = post(proxy)

    (asked,) = model.requests()
    assert (status, asked.status, asked.headers["x-model"]) == (200, 200, MODEL)
    assert text_of(stream)
    assert proxy.token not in str(asked.headers)
    assert proxy.trouble is None


def test_model_may_be_encoded_in_the_path(proxy: ModelProxy, model: StandInClient) -> None:
    model.script(HELLO)

    assert post(proxy, PATH.replace(MODEL, quote(MODEL, safe="")))[0] == 200


def test_projects_own_profile_is_invoked_for_its_model(model: StandInClient) -> None:
    api = replace(bedrock_at(model.url), profiles={MODEL: PROFILE})
    with running_proxy(api, budget=1.0) as proxy:
        model.script(HELLO)

        assert post(proxy)[0] == 200
        assert post(proxy, PATH.replace(MODEL, quote(PROFILE, safe="")))[0] == 403
    (asked,) = model.requests()
    assert asked.headers["x-model"] == PROFILE


def test_usage_is_metered_from_the_frames(proxy: ModelProxy, model: StandInClient) -> None:
    model.script(HELLO)
    post(proxy)

    usage = proxy.meter.usage()
    assert usage["input_tokens"] > 0
    assert usage["output_tokens"] > 0
    assert usage["dollars"] > 0


def test_headers_that_change_how_bedrock_answers_are_not_forwarded(proxy: ModelProxy, model: StandInClient) -> None:
    model.script(HELLO)
    post(proxy, x_amzn_bedrock_service_tier="priority", x_amz_security_token="other")

    (asked,) = model.requests()
    assert "x-amzn-bedrock-service-tier" not in asked.headers
    assert asked.status == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (PATH.replace(MODEL, "eu.anthropic.claude-opus-5-5"), 403),
        (PATH.replace(MODEL, MODEL.removeprefix("eu.")), 403),
        (PATH.replace(MODEL, MODEL.replace("eu.", "us.")), 403),
        (PATH.replace(MODEL, f"..%2f{MODEL}"), 403),
        (PATH.replace("-with-response-stream", ""), 404),
        (PATH.replace("invoke-with-response-stream", "converse-stream"), 404),
        (f"{PATH}?region=us-east-1", 404),
        (f"http://bedrock-runtime.us-east-1.amazonaws.com{PATH}", 404),
        (f"/model/x{PATH}", 404),
        ("/inference-profiles?type=SYSTEM_DEFINED", 404),
        ("/v1/messages", 404),
    ],
)
def test_other_models_paths_and_regions_are_refused(
    proxy: ModelProxy, model: StandInClient, path: str, status: int
) -> None:
    assert post(proxy, path)[0] == status
    assert model.requests() == []


@pytest.mark.parametrize("token", ["", "guessed", SESSION.secret_key, SESSION.token])
def test_request_without_the_token_is_refused(proxy: ModelProxy, model: StandInClient, token: str) -> None:
    assert post(proxy, authorization=f"Bearer {token}")[0] == 401
    assert model.requests() == []


def test_requests_are_refused_once_the_budget_is_spent(model: StandInClient) -> None:
    with running_proxy(bedrock_at(model.url), budget=1e-9) as proxy:
        model.script(HELLO)
        statuses = [post(proxy)[0], post(proxy)[0]]

        assert statuses == [200, 400]
        assert proxy.meter.usage()["over_budget"]
    assert len(model.requests()) == 1


def test_expired_session_is_rejected_by_bedrock(model: StandInClient) -> None:
    with running_proxy(bedrock_at(model.url, EXPIRED), budget=1.0) as proxy:
        status, body = post(proxy)

        assert (status, proxy.trouble) == (403, ModelTrouble.UNAVAILABLE)
    assert b"session expired" in body


def test_session_that_cannot_be_renewed_sends_no_request(model: StandInClient) -> None:
    def fail() -> Any:
        raise CredentialRetrievalError(provider="broker", error_msg="no answer")

    api = BedrockApi(Upstream(model.url), REGION, frozenset({MODEL}), fail)
    with running_proxy(api, budget=1.0) as proxy:
        assert post(proxy)[0] == 503
        assert proxy.trouble is ModelTrouble.BUSY
    assert model.requests() == []


def test_unknown_model_is_trouble_for_the_operator(model: StandInClient) -> None:
    unknown = "eu.anthropic.claude-unheard-of"
    with running_proxy(bedrock_at(model.url, models=(unknown,)), budget=1.0) as proxy:
        assert post(proxy, PATH.replace(MODEL, unknown))[0] == 400
        assert proxy.trouble is ModelTrouble.UNAVAILABLE


@pytest.mark.parametrize(
    ("status", "trouble"),
    [
        (429, ModelTrouble.BUSY),
        (529, ModelTrouble.BUSY),
        (500, ModelTrouble.BUSY),
        (403, ModelTrouble.UNAVAILABLE),
        (404, ModelTrouble.UNAVAILABLE),
        (400, None),
    ],
)
def test_errors_of_bedrock_are_classified(
    proxy: ModelProxy, model: StandInClient, status: int, trouble: ModelTrouble | None
) -> None:
    model.script(ScriptedStep(status=status))
    post(proxy)

    assert proxy.trouble is trouble


def test_success_after_throttling_clears_the_trouble(proxy: ModelProxy, model: StandInClient) -> None:
    model.script(ScriptedStep(status=429), HELLO)

    assert [post(proxy)[0], post(proxy)[0]] == [429, 200]
    assert proxy.trouble is None


def test_cut_stream_is_relayed_and_noted(proxy: ModelProxy, model: StandInClient) -> None:
    model.script(ScriptedStep(text="x" * 3000, cut=True))

    assert post(proxy)[0] == 200
    assert proxy.trouble is ModelTrouble.BUSY
    assert proxy.meter.usage()["output_tokens"] >= 1000


def test_frames_are_read_in_any_pieces() -> None:
    start = {"message": {"usage": {"input_tokens": 7, "output_tokens": 1}}}
    stream = encode_chunk(("message_start", start)) + encode_chunk(("message_delta", {"usage": {"output_tokens": 5}}))
    reader = EventStreamReader()
    for position in range(len(stream)):
        reader.feed(stream[position : position + 1])

    assert (reader.tokens().input, reader.tokens().output, reader.is_broken) == (7, 5, False)


@pytest.mark.parametrize(
    "end", [frame("exception", "throttlingException", {"message": "Slow down."}), b"no frame at all" * 9]
)
def test_exception_or_damage_in_the_stream_is_trouble(end: bytes) -> None:
    start = encode_chunk(("message_start", {"message": {"usage": {"input_tokens": 7}}}))
    with ModelApi().serving() as api:
        api.headers, api.pieces = {"content-type": "application/vnd.amazon.eventstream"}, [start, end]
        with running_proxy(bedrock_at(api.url), budget=1.0) as proxy:
            assert post(proxy) == (200, start + end)
            assert (proxy.trouble, proxy.meter.usage()["input_tokens"]) == (ModelTrouble.BUSY, 7)
