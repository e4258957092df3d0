"""Runs the whole system until Ctrl-C, for real mail programs and browsers: `python -m local.up`."""

from __future__ import annotations

import sys
import threading

from rich.console import Console
from rich.text import Text

from local.operators_package import RUN
from local.paths import ROOT
from local.runtime.terminal import heading, run
from local.runtime.timeline import Timeline
from local.settings import StackSettings
from local.stack.stack import EXAMPLE_MAIL, Stack
from local.stack.startup import Startup

DEFAULT_SMTP_PORT = StackSettings(ROOT).smtp_port


def up(console: Console) -> int:
    heading(console, "webordinary on this machine")
    with Startup(console) as startup, Stack(StackSettings.load(), startup) as stack:
        _print_usage(stack, console)
        with stack.events.subscribed(Timeline(console).show):
            problem = stack.wait_for_problem()  # or until a signal raises StoppedError
            console.print(f"\n{problem}", style="bold red")
            threading.Event().wait()  # the page shows the problem too
    return 0


def _print_usage(stack: Stack, console: Console) -> None:
    provider = "as Bedrock" if stack.settings.model_provider == "bedrock" else "as Anthropic's API"
    model = f"the model stand-in {provider}" if stack.model_url else "the real model, with your ANTHROPIC_API_KEY"
    run_folder = "" if stack.smtp_port == DEFAULT_SMTP_PORT else f"{RUN}={stack.state} "  # there may be other stacks
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
    # By its full path, so that it works in every folder.
    command = f"{run_folder}{ROOT / 'ops/webordinary'} send '{EXAMPLE_MAIL}' --from {stack.senders()[0]}"
    console.print(f"    {command}", style="green")
    console.print("\n  Ctrl-C stops everything.")
    heading(console, "Timeline")


if __name__ == "__main__":
    sys.exit(run(up, stopped=0))  # Ctrl-C is how it ends; make reports any other exit code as an error
