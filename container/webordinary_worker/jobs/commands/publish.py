"""The command that makes a thread live.

publish     build what an editor asks for, and compare it with what the question showed; ask again if it differs
            show the branch on the preview first, if it shows something else; the sender looks and says publish again
            merge the thread into the main branch (the agent may resolve conflicts once) → build, unless the preview
            has the same tree → push → live site

If the agent named the command, the sender is asked about the head of the thread first. The push decides which job was
first. The live site never shows less than the main branch: a late worker finds a newer commit live and leaves it. A
repeated job finds its commit on the main branch and continues from there.
"""

from __future__ import annotations

from webordinary.contract.messages.job import Approval
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.names import branch_of
from webordinary.contract.outcomes import Command, Failure, Result
from webordinary_worker.agent.prompts import merge_prompt
from webordinary_worker.failures import JobFailedError, PublishConflictError
from webordinary_worker.git.main_branch import MainBranch
from webordinary_worker.jobs import earlier_work
from webordinary_worker.jobs.agent_turns import ask_agent
from webordinary_worker.jobs.commit_messages import publish_message
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.pipeline import build_site, deploy_preview
from webordinary_worker.jobs.publish_questions import ask_again, ask_publishers, ask_unless_shown, is_head, named_facts
from webordinary_worker.jobs.publish_state import head_unless_live, nothing_new, published_facts
from webordinary_worker.jobs.release_contents import contents_to_publish, publish_contents

ATTEMPTS_TO_PUSH = 4


def publish(context: JobContext) -> Outcome:
    job = context.job
    approved = job.approved
    thread_id = approved.thread_id if approved else job.thread_id
    main = context.open_main()
    branch = source = f"refs/remotes/origin/{branch_of(thread_id)}"
    if not main.has_commit(branch):
        return context.done(Result.NOTHING_TO_PUBLISH)
    if approved is None:
        if (ended := _show_preview_first(context, main, source)) is not None:
            return ended
        source = main.commit_id(source)  # a later push to the branch is not published
    if not context.tools.project.can_publish(job.pair.user):
        if approved is not None:
            raise JobFailedError(Failure.NOT_A_PUBLISHER)
        return ask_publishers(context, main, thread_id, source)
    for attempt in range(ATTEMPTS_TO_PUSH):
        if approved is not None:
            if (asked := _ask_if_outdated(context, main, approved, branch, is_first=attempt == 0)) is not None:
                return asked
            source = approved.commit
        commit = _merge(context, main, thread_id, source)
        if commit is None:
            return nothing_new(context, main, source)
        contents = contents_to_publish(context, main, commit, source)
        context.cancellation.check()
        if main.is_ancestor(commit, main.upstream) or main.push_once(context.check_lease):
            facts = published_facts(context, main, source, thread_id)
            publish_contents(context, main, contents, commit, thread_id, changes=tuple(facts["published"]))
            return context.done(Result.PUBLISHED, commit=commit, live_url=context.live_url, **facts)
        main.refresh()  # another push came first: merge it too
    raise JobFailedError(Failure.CONFLICT)


def ask_before_publish(context: JobContext) -> Outcome:
    """What `publish` does, except that a sender with the permission is asked first: the agent named the command."""
    if not context.tools.project.can_publish(context.job.pair.user):
        return publish(context)
    main, thread_id = context.open_main(), context.job.thread_id
    branch = f"refs/remotes/origin/{context.job.branch}"
    if not main.has_commit(branch):
        return context.done(Result.NOTHING_TO_PUBLISH)
    if (ended := _show_preview_first(context, main, branch)) is not None:
        return ended
    if not main.find_unpublished(thread_id):
        if main.is_ancestor(branch, main.upstream) and head_unless_live(context, main) is None:
            return nothing_new(context, main, branch)
        if not main.is_ancestor(branch, main.upstream) and not main.has_changes(branch):
            return context.done(Result.NOTHING_TO_PUBLISH)
    facts = named_facts(context, main, thread_id, main.commit_id(branch))
    return context.done(Result.NOTHING_CHANGED, understood=Command.PUBLISH, preview_url=context.preview_url, **facts)


def _ask_if_outdated(
    context: JobContext, main: MainBranch, approved: Approval, branch: str, *, is_first: bool
) -> Outcome | None:
    """A new question, if the answered one no longer counts. None if the approved commit may be published."""
    if main.commit_of(context.job.job_id) is not None:
        return None  # a repeated job: the commit is on the main branch
    if not is_head(main, approved, branch):
        return ask_again(context, main, approved, branch)
    return ask_unless_shown(context, main, approved) if is_first else None


def _show_preview_first(context: JobContext, main: MainBranch, branch: str) -> Outcome | None:
    """Brings the preview up to date. None if the sender has seen in it what the branch contains."""
    if main.commit_of(context.job.job_id) is not None or not main.commits(branch):
        return None
    record = context.preview_record()
    repeated = record is not None and record.job_id == context.job.job_id  # this job deployed it before a crash
    if context.preview_shows(main.tree_of(branch)) and not main.commits(branch).unfinished() and not repeated:
        return None
    tree = earlier_work.open_thread(context)
    earlier_work.resume(context, tree)
    outcome = earlier_work.settle(context, context.done(Result.PREVIEW_CHANGED, preview_url=context.preview_url))
    main.fetch()
    if context.deployed or repeated:
        return outcome
    if context.preview_shows(tree.content):
        return None  # the interrupted jobs had changed nothing
    if record is None and not tree.commits().active_changes():
        return context.done(Result.NOTHING_TO_PUBLISH)
    build_site(context, tree)  # raises: it did not build a moment ago
    return outcome.model_copy(update=deploy_preview(context))


def _merge(context: JobContext, main: MainBranch, thread_id: str, source: str) -> str | None:
    """Returns the commit to publish, checked out in the tree. None if it is live already."""
    if (begun := main.commit_of(context.job.job_id)) is not None:
        main.reset(begun)
        return begun
    unpublished = main.find_unpublished(thread_id)
    if not unpublished and main.is_ancestor(source, main.upstream):
        return head_unless_live(context, main)
    for commit in unpublished:
        _resolve(context, main, main.remerge(commit), source)
        main.commit_intermediate()
    if not main.is_ancestor(source, main.upstream):
        _resolve(context, main, main.merge(source), source)
    subject = published_facts(context, main, source, thread_id)["subject"]
    merged = main.commit_merge(publish_message(context.job, subject, thread_id), source)
    if main.tree_of(merged) == main.tree_of(main.upstream):  # what was taken off is undone
        main.reset(main.upstream)
        return head_unless_live(context, main)
    return merged


def _resolve(context: JobContext, main: MainBranch, conflicting: tuple[str, ...], source: str) -> None:
    """Lets the agent resolve merge conflicts, once."""
    if not conflicting:
        return
    changes = main.clashes(source)
    try:
        ask_agent(context, main, merge_prompt(conflicting, changes))
        resolved = main.is_resolved()
    except JobFailedError:
        resolved = False
    if not resolved:
        main.refresh()
        raise PublishConflictError(changes)


COMMANDS = {Command.PUBLISH: publish}
