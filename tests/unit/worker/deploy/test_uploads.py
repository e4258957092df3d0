"""Direct uploads send what `put_object` would send, and fall back to it on any failure."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

import boto3
import pytest
from botocore.config import Config

from webordinary.contract.errors import PairLostError
from webordinary_worker.deploy.preview import lease_checked_writes
from webordinary_worker.deploy.uploads import Uploads

BUCKET = "sites"
HEADERS = {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache"}
CUT_OFF = 0  # instead of a status: closes the connection


HANG_SECONDS = 120  # a shorter one would repeat a request on a busy machine


@dataclass
class Storage:
    """A real server that answers each request with the next status, then with 200."""

    statuses: list[int] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    address: str = ""

    def client(self) -> Any:
        config = Config(retries={"mode": "standard", "max_attempts": 3}, read_timeout=HANG_SECONDS)
        session: Any = boto3.Session("testing", "testing", region_name="eu-west-1")
        return session.client("s3", endpoint_url=self.address, config=config)

    def stored(self) -> dict[str, bytes]:
        return {unquote(path): body for path, _, body in self.requests}


@pytest.fixture
def storage() -> Iterator[Storage]:
    server_state = Storage()

    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_PUT(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            status = server_state.statuses.pop(0) if server_state.statuses else 200
            server_state.requests.append(
                (self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            )
            if status == CUT_OFF:
                self.close_connection = True
                return
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server_state.address = f"http://127.0.0.1:{server.server_address[1]}"
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    serving.start()
    yield server_state
    server.shutdown()
    server.server_close()
    serving.join()


def test_one_request_uploads_the_file_and_its_headers(storage: Storage) -> None:
    Uploads(storage.client(), BUCKET).put("bakery/preview/uploads/фото 1+1.html", b"<p>Hello</p>", HEADERS)

    ((_, headers, _),) = storage.requests
    assert storage.stored() == {"/sites/bakery/preview/uploads/фото 1+1.html": b"<p>Hello</p>"}
    assert (headers["content-type"], headers["cache-control"]) == ("text/html; charset=utf-8", "no-cache")


def test_signature_covers_the_digest(storage: Storage) -> None:
    Uploads(storage.client(), BUCKET).put("index.html", b"<p>Hello</p>", HEADERS)

    ((_, headers, body),) = storage.requests
    signed = headers["authorization"].partition("SignedHeaders=")[2].partition(",")[0].split(";")
    assert headers["x-amz-content-sha256"] == hashlib.sha256(body).hexdigest()
    assert {"host", "x-amz-content-sha256", "x-amz-date", "content-type"} <= set(signed)


@pytest.mark.parametrize(
    ("region", "endpoint"),
    [("eu-west-1", None), ("us-east-1", None), ("cn-north-1", None), ("eu-west-1", "http://127.0.0.1:4566/")],
)
def test_url_equals_that_of_the_client(region: str, endpoint: str | None) -> None:
    session: Any = boto3.Session("testing", "testing", region_name=region)
    client = session.client("s3", endpoint_url=endpoint)
    urls: list[str] = []

    def note(request: Any, **_: Any) -> None:
        urls.append(request.url)
        raise PairLostError("noted, and not sent")

    client.meta.events.register("before-send.s3.PutObject", note)
    for key in ("index.html", "a b/ü+~*'().html", "folder//%41.html", "🎂/?x=1#y.html"):
        with pytest.raises(PairLostError):
            client.put_object(Bucket=BUCKET, Key=key, Body=b"")
        with pytest.raises(PairLostError):
            Uploads(client, BUCKET).put(key, b"", {})

    assert urls[0::2] == urls[1::2]


@pytest.mark.parametrize("status", [503, 500, 307, 403, CUT_OFF])
def test_failed_upload_is_repeated_with_the_client(storage: Storage, status: int) -> None:
    storage.statuses = [status]

    Uploads(storage.client(), BUCKET).put("index.html", b"one", HEADERS)

    (_, _, first), (_, headers, second) = storage.requests
    assert (first, second) == (b"one", b"one")
    assert (headers["content-type"], headers["cache-control"]) == ("text/html; charset=utf-8", "no-cache")


def test_refused_upload_raises_the_clients_error(storage: Storage) -> None:
    client = storage.client()
    storage.statuses = [403, 403]

    with pytest.raises(client.exceptions.ClientError) as refused:
        Uploads(client, BUCKET).put("index.html", b"one", HEADERS)
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403


def test_lease_is_checked_before_every_attempt(storage: Storage) -> None:
    """The first attempt gets a 503, and the lease expires before the second."""
    client = storage.client()
    storage.statuses = [503]

    def once() -> None:
        if storage.requests:
            raise PairLostError("the lease is over")

    with lease_checked_writes(client, once), pytest.raises(PairLostError):
        Uploads(client, BUCKET).put("index.html", b"one", HEADERS)
    assert len(storage.requests) == 1


def test_upload_without_the_lease_sends_nothing(storage: Storage) -> None:
    client = storage.client()

    def never() -> None:
        raise PairLostError("the lease is over")

    with lease_checked_writes(client, never), pytest.raises(PairLostError):
        Uploads(client, BUCKET).put("index.html", b"one", HEADERS)
    assert storage.requests == []
