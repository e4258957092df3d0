"""Commands that change the live site.

publish     show the branch on the preview first, if it shows something else; the sender looks and says publish again
            merge the thread into the main branch (the agent may resolve conflicts once) → build, unless the preview
            has the same tree → push → live site
unpublish   revert the last release on the main branch → push → roll back to the release before it, without a build

The push decides which job was first. The live site never shows less than the main branch: a late worker finds a newer
commit live and leaves it. A repeated job finds its commit on the main branch and continues from there.
"""

from __future__ import annotations

from typing import Any

from webordinary.contract.messages.job import Approval
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.names import branch_of
from webordinary.contract.outcomes import ChangeState, Command, Failure, Result
from webordinary.contract.thread_tokens import is_thread_of
from webordinary.protocol.change_life import Change, fold
from webordinary.sites.live_releases import LiveRecord, LiveRelease
from webordinary_worker.agent.prompts import merge_prompt
from webordinary_worker.deploy.built_files import SiteFiles
from webordinary_worker.deploy.live_site import Contents
from webordinary_worker.deploy.release_sources import BuiltContents
from webordinary_worker.failures import JobFailedError, PublishConflictError, best_effort
from webordinary_worker.git.main_branch import MainBranch
from webordinary_worker.jobs import earlier_work
from webordinary_worker.jobs.agent_turns import ask_agent
from webordinary_worker.jobs.commit_messages import publish_message, unpublish_message
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.pipeline import build_site, deploy_preview, publish_live, roll_back_live
from webordinary_worker.jobs.what_would_go_live import facts_of_question

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
        return _ask_publishers(context, main, thread_id, source)
    for _ in range(ATTEMPTS_TO_PUSH):
        if approved is not None:
            if main.commit_of(job.job_id) is None and not _is_head(main, approved, branch):
                return _ask_again(context, main, thread_id, branch)
            source = approved.commit
        commit = _merge(context, main, thread_id, source)
        if commit is None:
            return _nothing_new(context, main, source)
        contents = _contents(context, main, commit, source)
        context.cancellation.check()
        if main.is_ancestor(commit, main.upstream) or main.push_once(context.check_lease):
            facts = _published(context, main, source, thread_id)
            _publish(context, main, contents, commit, thread_id, changes=tuple(facts["published"]))
            return context.done(Result.PUBLISHED, commit=commit, live_url=context.live_url, **facts)
        main.refresh()  # another push came first: merge it too
    raise JobFailedError(Failure.CONFLICT)


def unpublish(context: JobContext) -> Outcome:
    if not context.tools.project.can_publish(context.job.pair.user):
        raise JobFailedError(Failure.NOT_A_PUBLISHER)
    main = context.open_main()
    outcome = _unpublish(context, main)
    best_effort(lambda: _resume_earlier_work(context, main), None, "look for partial work")
    return outcome


def _resume_earlier_work(context: JobContext, main: MainBranch) -> None:
    """The live site comes first. What an interrupted job has left in this thread is settled after it."""
    branch = f"refs/remotes/origin/{context.job.branch}"
    if main.has_commit(branch) and main.commits(branch).unfinished():
        earlier_work.resume(context, earlier_work.open_thread(context))


def _unpublish(context: JobContext, main: MainBranch) -> Outcome:
    job, live = context.job, context.tools.live
    for _ in range(ATTEMPTS_TO_PUSH):
        record = live.read()
        begun = main.commit_of(job.job_id)
        if record.job_id == job.job_id:
            result = Result.UNPUBLISHED if begun else Result.UNPUBLISHED_FOR_NOW
            return context.done(result, live_url=context.live_url)
        shown = live.find_release(main.reverted_release(begun) if begun else record.number)
        previous = live.find_release(shown.previous) if shown else None
        if shown is None or previous is None:
            return context.done(Result.NOTHING_TO_UNPUBLISH)
        commit = begun or _unmerge(context, main, shown, previous)
        context.cancellation.check()
        if commit is None:
            # The commit of the release that is shown now: the main branch has more, so a publish is not "already live".
            _roll_back_to(context, shown, previous, previous.commit)
            return context.done(Result.UNPUBLISHED_FOR_NOW, live_url=context.live_url)
        if begun or main.push_once(context.check_lease):
            # The live site is the commit before this one, unless something else was pushed.
            if not (main.follows(commit, record.commit) and _roll_back_to(context, shown, previous, commit)):
                _publish_built(context, main, commit, previous)
            return context.done(Result.UNPUBLISHED, commit=commit, live_url=context.live_url)
        main.refresh()
    raise JobFailedError(Failure.CONFLICT)


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


def _changes(context: JobContext, main: MainBranch, source: str, thread_id: str) -> tuple[Change, ...]:
    return fold([*main.commits(source).events(), *context.tools.live.events(thread_id)])


def _published(context: JobContext, main: MainBranch, source: str, thread_id: str) -> dict[str, Any]:
    """What the publish makes live, as fields of an outcome. It is named by the newest change that is not live yet."""
    changes = _changes(context, main, source, thread_id)
    active = [change for change in changes if not change.is_undone]
    news = [change for change in active if change.state is not ChangeState.LIVE]
    removed = [change for change in changes if change.state is ChangeState.UNDONE_STILL_LIVE]
    named = next(reversed(news or removed or active), None)
    return {
        "subject": named.name if named is not None else main.subject_of(source),
        "published": [change.commit for change in active],
    }


def _nothing_new(context: JobContext, main: MainBranch, source: str) -> Outcome:
    if (commits := main.commits(source)) and not commits.active_changes():
        return context.done(Result.NOTHING_TO_PUBLISH)
    return context.done(Result.ALREADY_LIVE, live_url=context.live_url)


