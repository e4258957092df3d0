"""The connection to a model's provider: through the machine's proxy if it has one, and without redirects."""

from __future__ import annotations

import ssl
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Upstream:
    url: str
    network: Mapping[str, str] = field(default_factory=dict)

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
