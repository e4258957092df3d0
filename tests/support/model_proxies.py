"""A running model proxy, as the agent's process gets one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from webordinary_worker.proxies.model_proxy import ModelProxy, Upstream


@contextmanager
def running_proxy(upstream: Upstream, budget: float) -> Iterator[ModelProxy]:
    proxy = ModelProxy(upstream)
    proxy.meter.grant(budget)
    try:
        yield proxy
    finally:
        proxy.stop()
