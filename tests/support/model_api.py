"""A model API for tests with fixed responses, which records its requests."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "the-real-key"


def event(kind: str, **more: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n".encode()


def stream(input_tokens: int = 100, output_tokens: int = 10, text: str = "hello") -> list[bytes]:
    """A streamed response."""
    return [
        event("message_start", message={"usage": {"input_tokens": input_tokens, "output_tokens": 1}}),
        event("content_block_delta", delta={"type": "text_delta", "text": text}),
        event("message_delta", delta={}, usage={"output_tokens": output_tokens}),
        event("message_stop"),
    ]


@dataclass
class ModelApi:
    url: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})
    pieces: list[bytes] = field(default_factory=stream)
    asked: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    go_on: threading.Event = field(default_factory=threading.Event)
    waits_after: int | None = None

    @contextmanager
    def serving(self) -> Iterator[ModelApi]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                api.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(api.status)
                for name, value in api.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                for number, piece in enumerate(api.pieces):
                    if number == api.waits_after:
                        api.go_on.wait()
                    with suppress(ConnectionError):  # the client was interrupted
                        self.wfile.write(piece)
                        self.wfile.flush()

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield self
        finally:
            self.go_on.set()
            server.shutdown()
            server.server_close()
