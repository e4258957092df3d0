"""Puts many small files into a bucket, with less work for each than the client's own `put_object`.

botocore takes as much processor time again for parameters, endpoint rules and parsing as the request itself needs, and
side by side that is what a deployment waits for. So the request is made here, and the client's own handlers sign it
and are told before it is sent, as with every other request. Whatever is not at once a success is left to
`put_object`, which repeats, follows and explains as always: the same file twice is the same file.

The signature covers the file's digest, so that the storage refuses other bytes.
"""

from __future__ import annotations

import socket
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from botocore.awsrequest import AWSRequest
from botocore.exceptions import HTTPClientError
from botocore.hooks import first_non_none_response
from botocore.httpsession import URLLib3Session

from webordinary.aws.clients import USER_AGENT
from webordinary_worker.parallel import MAX_PARALLEL

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

AWS_HOSTS = (".amazonaws.com", ".amazonaws.com.cn")
CONNECT_SECONDS = 5
READ_SECONDS = 40


class Uploads:
    """Into one bucket, with the rights of this client."""

    def __init__(self, client: S3Client, bucket: str) -> None:
        self._client = client
        self._bucket = bucket
        self._address = address_of(client, bucket)

    def put(self, key: str, content: bytes, headers: dict[str, str]) -> None:
        if not self._put_at_once(key, content, headers):
            named: Any = {name.replace("-", ""): value for name, value in headers.items()}
            self._client.put_object(Bucket=self._bucket, Key=key, Body=content, **named)

    def _put_at_once(self, key: str, content: bytes, headers: dict[str, str]) -> bool:
        request: Any = AWSRequest(
            "PUT", f"{self._address}/{quote(key)}", {**headers, "User-Agent": USER_AGENT}, content
        )
        events = self._client.meta.events
        events.emit("request-created.s3.PutObject", request=request, operation_name="PutObject")
        prepared = request.prepare()
        told = events.emit("before-send.s3.PutObject", request=prepared)
        try:
            answer = first_non_none_response(told) or _connections().send(prepared)
        except HTTPClientError:
            return False
        return bool(answer.status_code == 200)


def address_of(client: S3Client, bucket: str) -> str:
    endpoint = client.meta.endpoint_url
    parts = urlsplit(endpoint)
    if (parts.hostname or "").endswith(AWS_HOSTS):
        return f"{parts.scheme}://{bucket}.{parts.netloc}"
    return f"{endpoint.rstrip('/')}/{bucket}"


@cache
def _connections() -> URLLib3Session:
    """One pool for all: a connection knows nothing of who signs. It sends small packets at once, not 40 ms later."""
    at_once: Any = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
    timeouts: Any = (CONNECT_SECONDS, READ_SECONDS)
    return URLLib3Session(timeout=timeouts, max_pool_connections=MAX_PARALLEL, socket_options=at_once)
