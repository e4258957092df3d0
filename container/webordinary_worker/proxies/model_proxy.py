"""The model's API for one turn of the agent, without its key.

The agent's process gets an address of this machine and a token that is good for this turn only. Requests to the
Messages API with that token go on to the model with the real key; nothing else does. What comes back passes through as
it comes, and is counted on the way. When the budget is spent, requests are refused in a way that Claude Code ends on.
Before the turn begins, all of them are.
"""

from __future__ import annotations

import hmac
import json
import secrets
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import Message
from functools import cached_property
from http import HTTPStatus
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from webordinary.aws import telemetry
from webordinary_worker.proxies.usage_meter import AnswerReader, Meter

UPSTREAM = "https://api.anthropic.com"
MESSAGES, COUNT_TOKENS = "/v1/messages", "/v1/messages/count_tokens"
QUERIES = ("", "beta=true")
PASSED_ON = ("accept", "anthropic-beta", "anthropic-version", "content-type", "user-agent")
PASSED_BACK = ("content-type", "request-id", "retry-after")
LARGEST_REQUEST = 32 * 1024 * 1024
REQUESTS_AT_ONCE = 8
REQUEST_SECONDS = 60
ANSWER_SECONDS = 600
CHUNK_BYTES = 65536
POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Upstream:
    """Where the model is, and what it takes to be let in."""

    url: str
    key: str = field(repr=False)
    network: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_environment(cls, model: Mapping[str, str], network: Mapping[str, str]) -> Upstream:
        return cls(model.get("ANTHROPIC_BASE_URL", UPSTREAM).rstrip("/"), model.get("ANTHROPIC_API_KEY", ""), network)

    @cached_property
    def opener(self) -> urllib.request.OpenerDirector:
        """Made once: reading all certificates takes longer than anything else here."""
        found = {scheme: self._setting(f"{scheme}_proxy") for scheme in ("http", "https")}
        proxies = {scheme: address for scheme, address in found.items() if address and not self._goes_direct()}
        context = ssl.create_default_context()
        if more := self.network.get("NODE_EXTRA_CA_CERTS"):
            context.load_verify_locations(cafile=more)
        return urllib.request.build_opener(
            urllib.request.ProxyHandler(proxies), urllib.request.HTTPSHandler(context=context), _NoRedirects()
        )

    def _goes_direct(self) -> bool:
        host = urllib.request.Request(self.url).host.partition(":")[0]  # noqa: S310 (the operator's address)
        excepted = [entry.strip().lstrip(".") for entry in self._setting("no_proxy").split(",") if entry.strip()]
        return any(host == entry or host.endswith(f".{entry}") or entry == "*" for entry in excepted)

    def _setting(self, name: str) -> str:
        return self.network.get(name) or self.network.get(name.upper()) or ""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key goes to the model and to nobody to whom the model points."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class ModelProxy:
    """A turn's door to the model: closed until its meter is granted a budget, gone when it is stopped."""

    def __init__(self, upstream: Upstream) -> None:
        self._server = _Server(upstream, Meter())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.token = self._server.token
        self.meter = self._server.meter
        serve = threading.Thread(
            target=self._server.serve_forever, args=(POLL_SECONDS,), name="model-proxy", daemon=True
        )
        serve.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def environment(self) -> dict[str, str]:
        return {"ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_API_KEY": self.token}


