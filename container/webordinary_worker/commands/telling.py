"""Commands that only tell something."""

from __future__ import annotations

from webordinary.platform.messages import Command, Outcome, Result
from webordinary_worker.job_context import JobContext


def status(context: JobContext) -> Outcome:
    tree = context.open_tree()
    changes = tree.commits()
    if changes == 0:
        return context.done(Result.STATUS)
    subject = tree.subject_of("HEAD")
    return context.done(Result.STATUS, changes=changes, subject=subject, preview_url=context.preview_url)


def explain(context: JobContext) -> Outcome:
    return context.done(Result.HELP)


def stop(context: JobContext) -> Outcome:
    # What ran was interrupted by this very mail; whatever is left to stop has stopped by now.
    return context.done(Result.NOTHING_TO_STOP)


COMMANDS = {Command.STATUS: status, Command.HELP: explain, Command.STOP: stop}
