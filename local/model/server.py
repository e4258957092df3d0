"""The HTTP server of the stand-in: the Messages API for agents, and `/__script` and `/__log` for tests."""

import contextlib
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from flask import Flask, Response, jsonify, request
from pydantic import TypeAdapter, ValidationError
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException

from local.model.bedrock import MEDIA_TYPE, Bedrock, BedrockError, encode_chunk
from local.model.errors import ApiError, InvalidRequestError
from local.model.messages import CountTokensRequest, MessagesRequest, check_headers, parse_json, parse_request
from local.model.next_turn import next_turn
from local.model.responses import ModelResponse, StreamEvent, encode_event
from local.model.script import RecordedRequest, RequestLog, Script, mentions
from local.model.steps import EDITOR_CALL, SCRIPTED_CALL, ModelStep, ScriptedStep
from local.model.token_count import input_tokens
from local.runtime.serving import WebServer, address_of, listen
from local.runtime.signatures import SignedRequest

MAX_REQUEST_BYTES = 32 * 1024 * 1024
PING_SECONDS = 0.5
SECRET_HEADERS = {"x-api-key", "authorization", "x-amz-security-token"}
Encode = Callable[[StreamEvent], bytes]
STEPS = TypeAdapter(list[ScriptedStep])


def new_id() -> str:
    return uuid.uuid4().hex[:24]


class StandIn:
    """The state that all connections share: script, request log and stop flags."""

    def __init__(self, url: str, bedrock: Bedrock | None = None) -> None:
        self.url = url
        self.bedrock = bedrock
        self.script = Script()
        self.log = RequestLog()
        self.stopping = threading.Event()
        self.resume = threading.Event()  # replaced after each use

    def turn(self, parsed: MessagesRequest, body: Any) -> tuple[ModelStep, float, str]:
        """The next step, the seconds to hang, and the prefix of its tool call ids."""
        scripted = self.script.take(body) if parsed.tools else None
        if scripted is None:
            return next_turn(parsed), 0, EDITOR_CALL
        if scripted.status is not None:
            raise ApiError(scripted.status, scripted.message)
        return scripted, scripted.hang or 0, SCRIPTED_CALL

    def stream(
        self, response: ModelResponse, hang: float, record: RecordedRequest, encode: Encode = encode_event
    ) -> Iterator[bytes]:
        try:
            yield from map(encode, response.opening())
            if isinstance(response.step, ScriptedStep) and response.step.cut:
                return
            resume = self.resume
            self.log.update(record, hanging=hang > 0)
            until = time.monotonic() + hang
            while (remaining := until - time.monotonic()) > 0 and not (self.stopping.is_set() or resume.is_set()):
                yield encode(("ping", {}))
                resume.wait(min(remaining, PING_SECONDS))
            yield from map(encode, response.ending())
        finally:  # also when the client has disconnected
            self.log.update(record, hanging=False)

    def complete(self, response: ModelResponse, hang: float, record: RecordedRequest) -> Response:
        self.log.update(record, hanging=hang > 0)
        self.stopping.wait(hang)
        self.log.update(record, hanging=False)
        return jsonify(response.message())


def create_app(stand_in: StandIn) -> Flask:
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = MAX_REQUEST_BYTES
    _add_agent_routes(app, stand_in)
    _add_test_routes(app, stand_in)

    @app.errorhandler(ApiError)
    def api_error(error: ApiError) -> tuple[Response, int]:
        return jsonify(error.body(f"req_{new_id()}")), error.status

    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> tuple[Response, int]:
        return api_error(ApiError(error.code or 500, error.description or ""))

    return app


