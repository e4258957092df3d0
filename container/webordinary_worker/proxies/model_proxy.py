"""A proxy to the model's API for one turn of the agent, without the worker's credentials for it.

The agent's process gets a local URL and a token that is valid for this turn only. The provider's adapter decides which
requests with that token are forwarded; nothing else is. Responses are streamed back unchanged, and their usage is
counted. When the budget is spent, requests are refused with an error on which Claude Code ends. Before the turn starts,
all requests are refused.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import urllib.error
import urllib.request
from collections.abc import Iterable
from contextlib import suppress
from email.message import Message
from http import HTTPStatus
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from webordinary.aws import telemetry
from webordinary_worker.proxies.model_api import ModelApi, ModelCall, ModelTrouble, RefusedCallError, trouble_of
from webordinary_worker.proxies.usage_meter import Meter

ONLY_MESSAGES = "Only the Messages API is available."
MAX_REQUEST_BYTES = 32 * 1024 * 1024
MAX_ERROR_BYTES = 64 * 1024
MAX_LOGGED_ERROR = 500
MAX_PARALLEL_REQUESTS = 8
REQUEST_SECONDS = 60
RESPONSE_SECONDS = 600
CHUNK_BYTES = 65536
POLL_SECONDS = 0.02
NO_RETRY = "x-should-retry", "false"


class ModelProxy:
    """The proxy of one turn. It refuses requests until its meter is granted a budget."""

    def __init__(self, api: ModelApi) -> None:
        self._server = _Server(api, Meter())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.token = self._server.token
        self.meter = self._server.meter
        threading.Thread(
            target=self._server.serve_forever, args=(POLL_SECONDS,), name="model-proxy", daemon=True
        ).start()

    @property
    def trouble(self) -> ModelTrouble | None:
        """Why the provider did not complete its last response."""
        return self._server.trouble

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def environment(self) -> dict[str, str]:
        return self._server.api.environment(self.url, self.token)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, api: ModelApi, meter: Meter) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.api = api
        self.opener = api.upstream.opener
        self.meter = meter
        self.token = secrets.token_urlsafe(32)
        self.slots = threading.BoundedSemaphore(MAX_PARALLEL_REQUESTS)
        self.trouble: ModelTrouble | None = None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores clients that disconnect; requests are never logged."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = REQUEST_SECONDS
    server_version = "webordinary"
    sys_version = ""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # any other method
            return lambda: self._refuse(HTTPStatus.NOT_FOUND, ONLY_MESSAGES)
        raise AttributeError(name)

    def do_POST(self) -> None:
        if not self.server.api.serves(self.path):
            self._refuse(HTTPStatus.NOT_FOUND, ONLY_MESSAGES)
        elif not self._has_token():
            self._refuse(HTTPStatus.UNAUTHORIZED, "Invalid token.")
        elif not self.server.meter.is_open:
            self._refuse(HTTPStatus.FORBIDDEN, "The turn has not started.")
        elif not self.server.slots.acquire(blocking=False):
            self._refuse(HTTPStatus.TOO_MANY_REQUESTS, "Too many parallel requests.")
        else:
            try:
                self._respond()
            finally:
                self.server.slots.release()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name that http.server uses)
        pass

    def _has_token(self) -> bool:
        token = self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")
        return hmac.compare_digest(token.encode(), self.server.token.encode())

    def _respond(self) -> None:
        body = self._body()
        if body is None:
            return
        try:
            call = self.server.api.call(self.path, self.headers, body)  # type: ignore[arg-type]  # a mapping of headers
        except RefusedCallError as refused:
            if refused.status >= 500:
                self.server.trouble = ModelTrouble.BUSY
            self._refuse(refused.status, str(refused))
            return
        if call.counted and not self.server.meter.allow_request():
            # A status on which clients do not retry.
            self._refuse(HTTPStatus.BAD_REQUEST, "The budget of this job is spent.")
            return
        if call.counted:
            self.server.meter.register(call.model, call.reader)
        self._forward(call, body)

    def _body(self) -> bytes | None:
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or self.headers.get("transfer-encoding"):
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "Content-Length is required.")
            return None
        if int(length) > MAX_REQUEST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request is too large.")
            return None
        return self.rfile.read(int(length))

    def _forward(self, call: ModelCall, body: bytes) -> None:
        request = urllib.request.Request(  # noqa: S310 (the operator's address)
            call.url, data=body, headers={**call.headers, "accept-encoding": "identity"}, method="POST"
        )
        try:
            with self.server.opener.open(request, timeout=RESPONSE_SECONDS) as response:
                self._relay(call, response)
        except urllib.error.HTTPError as error:
            with error:
                self._relay_error(error)
        except (OSError, HTTPException) as error:
            telemetry.logger().warning(
                "The model is unreachable; the agent gets an error.", extra={"cause": str(error)}
            )
            self.server.trouble = ModelTrouble.BUSY
            with suppress(OSError):
                self._refuse(HTTPStatus.BAD_GATEWAY, "The model is unreachable.")

    def _relay(self, call: ModelCall, response: Any) -> None:
        self._start(response.status, self._relayed(response.headers))
        try:
            while chunk := response.read1(CHUNK_BYTES):
                call.reader.feed(chunk)  # first: it costs money even if the agent has disconnected
                self._write(chunk)
        except _AgentGoneError:
            return
        except (OSError, HTTPException) as error:
            telemetry.logger().warning(
                "The model's response ended early; the agent gets a part of it.", extra={"cause": str(error)}
            )
            call.reader.note_error()
        if call.counted:
            self.server.trouble = ModelTrouble.BUSY if call.reader.is_broken else None

    def _relay_error(self, error: urllib.error.HTTPError) -> None:
        body = error.read(MAX_ERROR_BYTES)
        trouble = self.server.trouble = trouble_of(self.server.api, error.code, body)
        if trouble is not None:
            facts = {"status": error.code, "answer": body[:MAX_LOGGED_ERROR].decode(errors="replace")}
            telemetry.logger().warning(
                "The model's provider rejected a request; the agent gets the error.", extra=facts
            )
        no_retry = [NO_RETRY] if trouble is ModelTrouble.UNAVAILABLE else []
        self._start(error.code, [*self._relayed(error.headers), *no_retry])
        with suppress(_AgentGoneError):
            self._write(body)

    def _relayed(self, headers: Message) -> list[tuple[str, str]]:
        wanted = self.server.api.response_headers
        prefixes = tuple(name for name in wanted if name.endswith("-"))
        return [
            (name, value)
            for name, value in headers.items()
            if name.lower() in wanted or name.lower().startswith(prefixes)
        ]

    def _start(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("connection", "close")
        self.end_headers()

    def _write(self, chunk: bytes) -> None:
        try:
            self.wfile.write(chunk)
        except OSError as error:
            raise _AgentGoneError from error

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        more, content = self.server.api.error(status, message)
        headers = {**more, "content-type": "application/json", "content-length": str(len(content))}
        self.close_connection = True
        self._start(status, [*headers.items(), *([NO_RETRY] if status < 500 else [])])
        self.wfile.write(content)


class _AgentGoneError(Exception):
    """The agent has disconnected."""
