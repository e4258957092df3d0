"""Work of earlier jobs of the thread that no answer has reported yet.

- *Partial work*: a job was interrupted, and its work is a commit with a trailer, perhaps an empty one. The next job of
  the thread continues it, shows it as a separate change, or removes it, and reports which (`EarlierFate`).
- *Unshown changes*: a worker ended between push and deployment, and its job does not run again. The next deployment
  shows them, and its answer names them.

After every job the preview shows the branch, except for partial work that a stopped or interrupted job has left.
"""

from __future__ import annotations

from itertools import takewhile

from webordinary.aws.telemetry import logger
from webordinary.contract.messages.outcome import EarlierWork, Outcome
from webordinary.contract.outcomes import Command, EarlierFate, Failure, Result
from webordinary.contract.values import limit
from webordinary.mail.commands.request_name import request_name
from webordinary_worker.failures import ConflictError, JobFailedError
from webordinary_worker.git.command import GitError
from webordinary_worker.git.partial_work import resume_interrupted
from webordinary_worker.git.thread_commits import INCLUDES_JOB, JOB, ThreadCommit
from webordinary_worker.git.thread_tree import ThreadTree
from webordinary_worker.jobs.change_names import change_name
from webordinary_worker.jobs.commit_messages import resumed_message, separate_message
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.pipeline import (
    build_site,
    deploy_or_revert,
    deploy_preview,
    find_risks,
    push_built,
)
from webordinary_worker.jobs.risk_check import forbidden


def open_thread(context: JobContext) -> ThreadTree:
    """The thread's tree as the remote branch has it. Notes the changes that its preview does not show."""
    tree = context.open_tree()
    tree.catch_up()
    context.unshown = _unshown(context, tree)
    _recall(context, tree)
    return tree


def _recall(context: JobContext, tree: ThreadTree) -> None:
    """Notes what an earlier run of this job has decided: its worker ended before the report."""
    own, commits = context.job.job_id, tree.commits()
    finished = {job for one in commits for job in one.jobs}
    parts = {one.commit: one for one in commits if one.interrupted_jobs}
    for one in commits:
        if own in one.trailers[JOB]:
            note(context, EarlierFate.INCLUDED, one.trailers[INCLUDES_JOB])
        elif own in one.decided_by and not one.undoes:
            for job_id in one.jobs:
                add_separate(context, one, job_id)
        elif own in one.decided_by:
            for part in (parts[commit] for commit in one.undoes if commit in parts):
                fate = EarlierFate.NOT_STARTED if part.is_empty else EarlierFate.REMOVED
                jobs = tuple(job for job in part.interrupted_jobs if job != own and job not in finished)
                note(context, fate, jobs)


def resume(context: JobContext, tree: ThreadTree) -> None:
    """Makes the partial work of interrupted jobs the tree's uncommitted changes."""
    context.partial = resume_interrupted(tree, resumed_message(context.job))
    context.partial_in_tree = context.partial is not None


def earlier_jobs(context: JobContext) -> tuple[str, ...]:
    """The other jobs whose partial work this job has resumed."""
    jobs = context.partial.jobs if context.partial is not None else ()
    return tuple(job for job in jobs if job != context.job.job_id)


def note(context: JobContext, fate: EarlierFate, jobs: tuple[str, ...] | None = None) -> None:
    """Notes what happened to partial work, once per job. The last word counts."""
    for job_id in jobs if jobs is not None else earlier_jobs(context):
        fact = EarlierWork(job_id=job_id, request=request_of(context, job_id), fate=fate)
        context.earlier = [*(one for one in context.earlier if one.job_id != job_id), fact]


def add_separate(context: JobContext, change: ThreadCommit, job_id: str = "") -> None:
    job_id = job_id or next(iter(change.jobs), context.job.job_id)
    fact = EarlierWork(
        job_id=job_id,
        request=request_of(context, job_id) or change.name[: limit("phrase_characters")],
        fate=EarlierFate.SEPARATE,
        commit=change.commit,
        subject=change.name[: limit("phrase_characters")],
    )
    context.earlier = [*(one for one in context.earlier if one.job_id != job_id), fact]


def request_of(context: JobContext, job_id: str) -> str:
    record = context.tools.find_job(job_id)
    return request_name(record.job.instruction, record.job.envelope.subject) if record is not None else ""


def settle(context: JobContext, outcome: Outcome) -> Outcome:
    """Decides about earlier work that the command has not decided about, and brings the preview up to date."""
    tree = context.tree
    if tree is None:
        return outcome
    context.partial_in_tree = False
    tree.discard_own()
    deployed: dict[str, object] = {}
    has_change = outcome.commit is not None and outcome.live_url is None  # else the commit is on the main branch
    if context.partial is not None and not has_change:
        deployed = _settle_partial(context, tree, outcome)
    if not deployed and not has_change:
        deployed = _show_branch(context, tree)
    if context.deployed:
        for change in context.unshown:
            _report(context, tree, change)
    return outcome.model_copy(update={**deployed, "earlier": tuple(context.earlier)})


