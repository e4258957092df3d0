"""The command that takes the last release off the live site.

unpublish   revert the last release on the main branch → push → roll back to the release before it, without a build

If the agent named the command, the sender is asked first. The yes counts for the release that was live then.
"""

from __future__ import annotations

from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Command, Failure, Result
from webordinary.sites.live_releases import LiveRelease
from webordinary_worker.failures import JobFailedError, best_effort
from webordinary_worker.git.main_branch import MainBranch
from webordinary_worker.jobs import earlier_work
from webordinary_worker.jobs.commands.publish import ATTEMPTS_TO_PUSH
from webordinary_worker.jobs.commit_messages import PUBLISH, unpublish_message
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.pipeline import roll_back_live
from webordinary_worker.jobs.release_contents import built_contents, publish_contents


def unpublish(context: JobContext) -> Outcome:
    if not context.tools.project.can_publish(context.job.pair.user):
        raise JobFailedError(Failure.NOT_A_PUBLISHER)
    main = context.open_main()
    outcome = _unpublish(context, main)
    best_effort(lambda: _resume_earlier_work(context, main), None, "look for partial work")
    return outcome


def ask_before_unpublish(context: JobContext) -> Outcome:
    """What `unpublish` does, except that a sender with the permission is asked first."""
    if not context.tools.project.can_publish(context.job.pair.user):
        raise JobFailedError(Failure.NOT_A_PUBLISHER)
    main, live = context.open_main(), context.tools.live
    shown = live.find_release(live.read().number)
    if shown is None or live.find_release(shown.previous) is None:
        return context.done(Result.NOTHING_TO_UNPUBLISH)
    return _ask_to_unpublish(context, main, shown)


def _ask_to_unpublish(context: JobContext, main: MainBranch, shown: LiveRelease) -> Outcome:
    facts = {"release": shown.number, "subject": _name_of(main, shown), "live_url": None}
    return context.done(Result.NOTHING_CHANGED, understood=Command.UNPUBLISH, **facts)


def _name_of(main: MainBranch, release: LiveRelease | None) -> str:
    """What a release made live; empty if that is unknown."""
    if release is None or not main.has_commit(release.commit):
        return ""
    return main.subject_of(release.commit).removeprefix(PUBLISH)


def _resume_earlier_work(context: JobContext, main: MainBranch) -> None:
    """The live site comes first. What earlier jobs have left in this thread is settled after it."""
    branch = f"refs/remotes/origin/{context.job.branch}"
    if not main.has_commit(branch):
        return
    if main.commits(branch).unfinished() or not context.preview_shows(main.tree_of(branch)):
        earlier_work.resume(context, earlier_work.open_thread(context))


def _unpublish(context: JobContext, main: MainBranch) -> Outcome:
    job, live = context.job, context.tools.live
    for _ in range(ATTEMPTS_TO_PUSH):
        record = live.read()
        begun = main.commit_of(job.job_id)
        shown = live.find_release(main.reverted_release(begun) if begun else record.number)
        if record.job_id == job.job_id:
            if begun is None:  # what was taken off is no longer on record
                return context.done(Result.UNPUBLISHED_FOR_NOW, live_url=context.live_url)
            return context.done(Result.UNPUBLISHED, live_url=context.live_url, subject=_name_of(main, shown))
        previous = live.find_release(shown.previous) if shown else None
        if shown is None or previous is None:
            return context.done(Result.NOTHING_TO_UNPUBLISH)
        if job.approved is not None and not begun and job.approved.release != shown.number:
            return _ask_to_unpublish(context, main, shown)
        commit = begun or _unmerge(context, main, shown, previous)
        context.cancellation.check()
        if commit is None:
            # The commit of the release that is shown now: the main branch has more, so a publish is not "already live".
            _roll_back_to(context, shown, previous, previous.commit)
            return context.done(Result.UNPUBLISHED_FOR_NOW, live_url=context.live_url, subject=_name_of(main, shown))
        if begun or main.push_once(context.check_lease):
            # The live site is the commit before this one, unless something else was pushed.
            if not (main.follows(commit, record.commit) and _roll_back_to(context, shown, previous, commit)):
                _publish_built(context, main, commit, previous)
            facts = {"live_url": context.live_url, "subject": _name_of(main, shown)}
            return context.done(Result.UNPUBLISHED, commit=commit, **facts)
        main.refresh()
    raise JobFailedError(Failure.CONFLICT)


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
    main.reset(commit)
    publish_contents(context, main, built_contents(context, main), commit, "", previous=previous)


def _roll_back_to(context: JobContext, shown: LiveRelease, previous: LiveRelease, commit: str) -> bool:
    return roll_back_live(context, previous, commit=commit, should_proceed=lambda record: record.number == shown.number)


COMMANDS = {Command.UNPUBLISH: unpublish}
