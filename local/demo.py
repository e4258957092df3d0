"""One mail, all the way, on this machine: `python -m local.demo`.

Starts everything, sends a mail over SMTP, shows what happens as it happens, then what came of it. Exit code 0 means
that the page in the edit bucket says what the mail asked for, that the thread's branch on the remote has the commit,
that exactly one answer was sent, and that nothing is left running.
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
from local.runtime.timeline import MILESTONES, Timeline, place, words
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
ANSWER_SECONDS = 180
DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


@dataclass(frozen=True)
class Check:
    what: str
    holds: bool


def demo(console: Console) -> int:
    began = time.monotonic()
    heading(console, "webordinary: one mail, all the way, on this machine")
    startup = Startup(console)
    stack = Stack(StackSettings.load(ports=(0, 0)), startup)
    try:
        with startup, stack:
            checks = _one_mail(stack, console)
    except LocalError as error:
        heading(console, "The demo failed")
        console.print(str(error))
        console.print(f"Everything that was said is in {stack.logs.folder}.")
        return 1
    checks.append(Check("nothing is left running", holds=True))  # or leaving the stack would have raised
    _show_checks(console, checks)
    console.print(f"\n  {time.monotonic() - began:.1f} seconds in all.")
    if not all(check.holds for check in checks):
        console.print(f"  Everything that was said is in {stack.logs.folder}.")
        return 1
    console.print("  `make up` keeps it running for your own mail program and browser. `docs/` says how it works.")
    return 0


def _one_mail(stack: Stack, console: Console) -> list[Check]:
    heading(console, f"A mail from {SENDER} to {stack.recipient}")
    console.print(_indented(MAIL.strip()))
    heading(console, "What happens")
    timeline = Timeline(console)
    with stack.events.subscribed(timeline.show):
        message_id = stack.send(SENDER, MAIL, subject=SUBJECT)
        try:
            answer = stack.mailbox.wait_for_reply(message_id, ANSWER_SECONDS)
            stack.events.wait_for(milestone("reply_sent"), 10, what="the answer to be recorded")
        except TimedOutError as error:
            raise _explained(stack, error) from error
    observed = observe(stack, PROJECT, PAGE)
    _show_results(console, observed, answer)
    return _checks(stack, observed, message_id)


def _checks(stack: Stack, observed: ObservedState, message_id: str) -> list[Check]:
    return [
        Check(
            f"the page in the edit bucket says “{NEW_WORDS}”",
            NEW_WORDS in observed.page and OLD_WORDS not in observed.page,
        ),
        Check(f"branch {observed.branch or 'thread-…'} on the remote has the commit", NEW_WORDS in observed.diff),
        Check("exactly one answer to the mail was sent", len(stack.mailbox.replies_to(message_id)) == 1),
    ]


def _show_results(console: Console, observed: ObservedState, answer: Mail) -> None:
    heading(console, f"What changed in the site ({observed.branch} against main)")
    for line in observed.diff.strip().splitlines():
        console.print(f"  {line}", style=DIFF_STYLES.get(line[:1], "dim"))
    heading(console, "The page")
    console.print(Text.assemble("  before  ", (observed.line_before(OLD_WORDS), "red")))
    console.print(Text.assemble("  now     ", (observed.line_now(NEW_WORDS), "green")))
    heading(console, "The answer")
    headers = (("From", answer.sender), ("To", answer.recipient), ("Subject", answer.subject))
    for name, value in headers:
        console.print(Text.assemble("  ", (f"{name}: ", "dim"), value))
    console.print()
    console.print(_indented(answer.text.strip()))


def _show_checks(console: Console, checks: list[Check]) -> None:
    heading(console, "Checked")
    for check in checks:
        mark = ("yes", "green") if check.holds else ("NO ", "bold red")
        console.print(Text.assemble("  ", mark, f"  {check.what}"))


def _explained(stack: Stack, error: TimedOutError) -> LocalError:
    """Where the mail got stuck, with the last words of whoever should have done the next step."""
    happened = stack.events.all()
    last = happened[-1] if happened else Event("smtp", "mail_accepted")
    lines = [str(error), f"The last thing that happened was at {place(last.source)}: {words(last)}."]
    order = list(MILESTONES)
    if last.milestone in order[:-1]:
        lines.append(f"What should have come next: {order[order.index(last.milestone) + 1].replace('_', ' ')}.")
    for source in stack.logs.sources():
        if source != "terraform" and stack.logs.tail(source):
            lines.append(f"\n{source}:")
            lines += [f"    {line[:300]}" for line in stack.logs.tail(source, 8)]
    return LocalError("\n".join(lines))


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


if __name__ == "__main__":
    sys.exit(run(demo))
