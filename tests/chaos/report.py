"""The printed report of a run."""

from __future__ import annotations

from collections.abc import Iterator

from tests.chaos.ledger import Entry
from tests.chaos.observed_state import ObservedMail
from tests.chaos.plan import Trouble
from tests.chaos.run import Result


def entry_line(entry: Entry) -> str:
    what = entry.strike.trouble.value if entry.hit else f"missed: {entry.strike.trouble.value}"
    where = f"mail {entry.strike.mail}, {entry.strike.delay:g} s after {entry.strike.after}"
    return f"{entry.seconds:7.1f}  {what:32}  {where:44}  {entry.words}"


def lines(result: Result) -> Iterator[str]:
    yield ""
    yield f"Seed {result.plan.seed}, {len(result.plan.mails)} mails, {result.seconds:.0f} seconds"
    yield ""
    yield "What was done to it"
    hits = result.ledger.hits()
    for trouble in Trouble:
        planned = len(result.plan.strikes(trouble))
        if planned:
            yield f"  {trouble.value:32} {hits[trouble]:3} of {planned}"
    yield ""
    yield "What became of the mails"
    yield f"  mail  {'pair':12} {'job':10} {'state':10} agents answers commits  seconds"
    yield from (_mail_line(mail) for mail in result.observed.mails)
    yield ""
    yield "What must hold"
    for verdict in result.verdicts:
        yield f"  {'yes' if verdict.holds else 'NO ':4} {verdict.promise}"
        yield from (f"         {reason}" for reason in verdict.broken_by)


def _mail_line(seen: ObservedMail) -> str:
    seconds = f"{seen.seconds:8.1f}" if seen.seconds is not None else f"{'-':>8}"
    return (
        f"  {seen.mail.number:4}  {seen.mail.writer.pair:12} {seen.job_id[:8]:10} {seen.state:10} "
        f"{seen.attempts:6} {seen.answers:7} {seen.commits:7} {seconds}"
    )
