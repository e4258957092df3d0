"""Sends one mail through the whole system on this machine: `python -m local.demo`.

Starts the stack, sends a mail over SMTP, prints the milestones and then the result. Exit code 0 means: exactly one
reply was sent, it says that the change is made, the page that it links to and the deployed preview show the requested
text instead of the old one, the thread's branch on the remote has the commit, and no process is left running.
"""

from __future__ import annotations

import http.client
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from rich.console import Console
from rich.text import Text

from local.errors import LocalError, TimedOutError
from local.page.conversations import Mail
from local.page.site_routes import newest_link
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
PAGE_SECONDS = 60
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
    return conclude(console, checks, time.monotonic() - started, stack.logs.folder)


def conclude(console: Console, checks: Sequence[Check], seconds: float, logs: Path) -> int:
    """Prints the checks; returns the exit code."""
    _show_checks(console, checks)
    console.print(f"\n  {seconds:.1f} seconds in total.")
    if failed := [check.description for check in checks if not check.passed]:
        heading(console, "The demo failed")
        console.print(f"Not true: {'; '.join(failed)}.")
        console.print(f"The logs are in {logs}.")
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
    link = newest_link([reply.text], stack.page.address)
    linked_page = fetch(link, stack.page.address) if link else ""
    return checks_of(observed, stack.mailbox.replies_to(message_id), linked_page)


def checks_of(observed: ObservedState, replies: Sequence[Mail], linked_page: str) -> list[Check]:
    """Compares the reply, the page that it links to, the deployed page and the branch with the request.

    A failed job may have pushed and deployed before it failed, so the reply counts as much as the page. A reply about a
    failure has no link and does not quote the new text.
    """
    removed, added = (
        [line for line in observed.diff.splitlines() if line.startswith(sign) and words in line]
        for sign, words in (("-", OLD_WORDS), ("+", NEW_WORDS))
    )
    return [
        Check("exactly one reply was sent", len(replies) == 1),
        Check("the reply says that the change is made", any(NEW_WORDS in reply.text for reply in replies)),
        Check(f"the page that the reply links to shows “{NEW_WORDS}”", _is_changed(linked_page)),
        Check(f"the deployed preview shows “{NEW_WORDS}”", _is_changed(observed.page)),
        Check("the main branch still shows the text of before", OLD_WORDS in observed.source_before),
        Check(f"branch {observed.branch or 'thread-…'} on the remote has the commit", bool(removed and added)),
    ]


def _is_changed(page: str) -> bool:
    return NEW_WORDS in page and OLD_WORDS not in page


def fetch(link: str, page_address: str) -> str:
    """A page as a browser gets it; empty if there is none. Not every system resolves names below localhost."""
    asked, server = urlsplit(link), urlsplit(page_address)
    connection = http.client.HTTPConnection(server.netloc, timeout=PAGE_SECONDS)
    try:
        connection.request("GET", asked.path or "/", headers={"Host": asked.netloc, "Accept": "text/html"})
        response = connection.getresponse()
        return response.read().decode(errors="replace") if response.status == HTTPStatus.OK else ""
    except (http.client.HTTPException, OSError):
        return ""
    finally:
        connection.close()


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


def _show_checks(console: Console, checks: Sequence[Check]) -> None:
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
