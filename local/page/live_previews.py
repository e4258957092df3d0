"""Proxies requests to the worker that edits a site, as the load balancer does on AWS.

The ownership record of the thread's pair names the worker. If no worker shows the thread, the caller falls back to the
deployed files.
"""

from __future__ import annotations

import http.client
import re
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from local.aws import EmulatedAws
from local.domain import NOT_SHOWN, Names, Site, relay_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mypy_boto3_dynamodb import DynamoDBClient

WAIT_SECONDS = 30
WEBSOCKET_SECONDS = 3600
# Only workers on this machine, whatever the record contains.
ENDPOINT = re.compile(r"127\.0\.0\.1:(\d{1,5})", re.ASCII)
_HOP_BY_HOP_HEADERS = frozenset(("connection", "keep-alive", "transfer-encoding"))
_NOT_FORWARDED = frozenset(("connection", "authorization", "upgrade", "host"))


@dataclass(frozen=True)
class ProxiedResponse:
    status: int
    headers: list[tuple[str, str]]
    content: bytes


class LivePreviews:
    def __init__(self, emulated: EmulatedAws, names: Names) -> None:
        self._dynamodb: DynamoDBClient = emulated.client("dynamodb")
        self._threads = names.table("thread_mappings")
        self._ownership = names.table("ownership")

    def get(self, site: Site, method: str, target: str, headers: Mapping[str, str]) -> ProxiedResponse | None:
        """The worker's response; None if no worker shows this thread."""
        port = self._port_of(site)
        if port is None:
            return None
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_SECONDS)
        forwarded = {name: value for name, value in headers.items() if name.lower() not in _NOT_FORWARDED}
        try:
            connection.request(method, target, headers={**forwarded, "Host": headers.get("Host", "")})
            response = connection.getresponse()
            if response.status == NOT_SHOWN:
                return None
            kept = [(name, value) for name, value in response.getheaders() if name.lower() not in _HOP_BY_HOP_HEADERS]
            return ProxiedResponse(response.status, kept, response.read())
        except (OSError, http.client.HTTPException):
            return None  # the worker has just ended
        finally:
            connection.close()

    def relay_websocket(self, site: Site, target: str, headers: Mapping[str, str], visitor: socket.socket) -> bool:
        """Relays a websocket between page and worker until one side closes it. False if no worker shows the thread."""
        port = self._port_of(site)
        if port is None:
            return False
        lines = [f"{name}: {value}" for name, value in headers.items() if name.lower() != "authorization"]
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), WAIT_SECONDS) as worker:
            worker.sendall("\r\n".join([f"GET {target} HTTP/1.1", *lines, "", ""]).encode("latin-1"))
            relay_bytes(visitor, worker, WEBSOCKET_SECONDS)
        return True

    def _port_of(self, site: Site) -> int | None:
        if site.thread_id is None:
            return None
        thread = self._item(self._threads, {"pk": {"S": f"thread#{site.thread_id}"}})
        pair = thread.get("projectKey", {}).get("S", "")
        if not pair.startswith(f"{site.project}#"):
            return None
        owner = self._item(self._ownership, {"projectKey": {"S": pair}})
        found = ENDPOINT.fullmatch(owner.get("endpoint", {}).get("S", ""))
        return int(found[1]) if found else None

    def _item(self, table: str, key: dict[str, Any]) -> dict[str, Any]:
        item: dict[str, Any] = self._dynamodb.get_item(TableName=table, Key=key).get("Item", {})
        return item
