"""Logger, metrics and tracer of functions and workers, created once per process.

A *milestone* is a log line for a step in a mail's processing ("when was it claimed?"). The timeline of the local stack
reads the same lines that CloudWatch stores.
"""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable
from functools import cache, wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aws_lambda_powertools.logging import Logger
    from aws_lambda_powertools.metrics import Metrics

Handler = Callable[[dict[str, Any], Any], Any]

# Several threads may append to it. The library's own collection of metrics is not safe for threads.
_measured: deque[tuple[str, str, float]] = deque(maxlen=10_000)
# Imports create many objects and no garbage: collecting takes a seventh of a cold start. `function` ends the pause.
if "AWS_LAMBDA_RUNTIME_API" in os.environ:
    gc.disable()


@cache
def logger() -> Logger:
    from aws_lambda_powertools.logging import Logger

    return Logger(log_uncaught_exceptions=True)


@cache
def metrics() -> Metrics:
    from aws_lambda_powertools.metrics import Metrics

    return Metrics(namespace=os.environ.get("POWERTOOLS_METRICS_NAMESPACE", "webordinary"))


def milestone(name: str, **fields: Any) -> None:
    """Logs a step of a mail's processing. Fields are ids and numbers: never a body, a plain address or a token."""
    logger().info(name.replace("_", " "), extra={"milestone": name, **fields})


def count(name: str, value: float = 1) -> None:
    _measured.append((name, "Count", value))


def measure(name: str, seconds: float) -> None:
    _measured.append((name, "Seconds", seconds))


def flush_metrics() -> None:
    """Writes the collected metrics as one EMF log line."""
    while _measured:
        name, unit, value = _measured.popleft()
        metrics().add_metric(name=name, unit=unit, value=value)
    if metrics().metric_set:
        metrics().flush_metrics()


def function(handler: Handler) -> Handler:
    """Wraps a Lambda handler: adds the request id to log lines, flushes metrics, traces AWS calls if X-Ray is on."""

    gc.freeze()  # what the start created stays: later collections skip it
    gc.enable()

    @wraps(handler)
    def traced(event: dict[str, Any], context: Any) -> Any:
        _trace_calls()
        logger().append_keys(function_request_id=getattr(context, "aws_request_id", None))
        try:
            return handler(event, context)
        finally:
            flush_metrics()

    return traced


def trace_of_this_call() -> str | None:
    """The trace header of this invocation, if it is sampled, to pass on."""
    header = os.environ.get("_X_AMZN_TRACE_ID", "")
    return header if "Sampled=1" in header else None


@cache
def _trace_calls() -> None:
    """Records AWS calls as X-Ray subsegments. The SDK is slow to import, so untraced invocations skip it."""
    if os.environ.get("_X_AMZN_TRACE_ID") and os.environ.get("AWS_XRAY_DAEMON_ADDRESS"):
        from aws_lambda_powertools.tracing import Tracer

        Tracer(auto_patch=False).patch(["botocore"])
