"""The whole system, kept running for real mail programs and browsers until Ctrl-C: `python -m local.up`."""

from __future__ import annotations

import sys
import threading

from local.settings import SMTP_PORT, StackSettings
from local.stack import EXAMPLE_MAIL, Stack
from local.startup import Startup
from local.terminal import Terminal, run
from local.timeline import Timeline


def up(terminal: Terminal) -> int:
    terminal.heading("webordinary on this machine")
    settings = StackSettings.load()
    with Stack(settings, Startup(terminal)) as stack:
        _say_how_to_use_it(stack, terminal)
        with stack.events.subscribed(Timeline(terminal).show):
            threading.Event().wait()  # until a signal ends it
    return 0


def _say_how_to_use_it(stack: Stack, terminal: Terminal) -> None:
    model = "the stand-in for the model" if stack.model_url else "the real model, with your ANTHROPIC_API_KEY"
    port = "" if stack.smtp_port == 2525 else f"{SMTP_PORT}={stack.smtp_port} "
    lines = [
        ("mailbox", stack.page.address),
        ("SMTP", f"127.0.0.1:{stack.smtp_port}, to {stack.recipient}, from {' or '.join(stack.senders())}"),
        ("agent", f"Claude Code with {model}"),
        ("logs", str(stack.logs.folder)),
    ]
    terminal.heading("Ready")
    for name, value in lines:
        terminal.say(f"  {terminal.paint(f'{name:<9}', 'dim')}{value}")
    terminal.say("\n  Send a mail, from another terminal:\n")
    terminal.say(terminal.paint(f"    {port}{sys.executable} -m local.send '{EXAMPLE_MAIL}'", "green"))
    terminal.say("\n  Ctrl-C stops everything.")
    terminal.heading("What happens")


if __name__ == "__main__":
    sys.exit(run(up))