def _ask_publishers(context: JobContext, main: MainBranch, thread_id: str, source: str) -> Outcome:
    if not main.has_changes(source) and not main.find_unpublished(thread_id):
        return context.done(Result.NOTHING_TO_PUBLISH)
    facts = _facts_of_question(context, main, thread_id, source)
    return context.done(Result.PUBLISH_ASKED, preview_url=context.preview_url, **facts)


def _facts_of_question(context: JobContext, main: MainBranch, thread_id: str, source: str) -> dict[str, object]:
    subject = _published(context, main, source, thread_id)["subject"]
    return {**facts_of_question(context, main, thread_id, source), "subject": subject}


def _is_head(main: MainBranch, approved: Approval, branch: str) -> bool:
    """Whether the approved state is still what the thread's preview shows."""
    is_same_tree = approved.tree in ("", main.tree_of(branch))
    return approved.commit == main.commit_id(branch) and is_same_tree


def _ask_again(context: JobContext, main: MainBranch, thread_id: str, source: str) -> Outcome:
    """Asks the publisher about the present state of a thread: the answered question is about an earlier one."""
    if not main.find_unpublished(thread_id):
        if main.is_ancestor(source, main.upstream):
            return context.done(Result.ALREADY_LIVE, live_url=context.live_url)
        if not main.has_changes(source):
            raise JobFailedError(Failure.APPROVAL_OUTDATED)  # all of them were undone
    if main.commits(source).unfinished():
        raise JobFailedError(Failure.APPROVAL_OUTDATED)  # no preview shows the partial work of an interrupted job
    # No preview URL: the screenshots of a job are of its own thread.
    return context.done(Result.PUBLISH_ASKED_AGAIN, **_facts_of_question(context, main, thread_id, source))


def _merge(context: JobContext, main: MainBranch, thread_id: str, source: str) -> str | None:
    """Returns the commit to publish, checked out in the tree. None if it is live already."""
    if (begun := main.commit_of(context.job.job_id)) is not None:
        main.check_out(begun)
        return begun
    unpublished = main.find_unpublished(thread_id)
    if not unpublished and main.is_ancestor(source, main.upstream):
        return _head_unless_live(context, main)
    for commit in unpublished:
        _resolve(context, main, main.remerge(commit), source)
        main.commit_intermediate()
    if not main.is_ancestor(source, main.upstream):
        _resolve(context, main, main.merge(source), source)
    subject = _published(context, main, source, thread_id)["subject"]
    merged = main.commit_merge(publish_message(context.job, subject, thread_id), source)
    if main.tree_of(merged) == main.tree_of(main.upstream):  # what was taken off is undone
        main.check_out(main.upstream)
        return _head_unless_live(context, main)
    return merged


def _head_unless_live(context: JobContext, main: MainBranch) -> str | None:
    """The main branch. It may not be live: people push to it by themselves, and an unpublish may be for now only."""
    head = main.commit_id(main.upstream)
    return None if context.tools.live.read().commit == head else head


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
    job = context.job
    tree = main.tree_of(commit)
    # Other pairs' workers can change the previews of their own threads and of older ones.
    if job.approved is None and is_thread_of(job.thread_id, job.pair.key) and tree == main.tree_of(source):
        shown = _previewed(context, tree)
        if shown is not None:
            return shown
    return _built(context, main)


def _previewed(context: JobContext, tree: str) -> Contents | None:
    """The preview's files, if they were built from this tree and are what its record says."""
    tools, job = context.tools, context.job
    preview = tools.preview(job.thread_id)
    files = preview.files_built_from(tree)
    if files is None:
        return None
    shown = preview.contents(files, context.folder / "preview-files")
    return shown if shown.fetch(set(tools.live.read().files.values())) else None


def _built(context: JobContext, main: MainBranch) -> Contents:
    tools = context.tools
    built = build_site(context, main, clean=True)
    return BuiltContents(tools.s3, SiteFiles(built, tools.builder_user, tools.limits.site))


def _publish(
    context: JobContext,
    main: MainBranch,
    contents: Contents,
    commit: str,
    thread_id: str,
    *,
    changes: tuple[str, ...] | None = None,
    previous: LiveRelease | None = None,
) -> None:
    def is_newer(record: LiveRecord) -> bool:
        if not main.has_commit(record.commit):
            main.fetch()
        return not (main.has_commit(record.commit) and main.is_ancestor(commit, record.commit))

    publish_live(
        context,
        contents,
        commit=commit,
        thread_id=thread_id,
        changes=changes,
        previous=previous,
        should_proceed=is_newer,
    )


def _unmerge(context: JobContext, main: MainBranch, shown: LiveRelease, previous: LiveRelease) -> str | None:
    """Commits the revert of a release to the main branch. None if later commits conflict with it."""
    if not (main.has_commit(shown.commit) and main.has_commit(previous.commit)):
        return None
    if main.unmerge(shown.commit, previous.commit):
        main.refresh()
        return None
    return main.commit_merge(unpublish_message(context.job, main.subject_of(shown.commit), shown))


def _publish_built(context: JobContext, main: MainBranch, commit: str, previous: LiveRelease) -> None:
    """The release follows the one before the release that was taken off, so nothing rolls back to that."""
    main.check_out(commit)
    _publish(context, main, _built(context, main), commit, "", previous=previous)


def _roll_back_to(context: JobContext, shown: LiveRelease, previous: LiveRelease, commit: str) -> bool:
    return roll_back_live(context, previous, commit=commit, should_proceed=lambda record: record.number == shown.number)


COMMANDS = {Command.PUBLISH: publish, Command.UNPUBLISH: unpublish}
