"""The model makes thousands of calls: what functions would log and count is kept off the terminal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from webordinary.platform import observability
from webordinary.protocol import task_tokens as tokens
from webordinary.steps import dispatch as routing
from webordinary.steps import relay_callback as relay
from webordinary.steps import sweep as sweeping


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
