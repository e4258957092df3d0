"""A proxy to the model's API for one turn of the agent, without the API key.

The agent's process gets a local URL and a token that is valid for this turn only. Requests to the Messages API with
that token are forwarded with the real key; nothing else is. Responses are streamed back, and their usage is counted.
When the budget is spent, requests are refused with an error on which Claude Code ends. Before the turn starts, all
requests are refused.
"""

from __future__ import annotations

import hmac
import json
import secrets
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from functools import cached_property
from http import HTTPStatus
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from webordinary.aws import telemetry
from webordinary_worker.proxies.usage_meter import Meter, UsageReader

UPSTREAM = "https://api.anthropic.com"
MESSAGES, COUNT_TOKENS = "/v1/messages", "/v1/messages/count_tokens"
QUERIES = ("", "beta=true")
ONLY_MESSAGES = "Only the Messages API is available."
REQUEST_HEADERS = ("accept", "anthropic-beta", "anthropic-version", "content-type", "user-agent")
RESPONSE_HEADERS = ("content-type", "request-id", "retry-after")
MAX_REQUEST_BYTES = 32 * 1024 * 1024
MAX_PARALLEL_REQUESTS = 8
REQUEST_SECONDS = 60
RESPONSE_SECONDS = 600
CHUNK_BYTES = 65536
POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Upstream:
    """The URL and the key of the model's API."""

    url: str
    key: str = field(repr=False)
    network: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_environment(cls, model: Mapping[str, str], network: Mapping[str, str]) -> Upstream:
        return cls(model.get("ANTHROPIC_BASE_URL", UPSTREAM).rstrip("/"), model.get("ANTHROPIC_API_KEY", ""), network)

    @cached_property
    def opener(self) -> urllib.request.OpenerDirector:
        """Created once, because loading all certificates is slow."""
        found = {scheme: self._setting(f"{scheme}_proxy") for scheme in ("http", "https")}
        proxies = {scheme: address for scheme, address in found.items() if address and not self._bypasses_proxy()}
        context = ssl.create_default_context()
        if certificates := self.network.get("NODE_EXTRA_CA_CERTS"):
            context.load_verify_locations(cafile=certificates)
        return urllib.request.build_opener(
            urllib.request.ProxyHandler(proxies), urllib.request.HTTPSHandler(context=context), _NoRedirects()
        )

    def _bypasses_proxy(self) -> bool:
        host = urllib.request.Request(self.url).host.partition(":")[0]  # noqa: S310 (the operator's address)
        excepted = [entry.strip().lstrip(".") for entry in self._setting("no_proxy").split(",") if entry.strip()]
        return any(host == entry or host.endswith(f".{entry}") or entry == "*" for entry in excepted)

    def _setting(self, name: str) -> str:
        return self.network.get(name) or self.network.get(name.upper()) or ""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key must not be sent to the target of a redirect."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class ModelProxy:
    """The proxy of one turn. It refuses requests until its meter is granted a budget."""

    def __init__(self, upstream: Upstream) -> None:
        self._server = _Server(upstream, Meter())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.token = self._server.token
        self.meter = self._server.meter
        threading.Thread(
            target=self._server.serve_forever, args=(POLL_SECONDS,), name="model-proxy", daemon=True
        ).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def environment(self) -> dict[str, str]:
        return {"ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_API_KEY": self.token}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, upstream: Upstream, meter: Meter) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream = upstream
        self.opener = upstream.opener
        self.meter = meter
        self.token = secrets.token_urlsafe(32)
        self.slots = threading.BoundedSemaphore(MAX_PARALLEL_REQUESTS)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores clients that disconnect; requests are never logged."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = REQUEST_SECONDS
    server_version = "webordinary"
    sys_version = ""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # any other method
            return lambda: self._refuse(HTTPStatus.NOT_FOUND, "not_found_error", ONLY_MESSAGES)
        raise AttributeError(name)

    def do_POST(self) -> None:
        path, _, query = self.path.partition("?")
        if path not in (MESSAGES, COUNT_TOKENS) or query not in QUERIES:
            self._refuse(HTTPStatus.NOT_FOUND, "not_found_error", ONLY_MESSAGES)
        elif not self._has_token():
            self._refuse(HTTPStatus.UNAUTHORIZED, "authentication_error", "Invalid token.")
        elif not self.server.meter.is_open:
            self._refuse(HTTPStatus.FORBIDDEN, "permission_error", "The turn has not started.")
        elif not self.server.slots.acquire(blocking=False):
            self._refuse(HTTPStatus.TOO_MANY_REQUESTS, "rate_limit_error", "Too many parallel requests.")
        else:
            try:
                self._respond(path)
            finally:
                self.server.slots.release()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name that http.server uses)
        pass

    def _has_token(self) -> bool:
        token = self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")
        return hmac.compare_digest(token.encode(), self.server.token.encode())

    def _respond(self, path: str) -> None:
        body = self._body()
        if body is None:
            return
        if path == MESSAGES and not self.server.meter.allow_request():
            # A status on which clients do not retry.
            self._refuse(HTTPStatus.BAD_REQUEST, "invalid_request_error", "The budget of this job is spent.")
            return
        try:
            request = json.loads(body)
            model = str(request["model"])
        except (ValueError, KeyError, TypeError):
            self._refuse(HTTPStatus.BAD_REQUEST, "invalid_request_error", "Not a valid Messages request.")
            return
        stream = bool(request.get("stream"))
        counted = path == MESSAGES
        self._forward(
            path, body, self.server.meter.reader(model, stream=stream) if counted else UsageReader(stream=stream)
        )

    def _body(self) -> bytes | None:
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or self.headers.get("transfer-encoding"):
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "invalid_request_error", "Content-Length is required.")
            return None
        if int(length) > MAX_REQUEST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "request_too_large", "The request is too large.")
            return None
        return self.rfile.read(int(length))

    def _forward(self, path: str, body: bytes, reader: UsageReader) -> None:
        upstream = self.server.upstream
        headers = {name: self.headers[name] for name in REQUEST_HEADERS if name in self.headers}
        request = urllib.request.Request(  # noqa: S310 (the operator's address)
            upstream.url + path + (f"?{QUERIES[1]}" if "?" in self.path else ""),
            data=body,
            headers={**headers, "x-api-key": upstream.key, "accept-encoding": "identity"},
            method="POST",
        )
        try:
            with self.server.opener.open(request, timeout=RESPONSE_SECONDS) as response:
                self._relay(response.status, response.headers, response, reader)
        except urllib.error.HTTPError as error:
            with error:
                self._relay(error.code, error.headers, error, reader)
        except (OSError, HTTPException) as error:
            telemetry.logger().warning(
                "The model is unreachable; the agent gets an error.", extra={"cause": str(error)}
            )
            with suppress(OSError):
                self._refuse(HTTPStatus.BAD_GATEWAY, "api_error", "The model is unreachable.")

    def _relay(self, status: int, headers: Message, response: Any, reader: UsageReader) -> None:
        self.send_response(status)
        for name in (*RESPONSE_HEADERS, *(name for name in headers if name.lower().startswith("anthropic-ratelimit"))):
            if name in headers:
                self.send_header(name, headers[name])
        self.send_header("connection", "close")
        self.end_headers()
        while chunk := response.read1(CHUNK_BYTES):
            reader.feed(chunk)  # first: it costs money even if the agent has disconnected
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
