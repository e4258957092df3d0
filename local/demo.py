"""Sends one mail through the whole system on this machine: `python -m local.demo`.

Starts the stack, sends a mail over SMTP, prints the milestones and then the result. Exit code 0 means: the preview
shows the requested change, the thread's branch on the remote has the commit, exactly one reply was sent, and no process
is left running.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from local.errors import LocalError, TimedOutError
from local.page.conversations import Mail
from local.runtime.events import Event, milestone
from local.runtime.terminal import heading, run
from local.runtime.timeline import MILESTONES, Timeline, describe, source_label
from local.settings import StackSettings
from local.stack.observed_state import ObservedState, observe
from local.stack.stack import Stack
from local.stack.startup import Startup

SENDER = "ada@example.com"
PROJECT = "bakery"
OLD_WORDS = "8 am to noon"
NEW_WORDS = "9 am to 1 pm"
PAGE = "index.html"
SUBJECT = "Sunday hours"
MAIL = f"""Hello,

please change the opening hours from "{OLD_WORDS}" to "{NEW_WORDS}" on the home page.

Thank you,
Ada
"""
REPLY_SECONDS = 180
DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


@dataclass(frozen=True)
class Check:
    description: str
    passed: bool


def demo(console: Console) -> int:
    started = time.monotonic()
    heading(console, "webordinary: one mail through the whole system, on this machine")
    startup = Startup(console)
    stack = Stack(StackSettings.load(ports=(0, 0)), startup)
    try:
        with startup, stack:
            checks = _send_one_mail(stack, console)
    except LocalError as error:
        heading(console, "The demo failed")
        console.print(str(error))
        console.print(f"The logs are in {stack.logs.folder}.")
        return 1
    checks.append(Check("no process is left running", passed=True))  # else leaving the stack would have raised
    _show_checks(console, checks)
    console.print(f"\n  {time.monotonic() - started:.1f} seconds in total.")
    if not all(check.passed for check in checks):
        console.print(f"  The logs are in {stack.logs.folder}.")
        return 1
    console.print(
        "  `make up` keeps the system running for your own mail program and browser. `docs/` explains how it works."
    )
    return 0


def _send_one_mail(stack: Stack, console: Console) -> list[Check]:
    heading(console, f"A mail from {SENDER} to {stack.recipient}")
    console.print(_indented(MAIL.strip()))
    heading(console, "Timeline")
    timeline = Timeline(console)
    with stack.events.subscribed(timeline.show):
        message_id = stack.send(SENDER, MAIL, subject=SUBJECT)
        try:
            reply = stack.mailbox.wait_for_reply(message_id, REPLY_SECONDS)
            stack.events.wait_for(milestone("reply_sent"), 10, what="the milestone reply_sent")
        except TimedOutError as error:
            raise _explain(stack, error) from error
    observed = observe(stack, PROJECT, PAGE)
    _show_results(console, observed, reply)
    return _checks(stack, observed, message_id)


def _checks(stack: Stack, observed: ObservedState, message_id: str) -> list[Check]:
    return [
        Check(
            f"the preview shows “{NEW_WORDS}”",
            NEW_WORDS in observed.page and OLD_WORDS not in observed.page,
        ),
        Check(f"branch {observed.branch or 'thread-…'} on the remote has the commit", NEW_WORDS in observed.diff),
        Check("exactly one reply was sent", len(stack.mailbox.replies_to(message_id)) == 1),
    ]


def _show_results(console: Console, observed: ObservedState, reply: Mail) -> None:
    heading(console, f"Changes ({observed.branch} against main)")
    for line in observed.diff.strip().splitlines():
        console.print(f"  {line}", style=DIFF_STYLES.get(line[:1], "dim"))
    heading(console, "The page")
    console.print(Text.assemble("  before  ", (observed.line_before(OLD_WORDS), "red")))
    console.print(Text.assemble("  after   ", (observed.line_now(NEW_WORDS), "green")))
    heading(console, "The reply")
    headers = (("From", reply.sender), ("To", reply.recipient), ("Subject", reply.subject))
    for name, value in headers:
        console.print(Text.assemble("  ", (f"{name}: ", "dim"), value))
    console.print()
    console.print(_indented(reply.text.strip()))


def _show_checks(console: Console, checks: list[Check]) -> None:
    heading(console, "Checks")
    for check in checks:
        mark = ("yes", "green") if check.passed else ("NO ", "bold red")
        console.print(Text.assemble("  ", mark, f"  {check.description}"))


def _explain(stack: Stack, error: TimedOutError) -> LocalError:
    """An error that names the last milestone and the next expected one, with the last lines of every log."""
    events = stack.events.all()
    last = events[-1] if events else Event("smtp", "mail_accepted")
    lines = [str(error), f"Last milestone: {source_label(last.source)}: {describe(last)}."]
    order = list(MILESTONES)
    if last.milestone in order[:-1]:
        lines.append(f"Expected next: {order[order.index(last.milestone) + 1].replace('_', ' ')}.")
    for source in stack.logs.sources():
        if source != "terraform" and stack.logs.tail(source):
            lines.append(f"\n{source}:")
            lines += [f"    {line[:300]}" for line in stack.logs.tail(source, 8)]
    return LocalError("\n".join(lines))


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


if __name__ == "__main__":
    sys.exit(run(demo))
