"""What a publish of a thread would change, and what is live already."""

from __future__ import annotations

from typing import Any

from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import ChangeState, Result
from webordinary.protocol.change_life import Change, fold
from webordinary_worker.git.main_branch import MainBranch
from webordinary_worker.jobs.job_context import JobContext


def changes_of(context: JobContext, main: MainBranch, source: str, thread_id: str) -> tuple[Change, ...]:
    return fold([*main.commits(source).events(), *context.tools.live.events(thread_id)])


def published_facts(context: JobContext, main: MainBranch, source: str, thread_id: str) -> dict[str, Any]:
    """What the publish makes live, as fields of an outcome. It is named by the newest change that is not live yet."""
    changes = changes_of(context, main, source, thread_id)
    active = [change for change in changes if not change.is_undone]
    news = [change for change in active if change.state is not ChangeState.LIVE]
    removed = [change for change in changes if change.state is ChangeState.UNDONE_STILL_LIVE]
    named = next(reversed(news or removed or active), None)
    return {
        "subject": named.name if named is not None else main.subject_of(source),
        "published": [change.commit for change in active],
    }


def nothing_new(context: JobContext, main: MainBranch, source: str) -> Outcome:
    if (commits := main.commits(source)) and not commits.active_changes():
        return context.done(Result.NOTHING_TO_PUBLISH)
    return context.done(Result.ALREADY_LIVE, live_url=context.live_url)


def head_unless_live(context: JobContext, main: MainBranch) -> str | None:
    """The main branch. It may not be live: people push to it by themselves, and an unpublish may be for now only."""
    head = main.commit_id(main.upstream)
    return None if context.tools.live.read().commit == head else head
