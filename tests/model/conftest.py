"""The model makes thousands of calls: what functions would log and count is kept off the terminal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from webordinary import observability, relay, routing, sweeping, tokens


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for module in (relay, routing, sweeping, tokens):
        for name in ("count", "milestone"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, lambda *_, **__: None)
    level = observability.logger().log_level
    observability.logger().setLevel("CRITICAL")
    yield
    observability.logger().setLevel(level)
