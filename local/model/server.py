"""The HTTP side of the stand-in: the Messages API for agents, and `/__script` and `/__log` for tests."""

import contextlib
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any

from flask import Flask, Response, jsonify, request
from pydantic import TypeAdapter, ValidationError
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException

from local.model.errors import ApiError, InvalidRequestError
from local.model.messages import CountTokensRequest, MessagesRequest, check_headers, parse_json, parse_request
from local.model.next_turn import next_turn
from local.model.responses import ModelResponse, encode_event
from local.model.script import RecordedRequest, RequestLog, Script, mentions
from local.model.steps import EDITOR_CALL, SCRIPTED_CALL, ModelStep, ScriptedStep
from local.model.token_count import input_tokens
from local.runtime.serving import WebServer, address_of, listen

LARGEST_REQUEST = 32 * 1024 * 1024
SECONDS_BETWEEN_PINGS = 0.5
SECRET_HEADERS = {"x-api-key", "authorization"}
STEPS = TypeAdapter(list[ScriptedStep])


def new_id() -> str:
    return uuid.uuid4().hex[:24]


class StandIn:
    """What all connections share: what tests have laid down, what was asked, and whether it is time to stop."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.script = Script()
        self.log = RequestLog()
        self.stopping = threading.Event()
        self.go_on = threading.Event()  # replaced whenever it was set

    def turn(self, asked: MessagesRequest, body: Any) -> tuple[ModelStep, float, str]:
        """What to do, how long to hang over it, and whose tool calls these are."""
        scripted = self.script.take(body) if asked.tools else None
        if scripted is None:
            return next_turn(asked), 0, EDITOR_CALL
        if scripted.status is not None:
            raise ApiError(scripted.status, scripted.message)
        return scripted, scripted.hang or 0, SCRIPTED_CALL

    def stream(self, answer: ModelResponse, hang: float, record: RecordedRequest) -> Iterator[bytes]:
        try:
            yield from map(encode_event, answer.opening())
            go_on = self.go_on
            self.log.note(record, hanging=hang > 0)
            until = time.monotonic() + hang
            while (left := until - time.monotonic()) > 0 and not (self.stopping.is_set() or go_on.is_set()):
                yield encode_event(("ping", {}))
                go_on.wait(min(left, SECONDS_BETWEEN_PINGS))
            yield from map(encode_event, answer.ending())
        finally:  # also when the client has left
            self.log.note(record, hanging=False)

    def whole(self, answer: ModelResponse, hang: float, record: RecordedRequest) -> Response:
        self.log.note(record, hanging=hang > 0)
        self.stopping.wait(hang)
        self.log.note(record, hanging=False)
        return jsonify(answer.message())


def create_app(stand_in: StandIn) -> Flask:
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_REQUEST
    _answer_agents(app, stand_in)
    _answer_tests(app, stand_in)

    @app.errorhandler(ApiError)
    def refuse(error: ApiError) -> tuple[Response, int]:
        return jsonify(error.body(f"req_{new_id()}")), error.status

    @app.errorhandler(HTTPException)
    def refuse_in_the_words_of_the_api(error: HTTPException) -> tuple[Response, int]:
        return refuse(ApiError(error.code or 500, error.description or ""))

    return app


def _answer_agents(app: Flask, stand_in: StandIn) -> None:
    @app.route("/", methods=["HEAD"])
    def is_there() -> str:
        return ""

    @app.post("/v1/messages")
    def converse() -> Response:
        headers = _lowered(request.headers)
        record = _record(request.get_data(), headers)
        stand_in.log.add(record)
        try:
            check_headers(headers)
            asked = parse_request(request.get_data(), headers)
            step, hang, call_prefix = stand_in.turn(asked, record.body)
        except ApiError as error:
            stand_in.log.note(record, answered_by="error", status=error.status)
            raise
        stand_in.log.note(record, answered_by="script" if call_prefix == SCRIPTED_CALL else "editor", status=200)
        answer = ModelResponse(asked, step, call_prefix, new_id)
        if not asked.stream:
            return stand_in.whole(answer, hang, record)
        events = stand_in.stream(answer, hang, record)
        return Response(events, mimetype="text/event-stream", headers={"request-id": f"req_{new_id()}"})

    @app.post("/v1/messages/count_tokens")
    def count_tokens() -> Response:
        headers = _lowered(request.headers)
        check_headers(headers)
        asked = parse_request(request.get_data(), headers, CountTokensRequest)
        return jsonify(input_tokens=input_tokens(asked))


def _answer_tests(app: Flask, stand_in: StandIn) -> None:
    @app.post("/__script")
    def extend_script() -> tuple[str, int]:
        try:
            stand_in.script.extend(STEPS.validate_json(request.get_data()))
        except ValidationError as error:
            raise InvalidRequestError(f"The script cannot be used: {error}") from error
        return "", 204

    @app.delete("/__script")
    def reset() -> tuple[str, int]:
        stand_in.script.clear()
        stand_in.log.clear()
        return "", 204

    @app.post("/__go_on")
    def let_go_on() -> tuple[str, int]:
        hanging, stand_in.go_on = stand_in.go_on, threading.Event()
        hanging.set()
        return "", 204

    @app.get("/__log")
    def show_log() -> Response:
        words, only_hanging = request.args.get("when", ""), "hanging" in request.args

        def wanted(recorded: RecordedRequest) -> bool:
            return mentions(recorded.body, words) and (recorded.hanging or not only_hanging)

        found = stand_in.log.wait_for(wanted, float(request.args.get("wait", 0)))
        return jsonify([recorded.model_dump() for recorded in found])


def _lowered(headers: Headers) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _record(body: bytes, headers: dict[str, str]) -> RecordedRequest:
    try:
        content = parse_json(body)
    except InvalidRequestError:
        content = body.decode(errors="replace")
    kept = {name: "(not kept)" if name in SECRET_HEADERS else value for name, value in headers.items()}
    return RecordedRequest(headers=kept, body=content)


@contextlib.contextmanager
def serving(port: int = 0) -> Iterator[StandIn]:
    """A stand-in that answers for as long as the block runs."""
    listener = listen(port, "The stand-in for the model", "start it with --port 0 to get a free port")
    stand_in = StandIn(address_of(listener))
    server = WebServer(listener, create_app(stand_in))
    server.start()
    try:
        yield stand_in
    finally:
        stand_in.stopping.set()
        server.stop()
