"""Records the requests that change the emulator's resources, and replays them in another emulator.

    POST /recording/start    handles one request at a time from now on and records every successful change:
                             {"archives": [digest, ...]}
    POST /recording/stop     returns the recorded requests: {"requests": [...]}
    POST /recording/replay   handles recorded requests: {"requests": [...], "archives": {digest: file}}

moto's random numbers are seeded before every recorded request, so a replay generates the same ids. An upload to S3, in
one or in several parts, is recorded as one PUT. If its content is one of the archives, only the digest is recorded, and
a replay reads the content from a file.
"""

import hashlib
import io
import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from moto.moto_api._internal import mock_random
from werkzeug.test import create_environ, run_wsgi_app
from werkzeug.wrappers import Response

from local.emulator.call_log import operation_of

PATH = "/recording/"
# The names of calls that change nothing. A read that is missing here is replayed, which takes time but does no harm.
READING_CALL = re.compile(r"(?:BatchGet|Describe|Get|Head|List|Lookup|Query|Scan|Search|Validate)")
# Differ between two emulators, or describe an upload in parts.
DROPPED_HEADERS = re.compile(
    r"Host|Content-Length|User-Agent|Transfer-Encoding|Content-Encoding|Content-Md5|Amz-Sdk-.*|Accept-Encoding|"
    r"X-Amz-(?:Content-Sha256|Trailer|Decoded-Content-Length|Checksum-.*)"
)

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


class ReplayError(Exception):
    """A recorded request cannot be replayed; the message says which and why."""


@dataclass(frozen=True)
class RecordedCall:
    """`body` holds bytes as characters (latin-1), or is empty if `archive` is the digest of the content."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: str = ""
    archive: str = ""


class Recording:
    """WSGI middleware that handles the paths above and passes all other requests on."""

    def __init__(self, endpoint: str, application: Application) -> None:
        self._endpoint = endpoint
        self._application = application
        self._lock = threading.Lock()
        self._is_recording = False
        self._recorded: list[RecordedCall] = []
        self._archives: set[str] = set()
        self._uploads: dict[str, dict[str, str]] = {}  # headers of uploads in parts, by path

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if path.startswith(PATH):
            status, answer = self._control(path.removeprefix(PATH), environ)
            return Response(json.dumps(answer), status, mimetype="application/json")(environ, start_response)
        if not self._is_recording:
            return self._application(environ, start_response)
        with self._lock:
            return self._record(environ, start_response)

    def _control(self, command: str, environ: dict[str, Any]) -> tuple[HTTPStatus, dict[str, Any]]:
        if command == "start":
            self._archives = set(json.loads(environ["wsgi.input"].read())["archives"])
            self._is_recording = True
            return HTTPStatus.OK, {}
        if command == "stop":
            return HTTPStatus.OK, {"requests": self._stop()}
        if command == "replay":
            return self._replay(json.loads(environ["wsgi.input"].read()))
        return HTTPStatus.NOT_FOUND, {"message": f"unknown command: {command}"}

    def _record(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        body = environ["wsgi.input"].read()
        environ["wsgi.input"] = io.BytesIO(body)
        if _only_reads(environ, body):
            return self._application(environ, start_response)
        status: list[str] = []

        def respond(line: str, headers: Any, error: Any = None) -> Any:
            status.append(line)
            return start_response(line, headers, error)

        mock_random.seed(len(self._recorded))
        response = b"".join(self._application(environ, respond))
        if int(status[-1].split()[0]) < HTTPStatus.BAD_REQUEST:
            self._keep(environ, body)
        return [response]

    def _keep(self, environ: dict[str, Any], body: bytes) -> None:
        method, path, query = (str(environ[name]) for name in ("REQUEST_METHOD", "PATH_INFO", "QUERY_STRING"))
        headers = _headers(environ)
        parameters = parse_qs(query, keep_blank_values=True)
        is_s3 = "/s3/" in headers.get("Authorization", "")
        if is_s3 and "uploads" in parameters:
            self._uploads[path] = headers
        elif is_s3 and "uploadId" in parameters:
            if method == "POST":  # all parts have been uploaded
                self._keep_upload(path, self._uploads.pop(path))
        elif is_s3 and method == "PUT" and "/" in path.strip("/") and parameters.keys() <= {"x-id"}:
            self._keep_upload(path, headers)
        else:
            self._recorded.append(RecordedCall(method, path, query, headers, body.decode("latin-1")))

    def _keep_upload(self, path: str, headers: dict[str, str]) -> None:
        stored = create_environ(path, self._endpoint, headers={"Authorization": headers["Authorization"]})
        chunks, _, _ = run_wsgi_app(self._application, stored, buffered=True)
        content = b"".join(chunks)
        digest = hashlib.sha256(content).hexdigest()
        is_archive = digest in self._archives
        body, archive = ("", digest) if is_archive else (content.decode("latin-1"), "")
        self._recorded.append(RecordedCall("PUT", path, "", headers, body, archive))

    def _stop(self) -> list[dict[str, Any]]:
        with self._lock:
            recorded, self._recorded = self._recorded, []
            self._is_recording = False
        mock_random.seed()  # from here on, ids differ between emulators
        return [asdict(request) for request in recorded]

    def _replay(self, content: dict[str, Any]) -> tuple[HTTPStatus, dict[str, Any]]:
        archives = {digest: Path(file) for digest, file in content["archives"].items()}
        try:
            for number, request in enumerate(content["requests"]):
                self._handle(number, RecordedCall(**request), archives)
        except ReplayError as error:
            return HTTPStatus.CONFLICT, {"message": str(error)}
        finally:
            mock_random.seed()
        return HTTPStatus.OK, {}

    def _handle(self, number: int, request: RecordedCall, archives: Mapping[str, Path]) -> None:
        if request.archive and request.archive not in archives:
            raise ReplayError(f"{request.method} {request.path}: no archive has the digest {request.archive}")
        environ = create_environ(
            request.path,
            self._endpoint,
            query_string=request.query,
            method=request.method,
            headers=request.headers,
            data=archives[request.archive].read_bytes() if request.archive else request.body.encode("latin-1"),
        )
        mock_random.seed(number)
        body, status, _ = run_wsgi_app(self._application, environ, buffered=True)
        if int(status.split()[0]) >= HTTPStatus.BAD_REQUEST:
            answer = b"".join(body)[:300].decode(errors="replace")
            raise ReplayError(f"{request.method} {request.path} answered {status}: {answer}")


def _only_reads(environ: Mapping[str, Any], body: bytes) -> bool:
    if environ["REQUEST_METHOD"] in ("GET", "HEAD"):
        return True
    return READING_CALL.match(operation_of(environ, body)) is not None


def _headers(environ: Mapping[str, Any]) -> dict[str, str]:
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").title(): str(value)
        for name, value in environ.items()
        if name.startswith("HTTP_") or name == "CONTENT_TYPE"
    }
    return {name: value for name, value in headers.items() if not DROPPED_HEADERS.fullmatch(name)}
