"""A minimal S3 for deployments and `aws s3 sync`, with a fixed delay before every response.

    python -m tests.bench.slow_storage MILLISECONDS

It prints its URL and serves until its input ends. A full S3 emulator would dominate the measurement.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import format_datetime
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

MODIFIED = datetime.now(UTC)


class Storage:
    def __init__(self, delay_seconds: float) -> None:
        self._delay = delay_seconds
        self._objects: dict[str, bytes] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.CancelledError, ConnectionError):  # shutdown, or a disconnected client
            await self._converse(reader, writer)
        writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while request := await reader.readline():
            method, target, _ = request.decode().split(" ", 2)
            headers = {}
            while (line := (await reader.readline()).decode().strip()) != "":
                name, _, value = line.partition(":")
                headers[name.lower()] = value.strip()
            if headers.get("expect"):
                writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            await asyncio.sleep(self._delay)
            writer.write(self._answer(method, target, body, headers.get("x-amz-copy-source", "")))
            await writer.drain()

    def _answer(self, method: str, target: str, body: bytes, copied_from: str) -> bytes:
        parts = urlsplit(target)
        key = unquote(parts.path)
        if copied_from:
            self._objects[key] = self._objects["/" + unquote(copied_from).lstrip("/")]
            return _response(200, b"<CopyObjectResult></CopyObjectResult>")
        if method == "PUT":
            self._objects[key] = body
            return _response(200, b"", _etag(body))
        if method == "DELETE":
            self._objects.pop(key, None)
            return _response(204, b"")
        if key.count("/") == 1:
            return _response(200, self._listing(key, parse_qs(parts.query)))
        if key not in self._objects:
            return _response(404, b"<Error><Code>NoSuchKey</Code></Error>")
        return _response(200, self._objects[key], _etag(self._objects[key]))

    def _listing(self, bucket: str, query: dict[str, list[str]]) -> bytes:
        beginning = f"{bucket}/{query.get('prefix', [''])[0]}"
        entries = "".join(
            f"<Contents><Key>{escape(key.removeprefix(bucket + '/'))}</Key><Size>{len(body)}</Size>"
            f"<LastModified>{MODIFIED:%Y-%m-%dT%H:%M:%S.000Z}</LastModified><ETag>{_etag(body)}</ETag></Contents>"
            for key, body in sorted(self._objects.items())
            if key.startswith(beginning)
        )
        return f"<ListBucketResult><IsTruncated>false</IsTruncated>{entries}</ListBucketResult>".encode()


def _etag(body: bytes) -> str:
    return f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'


def _response(status: int, body: bytes, etag: str = "") -> bytes:
    lines = [
        f"HTTP/1.1 {status} Answer",
        f"Content-Length: {len(body)}",
        f"Last-Modified: {format_datetime(MODIFIED, usegmt=True)}",
        *([f"ETag: {etag}"] if etag else []),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def main() -> None:
    storage = Storage(float(sys.argv[1]) / 1000)
    server = await asyncio.start_server(storage.serve, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