@contextmanager
def serving(upstream: Upstream, budget: float) -> Iterator[ModelProxy]:
    """A proxy that lives as long as the turn."""
    proxy = ModelProxy(upstream)
    proxy.meter.grant(budget)
    try:
        yield proxy
    finally:
        proxy.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, upstream: Upstream, meter: Meter) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream = upstream
        self.opener = upstream.opener
        self.meter = meter
        self.token = secrets.token_urlsafe(32)
        self.places = threading.BoundedSemaphore(REQUESTS_AT_ONCE)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error; nothing about requests is written to the log."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = REQUEST_SECONDS
    server_version = "webordinary"
    sys_version = ""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # any other method
            return lambda: self._refuse(HTTPStatus.NOT_FOUND, "not_found_error", "There is only the Messages API here.")
        raise AttributeError(name)

    def do_POST(self) -> None:
        path, _, query = self.path.partition("?")
        if path not in (MESSAGES, COUNT_TOKENS) or query not in QUERIES:
            self._refuse(HTTPStatus.NOT_FOUND, "not_found_error", "There is only the Messages API here.")
        elif not self._is_known():
            self._refuse(HTTPStatus.UNAUTHORIZED, "authentication_error", "This token is not good here.")
        elif not self.server.meter.is_open:
            self._refuse(HTTPStatus.FORBIDDEN, "permission_error", "Nobody has asked for anything yet.")
        elif not self.server.places.acquire(blocking=False):
            self._refuse(HTTPStatus.TOO_MANY_REQUESTS, "rate_limit_error", "Too many requests at once.")
        else:
            try:
                self._answer(path)
            finally:
                self.server.places.release()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name that http.server uses)
        pass

    def _is_known(self) -> bool:
        given = self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")
        return hmac.compare_digest(given.encode(), self.server.token.encode())

    def _answer(self, path: str) -> None:
        body = self._body()
        if body is None:
            return
        if path == MESSAGES and not self.server.meter.allow_request():
            # Not a status that clients try again on.
            self._refuse(HTTPStatus.BAD_REQUEST, "invalid_request_error", "The budget of this job is spent.")
            return
        try:
            asked = json.loads(body)
            model = str(asked["model"])
        except (ValueError, KeyError, TypeError):
            self._refuse(HTTPStatus.BAD_REQUEST, "invalid_request_error", "This is no request for a message.")
            return
        stream = bool(asked.get("stream"))
        counted = path == MESSAGES
        self._pass_on(
            path, body, self.server.meter.reader(model, stream=stream) if counted else AnswerReader(stream=stream)
        )

    def _body(self) -> bytes | None:
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or self.headers.get("transfer-encoding"):
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "invalid_request_error", "A request says how long it is.")
            return None
        if int(length) > LARGEST_REQUEST:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "request_too_large", "The request is too large.")
            return None
        return self.rfile.read(int(length))

    def _pass_on(self, path: str, body: bytes, reader: AnswerReader) -> None:
        upstream = self.server.upstream
        headers = {name: self.headers[name] for name in PASSED_ON if name in self.headers}
        request = urllib.request.Request(  # noqa: S310 (the operator's address)
            upstream.url + path + (f"?{QUERIES[1]}" if "?" in self.path else ""),
            data=body,
            headers={**headers, "x-api-key": upstream.key, "accept-encoding": "identity"},
            method="POST",
        )
        try:
            with self.server.opener.open(request, timeout=ANSWER_SECONDS) as answer:
                self._pass_back(answer.status, answer.headers, answer, reader)
        except urllib.error.HTTPError as error:
            with error:
                self._pass_back(error.code, error.headers, error, reader)
        except (OSError, HTTPException) as error:
            telemetry.logger().warning("The model could not be reached.", extra={"cause": str(error)})
            with suppress(OSError):
                self._refuse(HTTPStatus.BAD_GATEWAY, "api_error", "The model could not be reached.")

    def _pass_back(self, status: int, headers: Message, answer: Any, reader: AnswerReader) -> None:
        self.send_response(status)
        for name in (*PASSED_BACK, *(name for name in headers if name.lower().startswith("anthropic-ratelimit"))):
            if name in headers:
                self.send_header(name, headers[name])
        self.send_header("connection", "close")
        self.end_headers()
        while chunk := answer.read1(CHUNK_BYTES):
            reader.feed(chunk)  # first: what the model has said costs, whether or not the agent is still there
            self.wfile.write(chunk)

    def _refuse(self, status: HTTPStatus, kind: str, message: str) -> None:
        content = json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()
        self.close_connection = True
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(content)
