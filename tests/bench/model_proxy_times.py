"""What the model proxy adds to a response, against a direct connection in the same run, for both providers.

The upstream sends events at fixed times, as a model does. The client reads the time to the first event and to the last.
"""

from __future__ import annotations

import http.client
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, urlsplit

from local.model.bedrock import encode_chunk
from tests.support.bedrock import MODEL as BEDROCK_MODEL
from tests.support.bedrock import bedrock_at
from tests.support.model_api import event
from tests.support.model_proxies import MODEL, anthropic_at, running_proxy

ROUNDS = 7
EVENTS, PACE_SECONDS = 100, 0.03
MOST_MILLISECONDS, MOST_SHARE = 20.0, 0.02
Rows = list[tuple[str, float, str]]
BODY = b'{"model": "%b", "max_tokens": 1, "messages": []}' % MODEL.encode()


def rows() -> Rows:
    return [*_rows_of("anthropic"), *_rows_of("bedrock")]


def _rows_of(provider: str) -> Rows:
    with _paced(_pieces(provider)) as url:
        api = anthropic_at(url) if provider == "anthropic" else bedrock_at(url)
        with running_proxy(api, budget=100.0) as proxy:
            headers = {"x-api-key": proxy.token, "authorization": f"Bearer {proxy.token}"}
            times = [(_timed(url, provider, {}), _timed(proxy.url, provider, headers)) for _ in range(ROUNDS)]
    direct, by_proxy = zip(*times, strict=True)
    first = 1000 * (_median(by_proxy, 0) - _median(direct, 0))
    share = _median(by_proxy, 1) / _median(direct, 1) - 1
    measured = f"{first:+.1f} ms to the first event, {100 * share:+.2f} % to a stream of {_median(direct, 1):.1f} s"
    return [
        (f"proxy to {provider}, first event, of its goal", max(first, 0.0) / MOST_MILLISECONDS, measured),
        (f"proxy to {provider}, long stream, of its goal", max(share, 0.0) / MOST_SHARE, measured),
    ]


def _timed(url: str, provider: str, headers: dict[str, str]) -> tuple[float, float]:
    """Seconds to the first and to the last piece of a response."""
    parts = urlsplit(url)
    path = "/v1/messages" if provider == "anthropic" else f"/model/{quote(BEDROCK_MODEL)}/invoke-with-response-stream"
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
    begun = time.perf_counter()
    connection.request("POST", path, BODY, {"content-type": "application/json", **headers})
    response = connection.getresponse()
    if response.status != 200:
        raise RuntimeError(f"{provider} answered {response.status}: {response.read()[:200]!r}")
    response.read1()
    first = time.perf_counter() - begun
    while response.read1():
        pass
    connection.close()
    return first, time.perf_counter() - begun


def _pieces(provider: str) -> list[bytes]:
    given: list[tuple[str, dict[str, Any]]] = [
        ("message_start", {"message": {"usage": {"input_tokens": 100, "output_tokens": 1}}}),
        *(("content_block_delta", {"delta": {"type": "text_delta", "text": "word "}}) for _ in range(EVENTS)),
        ("message_delta", {"delta": {}, "usage": {"output_tokens": EVENTS}}),
        ("message_stop", {}),
    ]
    if provider == "anthropic":
        return [event(kind, **more) for kind, more in given]
    return [encode_chunk((kind, {"type": kind, **more})) for kind, more in given]


@contextmanager
def _paced(pieces: list[bytes]) -> Iterator[str]:
    """An upstream that sends a piece, then waits, as often as there are pieces."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for piece in pieces:
                self.wfile.write(piece)
                self.wfile.flush()
                time.sleep(PACE_SECONDS)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def _median(times: tuple[tuple[float, float], ...], which: int) -> float:
    return statistics.median(one[which] for one in times)
