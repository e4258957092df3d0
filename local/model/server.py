"""The HTTP side of the stand-in: the Messages API for agents, and `/__script` and `/__log` for tests."""

import contextlib
import errno
import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pydantic import TypeAdapter, ValidationError

from local.model.answers import Answer, written
from local.model.decide import next_step
from local.model.errors import ApiError, InvalidRequestError, PortInUseError, RequestTooLargeError, UnknownPathError
from local.model.messages import CountTokensRequest, MessagesRequest, check_headers, parse_json, parse_request
from local.model.script import RecordedRequest, RequestLog, Script, mentions
from local.model.steps import EDITOR_CALL, SCRIPTED_CALL, ScriptedStep, Step
from local.model.token_count import input_tokens

LARGEST_REQUEST = 32 * 1024 * 1024
SECONDS_BETWEEN_PINGS = 0.5
SECRET_HEADERS = {"x-api-key", "authorization"}
STEPS = TypeAdapter(list[ScriptedStep])


class StandInServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, clock: Callable[[], float], new_id: Callable[[], str]) -> None:
        self.clock = clock
        self.new_id = new_id
        self.script = Script()
        self.log = RequestLog()
        self.stopping = threading.Event()
        try:
            super().__init__(("127.0.0.1", port), Handler)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortInUseError(port) from error
            raise

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StandInServer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        """Requests are kept in the log that tests read, not printed."""

    def do_HEAD(self) -> None:
        self._answer_nothing(200)

    def do_GET(self) -> None:
        self._serve({"/__log": self._show_log})

    def do_DELETE(self) -> None:
        self._serve({"/__script": self._reset})

    def do_POST(self) -> None:
        routes = {"/__script": self._extend_script}
        self._serve({**routes, "/v1/messages": self._converse, "/v1/messages/count_tokens": self._count_tokens})

    def _serve(self, routes: dict[str, Callable[[bytes], None]]) -> None:
        path = urlsplit(self.path).path
        try:
            body = self._body()
            if path not in routes:
                raise UnknownPathError(path)
            routes[path](body)
        except ApiError as error:
            self._answer_json(error.status, error.body(f"req_{self.server.new_id()}"))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _body(self) -> bytes:
        length = int(self.headers.get("content-length") or 0)
        if length > LARGEST_REQUEST:
            self.close_connection = True
            raise RequestTooLargeError(LARGEST_REQUEST)
        return self.rfile.read(length)

    # For agents

    def _converse(self, body: bytes) -> None:
        record = self._record(body)
        try:
            request = parse_request(body, self._checked_headers())
            step, hang, prefix = self._step(request, record.body)
        except ApiError as error:
            self.server.log.note(record, answered_by="error", status=error.status)
            raise
        self.server.log.note(record, answered_by="script" if prefix == SCRIPTED_CALL else "editor", status=200)
        try:
            self._send(request, Answer(request, step, prefix, self.server.new_id), hang, record)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
            self.server.log.note(record, client_left=True)
        finally:
            self.server.log.note(record, hanging=False)

    def _step(self, request: MessagesRequest, body: Any) -> tuple[Step, float, str]:
        """What to do, how long to hang over it, and whose tool calls these are."""
        scripted = self.server.script.take(body) if request.tools else None
        if scripted is None:
            return next_step(request), 0, EDITOR_CALL
        if scripted.status is not None:
            raise ApiError(scripted.status, scripted.message)
        return scripted, scripted.hang or 0, SCRIPTED_CALL

    def _send(self, request: MessagesRequest, answer: Answer, hang: float, record: RecordedRequest) -> None:
        if not request.stream:
            self.server.log.note(record, hanging=hang > 0)
            self.server.stopping.wait(hang)
            self._answer_json(200, answer.message())
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("request-id", f"req_{self.server.new_id()}")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in answer.opening():
            self.wfile.write(written(event))
        self.server.log.note(record, hanging=hang > 0)
        self._keep_open(hang)
        for event in answer.ending():
            self.wfile.write(written(event))

    def _keep_open(self, seconds: float) -> None:
        until = self.server.clock() + seconds
        while (left := until - self.server.clock()) > 0 and not self.server.stopping.is_set():
            self.wfile.write(written(("ping", {})))
            self.server.stopping.wait(min(left, SECONDS_BETWEEN_PINGS))

    def _count_tokens(self, body: bytes) -> None:
        request = parse_request(body, self._checked_headers(), CountTokensRequest)
        self._answer_json(200, {"input_tokens": input_tokens(request)})

    def _checked_headers(self) -> dict[str, str]:
        headers = {name.lower(): value for name, value in self.headers.items()}
        check_headers(headers)
        return headers

    def _record(self, body: bytes) -> RecordedRequest:
        lowered = ((name.lower(), value) for name, value in self.headers.items())
        headers = {name: "(not kept)" if name in SECRET_HEADERS else value for name, value in lowered}
        try:
            content = parse_json(body)
        except InvalidRequestError:
            content = body.decode(errors="replace")
        now = self.server.clock()
        record = RecordedRequest(at=now, method=self.command, path=self.path, headers=headers, body=content)
        self.server.log.add(record)
        return record

    # For tests

    def _extend_script(self, body: bytes) -> None:
        try:
            steps = STEPS.validate_json(body)
        except ValidationError as error:
            raise InvalidRequestError(f"The script cannot be used: {error}") from error
        self.server.script.extend(steps)
        self._answer_nothing(204)

    def _reset(self, _: bytes) -> None:
        self.server.script.clear()
        self.server.log.clear()
        self._answer_nothing(204)

    def _show_log(self, _: bytes) -> None:
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}

        def wanted(request: RecordedRequest) -> bool:
            return mentions(request.body, query.get("when", "")) and (request.hanging or "hanging" not in query)

        wait = float(query.get("wait", 0))
        found = self.server.log.wait_for(wanted, wait) if wait else self.server.log.find(wanted)
        self._answer_json(200, [request.model_dump() for request in found])

    def _answer_nothing(self, status: int) -> None:
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def _answer_json(self, status: int, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextlib.contextmanager
def serving(
    port: int = 0,
    clock: Callable[[], float] = time.time,
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex[:24],
) -> Iterator[StandInServer]:
    """A stand-in that answers on 127.0.0.1 for as long as the block runs."""
    server = StandInServer(port, clock, new_id)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()