def _add_agent_routes(app: Flask, stand_in: StandIn) -> None:
    @app.route("/", methods=["HEAD"])
    def health() -> str:
        return ""

    @app.post("/v1/messages")
    def create_message() -> Response:
        headers = _lower_case(request.headers)
        record = _record(request.get_data(), headers)
        stand_in.log.add(record)
        try:
            check_headers(headers)
            parsed = parse_request(request.get_data(), headers)
            step, hang, call_prefix = stand_in.turn(parsed, record.body)
        except ApiError as error:
            stand_in.log.update(record, answered_by="error", status=error.status)
            raise
        stand_in.log.update(record, answered_by="script" if call_prefix == SCRIPTED_CALL else "editor", status=200)
        response = ModelResponse(parsed, step, call_prefix, new_id)
        if not parsed.stream:
            return stand_in.complete(response, hang, record)
        events = stand_in.stream(response, hang, record)
        return Response(events, mimetype="text/event-stream", headers={"request-id": f"req_{new_id()}"})

    if stand_in.bedrock is not None:
        _add_bedrock_route(app, stand_in, stand_in.bedrock)

    @app.post("/v1/messages/count_tokens")
    def count_tokens() -> Response:
        headers = _lower_case(request.headers)
        check_headers(headers)
        parsed = parse_request(request.get_data(), headers, CountTokensRequest)
        return jsonify(input_tokens=input_tokens(parsed))


def _add_bedrock_route(app: Flask, stand_in: StandIn, bedrock: Bedrock) -> None:
    @app.post("/model/<path:model>/invoke-with-response-stream")
    def invoke_with_response_stream(model: str) -> Response:
        headers = _lower_case(request.headers)
        record = _record(request.get_data(), {**headers, "x-model": model})
        stand_in.log.add(record)
        path = request.environ["REQUEST_URI"]  # as it was sent: the signature covers the encoded path
        signed = SignedRequest("POST", stand_in.url + path, headers, request.get_data())
        try:
            parsed = bedrock.parse(signed, path.split("/")[2])
            step, hang, call_prefix = stand_in.turn(parsed, record.body)
        except ApiError as error:
            refused = error if isinstance(error, BedrockError) else BedrockError(error.status, error.message)
            stand_in.log.update(record, answered_by="error", status=refused.status)
            raise refused from error
        stand_in.log.update(record, answered_by="script" if call_prefix == SCRIPTED_CALL else "editor", status=200)
        response = ModelResponse(parsed, step, call_prefix, new_id)
        events = stand_in.stream(response, hang, record, encode_chunk)
        return Response(events, mimetype=MEDIA_TYPE, headers={"x-amzn-requestid": new_id()})

    @app.errorhandler(BedrockError)
    def bedrock_error(error: BedrockError) -> tuple[Response, int, dict[str, str]]:
        return jsonify(message=error.message), error.status, {"x-amzn-errortype": error.code}


def _add_test_routes(app: Flask, stand_in: StandIn) -> None:
    @app.post("/__script")
    def extend_script() -> tuple[str, int]:
        try:
            stand_in.script.extend(STEPS.validate_json(request.get_data()))
        except ValidationError as error:
            raise InvalidRequestError(f"Invalid script: {error}") from error
        return "", 204

    @app.delete("/__script")
    def reset() -> tuple[str, int]:
        stand_in.script.clear()
        stand_in.log.clear()
        return "", 204

    @app.post("/__resume")
    def resume() -> tuple[str, int]:
        hanging, stand_in.resume = stand_in.resume, threading.Event()
        hanging.set()
        return "", 204

    @app.get("/__log")
    def show_log() -> Response:
        text, only_hanging = request.args.get("when", ""), "hanging" in request.args

        def matches(recorded: RecordedRequest) -> bool:
            return mentions(recorded.body, text) and (recorded.hanging or not only_hanging)

        found = stand_in.log.wait_for(matches, float(request.args.get("wait", 0)))
        return jsonify([recorded.model_dump() for recorded in found])


def _lower_case(headers: Headers) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _record(body: bytes, headers: dict[str, str]) -> RecordedRequest:
    try:
        content = parse_json(body)
    except InvalidRequestError:
        content = body.decode(errors="replace")
    visible = {name: "(removed)" if name in SECRET_HEADERS else value for name, value in headers.items()}
    return RecordedRequest(headers=visible, body=content)


@contextlib.contextmanager
def serving(port: int = 0, bedrock: Bedrock | None = None) -> Iterator[StandIn]:
    """Runs a stand-in for the duration of the block. With `bedrock` it serves Bedrock's runtime as well."""
    listener = listen(port, "The model stand-in", "start it with --port 0 to get a free port")
    stand_in = StandIn(address_of(listener), bedrock)
    server = WebServer(listener, create_app(stand_in))
    server.start()
    try:
        yield stand_in
    finally:
        stand_in.stopping.set()
        server.stop()
