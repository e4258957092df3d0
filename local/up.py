"""Runs the whole system until Ctrl-C, for real mail programs and browsers: `python -m local.up`."""

from __future__ import annotations

import sys
import threading

from rich.console import Console
from rich.text import Text

from local.runtime.terminal import heading, run
from local.runtime.timeline import Timeline
from local.settings import SMTP_PORT, StackSettings
from local.stack.stack import EXAMPLE_MAIL, Stack
from local.stack.startup import Startup


def up(console: Console) -> int:
    heading(console, "webordinary on this machine")
    with Startup(console) as startup, Stack(StackSettings.load(), startup) as stack:
        _print_usage(stack, console)
        with stack.events.subscribed(Timeline(console).show):
            threading.Event().wait()  # until a signal raises StoppedError
    return 0


def _print_usage(stack: Stack, console: Console) -> None:
    provider = "as Bedrock" if stack.settings.model_provider == "bedrock" else "as Anthropic's API"
    model = f"the model stand-in {provider}" if stack.model_url else "the real model, with your ANTHROPIC_API_KEY"
    port = "" if stack.smtp_port == 2525 else f"{SMTP_PORT}={stack.smtp_port} "
    lines = [
        ("mailbox", stack.page.address),
        ("SMTP", f"127.0.0.1:{stack.smtp_port}, to {stack.recipient}, from {' or '.join(stack.senders())}"),
        ("agent", f"Claude Code with {model}"),
        ("logs", str(stack.logs.folder)),
    ]
    heading(console, "Ready")
    for name, value in lines:
        console.print(Text.assemble("  ", (f"{name:<9}", "dim"), value))
    console.print("\n  To send a mail from another terminal:\n")
    console.print(f"    {port}{sys.executable} -m local.send '{EXAMPLE_MAIL}'", style="green")
    console.print("\n  Ctrl-C stops everything.")
    heading(console, "Timeline")


if __name__ == "__main__":
    sys.exit(run(up))
