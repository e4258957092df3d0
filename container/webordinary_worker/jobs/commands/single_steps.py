"""Commands that run one step of an edit on the thread's tree."""

from __future__ import annotations

from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Command, Result
from webordinary_worker.jobs.commit_messages import commit_message
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.pipeline import build_site, deploy_preview


def build(context: JobContext) -> Outcome:
    tree = context.open_tree()
    tree.catch_up()
    build_site(context, tree)
    return context.done(Result.BUILT, **deploy_preview(context))


def commit(context: JobContext) -> Outcome:
    tree = context.open_tree()
    changed = tree.changed_files()
    if not changed:
        return context.done(Result.NOTHING_TO_COMMIT)
    return context.done(Result.COMMITTED, commit=tree.commit(commit_message(context.job)), changed_files=changed)


def push(context: JobContext) -> Outcome:
    pushed = context.open_tree().push(context.check_lease)
    return context.done(Result.PUSHED, commit=pushed.commit)


COMMANDS = {Command.BUILD: build, Command.COMMIT: commit, Command.PUSH: push}
