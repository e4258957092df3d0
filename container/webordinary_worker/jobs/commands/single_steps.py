"""Commands that run one step of an edit on the thread's tree.

An edit ends with everything committed, pushed and deployed. So these commands find something to do only if an earlier
job was interrupted, or if a developer pushed to the thread's branch. Each leaves the preview showing the branch.
"""

from __future__ import annotations

from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Command, EarlierFate, Result
from webordinary_worker.jobs import earlier_work
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.pipeline import build_site, deploy_preview


def build(context: JobContext) -> Outcome:
    tree = earlier_work.open_thread(context)
    earlier_work.resume(context, tree)
    outcome = earlier_work.settle(context, context.done(Result.BUILT))
    if outcome.preview_url is not None:
        return outcome
    build_site(context, tree)
    return outcome.model_copy(update=deploy_preview(context))


def commit(context: JobContext) -> Outcome:
    outcome = push(context)
    made = any(one.fate is EarlierFate.SEPARATE for one in outcome.earlier)
    return outcome.model_copy(update={"result": Result.COMMITTED if made else Result.NOTHING_TO_COMMIT})


def push(context: JobContext) -> Outcome:
    tree = earlier_work.open_thread(context)
    earlier_work.resume(context, tree)
    outcome = earlier_work.settle(context, context.done(Result.PUSHED))
    return outcome.model_copy(update={"commit": tree.push(context.check_lease)})


COMMANDS = {Command.BUILD: build, Command.COMMIT: commit, Command.PUSH: push}
