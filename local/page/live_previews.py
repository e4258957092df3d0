"""Shows a site while a worker edits it, as the load balancer before the workers does on AWS.

The worker is found by the record of who owns the thread's pair. Where it does not show the thread (any more), whoever
asks looks at the files that were deployed.
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
LISTENING_SECONDS = 3600
# Workers of this machine, and nobody else, whatever the record says.
ENDPOINT = re.compile(r"127\.0\.0\.1:(\d{1,5})", re.ASCII)
_OF_ONE_CONNECTION = frozenset(("connection", "keep-alive", "transfer-encoding"))
_KEPT_HERE = frozenset(("connection", "authorization", "upgrade", "host"))


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
        """What the worker shows; None if none shows this thread."""
        port = self._port_of(site)
        if port is None:
            return None
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_SECONDS)
        kept = {name: value for name, value in headers.items() if name.lower() not in _KEPT_HERE}
        try:
            connection.request(method, target, headers={**kept, "Host": headers.get("Host", "")})
            answer = connection.getresponse()
            if answer.status == NOT_SHOWN:
                return None
            own = [(name, value) for name, value in answer.getheaders() if name.lower() not in _OF_ONE_CONNECTION]
            return ProxiedResponse(answer.status, own, answer.read())
        except (OSError, http.client.HTTPException):
            return None  # it has just ended
        finally:
            connection.close()

    def listen(self, site: Site, target: str, headers: Mapping[str, str], visitor: socket.socket) -> bool:
        """Passes on what page and worker tell each other until one of them ends. False if no worker is there."""
        port = self._port_of(site)
        if port is None:
            return False
        kept = [f"{name}: {value}" for name, value in headers.items() if name.lower() != "authorization"]
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), WAIT_SECONDS) as worker:
            worker.sendall("\r\n".join([f"GET {target} HTTP/1.1", *kept, "", ""]).encode("latin-1"))
            relay_bytes(visitor, worker, LISTENING_SECONDS)
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
