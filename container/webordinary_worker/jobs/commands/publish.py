"""Commands that change the live site.

publish     merge the thread into the main branch (the agent may resolve conflicts once) → build, unless the preview
            has the same tree → push → live site
unpublish   revert the last release on the main branch → push → roll back to the release before it, without a build

The push decides which job was first. The live site never shows less than the main branch: a late worker finds a newer
commit live and leaves it. A repeated job finds its commit on the main branch and continues from there.
"""

from __future__ import annotations

from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.names import branch_of, preview_prefix
from webordinary.contract.outcomes import Command, Failure, Result
from webordinary.sites.live_releases import LiveRecord, LiveRelease
from webordinary_worker.agent.prompts import merge_prompt
from webordinary_worker.deploy.built_files import SiteFiles
from webordinary_worker.deploy.live_site import Contents
from webordinary_worker.deploy.release_sources import BuiltContents, PreviewContents
from webordinary_worker.failures import JobFailedError, PublishConflictError
from webordinary_worker.git.main_branch import MainBranch
from webordinary_worker.jobs.agent_turns import ask_agent
from webordinary_worker.jobs.commit_messages import publish_message, unpublish_message
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.pipeline import build_site, publish_live, roll_back_live
from webordinary_worker.jobs.risk_check import thread_risks

ATTEMPTS_TO_PUSH = 4


def publish(context: JobContext) -> Outcome:
    job = context.job
    approved = job.approved
    thread_id = approved.thread_id if approved else job.thread_id
    main = context.open_main()
    source = f"refs/remotes/origin/{branch_of(thread_id)}"
    if not main.has_commit(source):
        return context.done(Result.NOTHING_TO_PUBLISH)
    if approved is not None:
        if not (main.has_commit(approved.commit) and main.is_ancestor(approved.commit, source)):
            raise JobFailedError(Failure.APPROVAL_OUTDATED)
        source = approved.commit
    if not context.tools.project.can_publish(job.pair.user):
        return _ask_publishers(context, main, source)
    for _ in range(ATTEMPTS_TO_PUSH):
        commit = _merge(context, main, thread_id, source)
        if commit is None:
            return context.done(Result.ALREADY_LIVE, live_url=context.live_url)
        contents = _contents(context, main, commit, source)
        context.cancellation.check()
        if main.is_ancestor(commit, main.upstream) or main.push_once(context.check_lease):
            _publish(context, main, contents, commit, thread_id)
            subject = main.subject_of(source)
            return context.done(Result.PUBLISHED, commit=commit, subject=subject, live_url=context.live_url)
        main.refresh()  # another push came first: merge it too
    raise JobFailedError(Failure.CONFLICT)


def unpublish(context: JobContext) -> Outcome:
    job, live = context.job, context.tools.live
    if not context.tools.project.can_publish(job.pair.user):
        raise JobFailedError(Failure.NOT_A_PUBLISHER)
    main = context.open_main()
    for _ in range(ATTEMPTS_TO_PUSH):
        record = live.read()
        if record.job_id == job.job_id:
            return context.done(Result.UNPUBLISHED, live_url=context.live_url)
        begun = main.commit_of(job.job_id)
        shown = live.find_release(main.reverted_release(begun) if begun else record.number)
        previous = live.find_release(shown.previous) if shown else None
        if shown is None or previous is None:
            return context.done(Result.NOTHING_TO_UNPUBLISH)
        commit = begun or _unmerge(context, main, shown, previous)
        context.cancellation.check()
        if commit is None:
            _roll_back_to(context, shown, previous, record.commit)
            return context.done(Result.UNPUBLISHED_FOR_NOW, live_url=context.live_url)
        if begun or main.push_once(context.check_lease):
            # The live site is the commit before this one, unless something else was pushed.
            if not (main.follows(commit, record.commit) and _roll_back_to(context, shown, previous, commit)):
                _publish_built(context, main, commit)
            return context.done(Result.UNPUBLISHED, commit=commit, live_url=context.live_url)
        main.refresh()
    raise JobFailedError(Failure.CONFLICT)


def _ask_publishers(context: JobContext, main: MainBranch, source: str) -> Outcome:
    if main.is_ancestor(source, main.upstream) and not main.find_unpublish(context.job.thread_id):
        return context.done(Result.NOTHING_TO_PUBLISH)
    commit = main.commit_id(source)
    return context.done(
        Result.PUBLISH_ASKED,
        commit=commit,
        subject=main.subject_of(commit),
        preview_url=context.preview_url,
        **thread_risks(context, context.job.thread_id),
    )


def _merge(context: JobContext, main: MainBranch, thread_id: str, source: str) -> str | None:
    """Returns the commit to publish, checked out in the tree. None if it is live already."""
    if (begun := main.commit_of(context.job.job_id)) is not None:
        main.check_out(begun)
        return begun
    unpublished = main.find_unpublish(thread_id)
    if unpublished is None and main.is_ancestor(source, main.upstream):
        # Merged already, but perhaps not live: people may push to the main branch by themselves.
        head = main.commit_id(main.upstream)
        return None if context.tools.live.read().commit == head else head
    if unpublished is not None:
        _resolve(context, main, main.remerge(unpublished), source)
        main.commit_intermediate()
    if not main.is_ancestor(source, main.upstream):
        _resolve(context, main, main.merge(source), source)
    subject = main.subject_of(source)
    return main.commit_merge(publish_message(context.job, subject, thread_id), source)


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


def _contents(context: JobContext, main: MainBranch, commit: str, source: str) -> Contents:
    """The files to publish: the preview's, if it was built from the same tree, else a new build."""
    tools, job = context.tools, context.job
    tree = main.tree_of(commit)
    if job.approved is None and tree == main.tree_of(source):
        shown = tools.preview(job.thread_id).files_built_from(tree)
        if shown is not None:
            return PreviewContents(tools.s3, preview_prefix(job.pair.project, job.thread_id), shown)
    return _built(context, main)


def _built(context: JobContext, main: MainBranch) -> Contents:
    tools = context.tools
    built = build_site(context, main, clean=True)
    return BuiltContents(tools.s3, SiteFiles(built, tools.builder_user, tools.limits.site))


def _publish(context: JobContext, main: MainBranch, contents: Contents, commit: str, thread_id: str) -> None:
    def is_newer(record: LiveRecord) -> bool:
        if not main.has_commit(record.commit):
            main.fetch()
        return not (main.has_commit(record.commit) and main.is_ancestor(commit, record.commit))

    publish_live(context, contents, commit=commit, thread_id=thread_id, should_proceed=is_newer)


def _unmerge(context: JobContext, main: MainBranch, shown: LiveRelease, previous: LiveRelease) -> str | None:
    """Commits the revert of a release to the main branch. None if later commits conflict with it."""
    if not (main.has_commit(shown.commit) and main.has_commit(previous.commit)):
        return None
    if main.unmerge(shown.commit, previous.commit):
        main.refresh()
        return None
    return main.commit_merge(unpublish_message(context.job, main.subject_of(shown.commit), shown))


def _publish_built(context: JobContext, main: MainBranch, commit: str) -> None:
    main.check_out(commit)
    _publish(context, main, _built(context, main), commit, "")


def _roll_back_to(context: JobContext, shown: LiveRelease, previous: LiveRelease, commit: str) -> bool:
    return roll_back_live(context, previous, commit=commit, should_proceed=lambda record: record.number == shown.number)


COMMANDS = {Command.PUBLISH: publish, Command.UNPUBLISH: unpublish}
