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
from webordinary_worker.failures import JobFailedError, PublishConflictError
from webordinary_worker.git.main_branch import MainBranch
from webordinary_worker.jobs import earlier_work
from webordinary_worker.jobs.agent_turns import ask_agent
from webordinary_worker.jobs.commit_messages import publish_message
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.pipeline import build_site, deploy_preview, publish_live
from webordinary_worker.jobs.what_would_go_live import (
    deploy_what_is_asked,
    facts_of_clean_build,
    facts_of_question,
)

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
    for attempt in range(ATTEMPTS_TO_PUSH):
        if approved is not None:
            if main.commit_of(job.job_id) is None:
                if not _is_head(main, approved, branch):
                    return _ask_again(context, main, approved, branch)
                if attempt == 0 and (asked := _ask_unless_shown(context, main, approved)) is not None:
                    return asked
            source = approved.commit
        commit = _merge(context, main, thread_id, source)
        if commit is None:
            return _nothing_new(context, main, source)
        contents = _contents(context, main, commit, source)
        context.cancellation.check()
        if main.is_ancestor(commit, main.upstream) or main.push_once(context.check_lease):
            facts = _published(context, main, source, thread_id)
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
        if main.is_ancestor(branch, main.upstream) and _head_unless_live(context, main) is None:
            return _nothing_new(context, main, branch)
        if not main.is_ancestor(branch, main.upstream) and not main.has_changes(branch):
            return context.done(Result.NOTHING_TO_PUBLISH)
    facts = _facts_of_question(context, main, thread_id, main.commit_id(branch))
    return context.done(Result.NOTHING_CHANGED, understood=Command.PUBLISH, preview_url=context.preview_url, **facts)


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


def _ask_again(context: JobContext, main: MainBranch, approved: Approval, source: str) -> Outcome:
    """Asks the publisher about the present state of a thread: the answered question is about an earlier one."""
    thread_id = approved.thread_id
    if not main.find_unpublished(thread_id):
        if main.is_ancestor(source, main.upstream):
            return context.done(Result.ALREADY_LIVE, live_url=context.live_url)
        if not main.has_changes(source):
            raise JobFailedError(Failure.APPROVAL_OUTDATED)  # all of them were undone
    if main.commits(source).unfinished():
        raise JobFailedError(Failure.APPROVAL_OUTDATED)  # no preview shows the partial work of an interrupted job
    if approved.asked_by is None:  # about the sender's own thread
        facts = _facts_of_question(context, main, thread_id, source)
        return context.done(Result.PUBLISH_ASKED_AGAIN, **facts)
    return _ask_about_build(context, main, thread_id, facts_of_clean_build(context, main, thread_id, source))


def _ask_unless_shown(context: JobContext, main: MainBranch, approved: Approval) -> Outcome | None:
    """Asks the publisher again, unless a build of the commit is what the editor's worker let the question show."""
    if approved.asked_by is None or approved.is_checked:
        return None
    if main.is_ancestor(approved.commit, main.upstream):  # it was published before
        return None
    facts = facts_of_clean_build(context, main, approved.thread_id, approved.commit)
    if context.done(Result.PUBLISH_ASKED_AGAIN, **facts).digest_of_question() == approved.shown:
        main.reset(main.upstream)
        return None
    return _ask_about_build(context, main, approved.thread_id, facts)


def _ask_about_build(context: JobContext, main: MainBranch, thread_id: str, facts: dict[str, Any]) -> Outcome:
    preview_url = deploy_what_is_asked(context, main, facts["commit"])
    named = {**facts, "subject": _published(context, main, facts["commit"], thread_id)["subject"]}
    return context.done(Result.PUBLISH_ASKED_AGAIN, preview_url=preview_url, **named)


def _merge(context: JobContext, main: MainBranch, thread_id: str, source: str) -> str | None:
    """Returns the commit to publish, checked out in the tree. None if it is live already."""
    if (begun := main.commit_of(context.job.job_id)) is not None:
        main.reset(begun)
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
        main.reset(main.upstream)
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
    return built_contents(context, main)


def _previewed(context: JobContext, tree: str) -> Contents | None:
    """The preview's files, if they were built from this tree and are what its record says."""
    tools, job = context.tools, context.job
    preview = tools.preview(job.thread_id)
    files = preview.files_built_from(tree)
    if files is None:
        return None
    shown = preview.contents(files, context.folder / "preview-files")
    return shown if shown.fetch(set(tools.live.read().files.values())) else None


def built_contents(context: JobContext, main: MainBranch) -> Contents:
    tools = context.tools
    built = context.output if context.cleanly_built == main.content else None
    if built is None:
        built = build_site(context, main, clean=True)
    return BuiltContents(tools.s3, SiteFiles(built, tools.builder_user, tools.limits.site))


def publish_contents(
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


COMMANDS = {Command.PUBLISH: publish}
