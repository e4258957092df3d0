"""Shows something again and again, until Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable

import click

from webordinary_ops.cli import Operator

EVERY = 2.0  # seconds


def repeat(
    operator: Operator, seconds: float, show: Callable[[], None], wait: Callable[[float], None] = time.sleep
) -> None:
    """Shows something every `seconds`. A terminal shows the newest only."""
    try:
        while True:
            click.clear()
            now = operator.deployment.clock().astimezone()
            operator.output.say(f"{now:%H:%M:%S}, every {seconds:g} s. Ctrl-C ends.\n")
            show()
            wait(seconds)
    except KeyboardInterrupt:
        return
