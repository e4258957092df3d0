"""Questions about a publish: to publishers about an editor's thread, and again if an answered one no longer counts."""

from __future__ import annotations

from typing import Any

from webordinary.contract.messages.job import Approval
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Failure, Result
from webordinary_worker.failures import JobFailedError
from webordinary_worker.git.main_branch import MainBranch
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.publish_state import published_facts
from webordinary_worker.jobs.what_would_go_live import (
    deploy_what_is_asked,
    facts_of_clean_build,
    facts_of_question,
)


def ask_publishers(context: JobContext, main: MainBranch, thread_id: str, source: str) -> Outcome:
    if not main.has_changes(source) and not main.find_unpublished(thread_id):
        return context.done(Result.NOTHING_TO_PUBLISH)
    facts = named_facts(context, main, thread_id, source)
    return context.done(Result.PUBLISH_ASKED, preview_url=context.preview_url, **facts)


def named_facts(context: JobContext, main: MainBranch, thread_id: str, source: str) -> dict[str, object]:
    """The fields of a question, with the name that the publish would have."""
    subject = published_facts(context, main, source, thread_id)["subject"]
    return {**facts_of_question(context, main, thread_id, source), "subject": subject}


def is_head(main: MainBranch, approved: Approval, branch: str) -> bool:
    """Whether the approved state is still what the thread's preview shows."""
    is_same_tree = approved.tree in ("", main.tree_of(branch))
    return approved.commit == main.commit_id(branch) and is_same_tree


def ask_again(context: JobContext, main: MainBranch, approved: Approval, source: str) -> Outcome:
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
        facts = named_facts(context, main, thread_id, source)
        return context.done(Result.PUBLISH_ASKED_AGAIN, **facts)
    return _ask_about_build(context, main, thread_id, facts_of_clean_build(context, main, thread_id, source))


def ask_unless_shown(context: JobContext, main: MainBranch, approved: Approval) -> Outcome | None:
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
    named = {**facts, "subject": published_facts(context, main, facts["commit"], thread_id)["subject"]}
    return context.done(Result.PUBLISH_ASKED_AGAIN, preview_url=preview_url, **named)