def _report(context: JobContext, tree: ThreadTree, change: ThreadCommit) -> None:
    """Reports a change, or an undo, whose job did not answer."""
    if not change.undoes:
        add_separate(context, change)
        return
    job_id = change.jobs[0]
    fact = EarlierWork(
        job_id=job_id,
        request=request_of(context, job_id),
        fate=EarlierFate.UNDONE,
        commit=change.undoes[0],
        subject=tree.name_of(change.undoes[0])[: limit("phrase_characters")],
    )
    context.earlier = [*(one for one in context.earlier if one.job_id != job_id), fact]


def remove(context: JobContext, tree: ThreadTree) -> None:
    """Removes resumed partial work from the branch. If that fails, it waits for the next job."""
    empty = context.partial is None or context.partial.snapshot is None
    try:
        tree.discard_own()
        tree.push(context.check_lease)
        fate = EarlierFate.NOT_STARTED if empty else EarlierFate.REMOVED
    except (GitError, ConflictError) as error:
        logger().warning("Could not remove pushed partial work; the next job removes it.", extra={"cause": str(error)})
        fate = EarlierFate.KEPT
    note(context, fate)
    context.partial = None


def _settle_partial(context: JobContext, tree: ThreadTree, outcome: Outcome) -> dict[str, object]:
    others, partial = earlier_jobs(context), context.partial
    if partial is None or tree.commits().unfinished():  # a rebase has dropped what was resumed
        note(context, EarlierFate.KEPT)
    elif (outcome.result is Result.NOTHING_CHANGED and not context.leaves_earlier_work) or not others:
        remove(context, tree)
        if outcome.result is Result.NOTHING_CHANGED:
            note(context, EarlierFate.INCLUDED, others)
    elif outcome.understood is Command.STOP or (partial.snapshot is None and _continues_later(context, outcome)):
        tree.reset_to_remote()  # the next mail continues it, or decides what happens to it
        note(context, EarlierFate.KEPT)
    elif partial.snapshot is None:
        remove(context, tree)
    else:
        return _make_separate(context, tree, partial.snapshot, others)
    context.partial = None
    return {}


def _continues_later(context: JobContext, outcome: Outcome) -> bool:
    """Whether the agent needs the earlier request again, with the next mail."""
    return outcome.result is Result.ASKED or context.leaves_earlier_work


def _make_separate(context: JobContext, tree: ThreadTree, snapshot: str, jobs: tuple[str, ...]) -> dict[str, object]:
    """Builds and deploys partial work as a separate change, or removes it."""
    try:
        if not tree.restore(snapshot):
            raise ConflictError
        build_site(context, tree)
        _check_risks(context, tree)
        name = change_name("", tree) or request_of(context, jobs[-1])
        commit = tree.commit(separate_message(context.job, name, jobs))
        push_built(context, tree)
    except (GitError, JobFailedError) as error:
        logger().info("Could not deploy partial work as a change; removing it.", extra={"cause": str(error)})
        remove(context, tree)
        return {}
    change = next(one for one in tree.commits() if one.commit in (commit, tree.head))
    deployed = deploy_or_revert(context, tree)
    context.partial = None
    for job_id in change.jobs:
        add_separate(context, change, job_id)
    return deployed


def _check_risks(context: JobContext, tree: ThreadTree) -> None:
    if forbidden(context, find_risks(context, tree)):
        raise JobFailedError(Failure.RISK_FORBIDDEN)


def _show_branch(context: JobContext, tree: ThreadTree) -> dict[str, object]:
    """Builds and deploys the branch, if its preview shows something else."""
    commits = tree.commits()
    if commits.unfinished() or not commits or context.preview_shows(tree.content):
        return {}
    if context.preview_record() is None and not commits.active_changes():
        return {}  # everything is undone, and there was no preview
    try:
        build_site(context, tree)
    except JobFailedError as error:
        logger().warning("The branch does not build; its preview stays as it is.", extra={"cause": str(error)})
        return {}
    return deploy_preview(context)


def _is_reported(context: JobContext, change: ThreadCommit) -> bool:
    """Whether the answer of a job that made this commit has named it. So has it named everything before."""
    makers = [context.tools.find_job(job_id) for job_id in (*change.trailers[JOB], *change.decided_by)]
    outcomes = [one.outcome for one in makers if one is not None]
    named = {work.commit for outcome in outcomes if outcome is not None for work in outcome.earlier}
    is_done = any(outcome is not None and outcome.state == "done" for outcome in outcomes)
    return is_done or change.commit in named or (bool(makers) and not outcomes)  # the records have expired


def _unshown(context: JobContext, tree: ThreadTree) -> list[ThreadCommit]:
    """Finished changes and undos of other jobs that the preview does not show, or that no answer has reported."""
    commits = tree.commits()
    if not commits:
        return []
    record = context.preview_record()
    if record is not None and not record.tree:  # a deployment did not finish: its change is the newest one
        hidden = [*commits[:1]]
    elif record is not None and not context.is_reported(record):
        hidden = [*takewhile(lambda one: not _is_reported(context, one), commits)]
    else:
        shown = record.tree if record is not None else ""
        hidden = [*takewhile(lambda one: one.tree != shown, commits)]
    active = {one.commit for one in commits.active_changes()}
    finished = [one for one in hidden if one.jobs and context.job.job_id not in one.jobs]
    return [one for one in finished if one.undoes or one.commit in active]
