"""The HTTP server of the model stand-in."""

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from local.model import server
from local.model.steps import ScriptedStep, ToolCall
from tests.support.model_client import StandInClient

REPOSITORY = Path(__file__).parents[3]
HEADERS = {"x-api-key": "made-up", "anthropic-version": "2023-06-01", "content-type": "application/json"}
REQUEST_BODY = {
    "model": "claude-made-up",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": '<mail>change "a" to "b"</mail>'}],
    "tools": [{"name": name} for name in ("Read", "Edit", "Grep")],
}


def post(
    model: StandInClient, path: str = "/v1/messages", body: object = REQUEST_BODY, headers: dict[str, str] = HEADERS
) -> bytes:
    return send(Request(model.url + path, json.dumps(body).encode(), headers))  # noqa: S310


def send(request: Request) -> bytes:
    with urlopen(request) as response:  # noqa: S310 - always the stand-in's address
        return bytes(response.read())


def events(stream: bytes) -> list[dict[str, Any]]:
    lines = stream.decode().splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


def error_of(model: StandInClient, **options: Any) -> tuple[int, dict[str, Any]]:
    with pytest.raises(HTTPError) as error:
        post(model, **options)
    return error.value.code, json.loads(error.value.read())


def test_response_without_streaming_is_one_message(model: StandInClient) -> None:
    message = json.loads(post(model))

    assert message["stop_reason"] == "tool_use"
    assert message["content"][0]["name"] == "Grep"


def test_streamed_response_has_events_in_order(model: StandInClient) -> None:
    model.script(ScriptedStep(text="Hello", tools=(ToolCall(name="Read", input={"file_path": "a"}),)))

    names = [event["type"] for event in events(post(model, body=REQUEST_BODY | {"stream": True}))]

    block = ["content_block_start", "content_block_delta", "content_block_stop"]
    assert names == ["message_start", "ping", *block, *block, "message_delta", "message_stop"]


def test_deltas_of_a_streamed_tool_call_join_to_its_input(model: StandInClient) -> None:
    arguments = {"file_path": "src/pages/index.astro", "old_string": "“x”" * 20}
    model.script(ScriptedStep(tools=(ToolCall(name="Edit", input=arguments),)))

    stream = events(post(model, body=REQUEST_BODY | {"stream": True}))

    deltas = [event["delta"]["partial_json"] for event in stream if event["type"] == "content_block_delta"]
    assert json.loads("".join(deltas)) == arguments


def test_request_without_key_gets_api_error_401(model: StandInClient) -> None:
    status, body = error_of(model, headers={"anthropic-version": "2023-06-01"})

    assert (status, body["type"], body["error"]["type"]) == (401, "error", "authentication_error")


def test_malformed_request_gets_api_error_400(model: StandInClient) -> None:
    status, body = error_of(model, body={"model": "x"})

    assert (status, body["error"]["type"]) == (400, "invalid_request_error")


def test_unknown_path_gets_api_error_404(model: StandInClient) -> None:
    status, body = error_of(model, path="/v1/wishes")

    assert (status, body["error"]["type"]) == (404, "not_found_error")


def test_oversize_request_gets_api_error_413(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server, "MAX_REQUEST_BYTES", 100)
    with server.serving() as small:
        status, body = error_of(StandInClient(small.url))

    assert (status, body["error"]["type"]) == (413, "request_too_large")


def test_tokens_can_be_counted(model: StandInClient) -> None:
    body = {name: value for name, value in REQUEST_BODY.items() if name != "max_tokens"}

    assert json.loads(post(model, "/v1/messages/count_tokens", body))["input_tokens"] > 10


def test_head_request_succeeds(model: StandInClient) -> None:
    assert send(Request(model.url + "/", method="HEAD")) == b""  # noqa: S310


def test_scripted_steps_are_used_in_order_before_the_editor(model: StandInClient) -> None:
    model.script(ScriptedStep(text="one"), ScriptedStep(text="two", times=2))

    texts = [json.loads(post(model))["content"][0].get("text") for _ in range(4)]

    assert texts == ["one", "two", "two", None]


def test_step_with_when_waits_for_a_matching_request(model: StandInClient) -> None:
    model.script(ScriptedStep(text="for b", when="bakery"), ScriptedStep(text="for all"))
    bakery = REQUEST_BODY | {"messages": [{"role": "user", "content": 'The "bakery"'}]}

    texts = [json.loads(post(model, body=body))["content"][0]["text"] for body in (REQUEST_BODY, bakery)]

    assert texts == ["for all", "for b"]


def test_request_without_tools_uses_no_scripted_step(model: StandInClient) -> None:
    model.script(ScriptedStep(text="for the agent"))
    post(model, body=REQUEST_BODY | {"tools": []})

    assert json.loads(post(model))["content"][0]["text"] == "for the agent"


def test_scripted_error_has_its_status_and_type(model: StandInClient) -> None:
    model.script(ScriptedStep(status=529))

    status, body = error_of(model)

    assert (status, body["error"]["type"]) == (529, "overloaded_error")


def test_empty_step_is_rejected(model: StandInClient) -> None:
    status, body = error_of(model, path="/__script", body=[{}])

    assert status == 400
    assert "a step needs text, tools, hang or status" in body["error"]["message"]


def test_hanging_response_can_be_resumed(model: StandInClient) -> None:
    model.script(ScriptedStep(text="Wait", hang=600))
    with ThreadPoolExecutor(1) as executor:
        response = executor.submit(lambda: events(post(model, body=REQUEST_BODY | {"stream": True})))
        model.wait_until_hanging()
        model.resume()
        assert response.result(300)[-1]["type"] == "message_stop"


def test_hanging_response_pings_and_then_ends(model: StandInClient) -> None:
    model.script(ScriptedStep(text="Wait", hang=3))

    names = [event["type"] for event in events(post(model, body=REQUEST_BODY | {"stream": True}))]

    assert names.count("ping") >= 2
    assert names[-1] == "message_stop"


def test_recorded_requests_omit_the_key(model: StandInClient) -> None:
    post(model)

    (recorded,) = model.requests(when="change")
    assert recorded.body == REQUEST_BODY
    assert recorded.answered_by == "editor"
    assert recorded.headers["x-api-key"] == "(removed)"


def test_reset_clears_script_and_requests(model: StandInClient) -> None:
    model.script(ScriptedStep(text="never said"))
    post(model, body=REQUEST_BODY | {"tools": []})

    model.reset()

    assert model.requests() == []
    assert json.loads(post(model))["stop_reason"] == "tool_use"


def test_wait_for_request_raises_after_the_timeout(model: StandInClient) -> None:
    with pytest.raises(TimeoutError, match="got no matching request"):
        model.wait_for_request(when="nothing", seconds=0.1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_program_prints_its_url_and_stops_on_a_signal(number: signal.Signals) -> None:
    command = [sys.executable, "-m", "local.model", "--port", "0"]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        ready = json.loads(program.stdout.readline())
        send(Request(ready["url"], method="HEAD"))  # noqa: S310
        program.send_signal(number)

        assert program.wait(timeout=120) == 0


def test_port_in_use_is_reported(model: StandInClient) -> None:
    port = model.url.rpartition(":")[2]
    command = [sys.executable, "-m", "local.model", "--port", port]

    ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=120)

    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert "the port is in use" in ended.stderr
