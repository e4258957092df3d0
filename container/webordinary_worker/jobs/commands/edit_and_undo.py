"""Commands that change the thread's preview.

edit    agent → build (the agent may repair once) → commit → push → deploy
undo    revert the thread's last change, or the partial work of an interrupted job → build → commit → push → deploy

The agent may also ask a question, refuse, answer, or name a command or an earlier change to undo.
"""

from __future__ import annotations

from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import ChangeState, Command, EarlierFate, Failure, Result
from webordinary.protocol.change_life import Change, fold
from webordinary.protocol.worker.run import JobCancelledError
from webordinary_worker.agent.prompts import EarlierRequest, edit_prompt, repair_prompt
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.agent.statement import NamedCommand, StatementKind
from webordinary_worker.deploy.site_risks import as_facts
from webordinary_worker.failures import BuildFailedError, JobFailedError
from webordinary_worker.git.partial_work import revert_interrupted
from webordinary_worker.git.thread_commits import ThreadCommit
from webordinary_worker.git.thread_tree import ThreadTree
from webordinary_worker.jobs import earlier_work
from webordinary_worker.jobs.agent_turns import ask_agent, changed_site_map, start_agent
from webordinary_worker.jobs.change_names import change_name
from webordinary_worker.jobs.commands import publish, unpublish
from webordinary_worker.jobs.commands.understood import end_as_understood
from webordinary_worker.jobs.commit_messages import UNNAMED, commit_message, undo_message
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.pipeline import build_site, find_risks, push_and_deploy_preview, push_built
from webordinary_worker.jobs.risk_check import forbidden
from webordinary_worker.jobs.site_guides import new_guides
from webordinary_worker.jobs.unused_uploads import remove_unused

ENDS_WITHOUT_CHANGE = (StatementKind.QUESTION, StatementKind.REFUSAL, StatementKind.TAKE_BACK)


def edit(context: JobContext) -> Outcome:
    start_agent(context)
    tree = earlier_work.open_thread(context)
    commits = tree.commits()
    if (committed := commits.commit_of(context.job.job_id)) is not None:
        return _complete(context, tree, committed)
    if commits.was_undone(context.job.job_id):
        return context.done(Result.UNDONE, subject=earlier_work.request_of(context, context.job.job_id))
    earlier_work.resume(context, tree)
    result, uploads = _run_agent(context, tree)
    if (ended := _end_without_change(context, tree, result)) is not None:
        return ended
    if (ended := end_as_understood(context, tree, result, uploads, UNDERSTOOD)) is not None:
        return ended
    if uploads.issuperset(tree.changed_files()):
        return _end_unchanged(context, result)  # only unused uploads were added
    result = _build_or_repair(context, tree, result)
    if (ended := _end_without_change(context, tree, result)) is not None:
        return ended
    remove_unused(tree, context.built_files(), uploads)
    changed = tree.changed_files()
    if not changed:  # the repair reverted everything
        return _end_unchanged(context, result)
    if refused := forbidden(context, find_risks(context, tree)):
        return context.outcome("failed", failure=Failure.RISK_FORBIDDEN, **as_facts(refused), **_language(result))
    name = change_name(result.statement.title if result.statement is not None else "", tree) or UNNAMED
    commit = tree.commit(commit_message(context.job, name, earlier_work.earlier_jobs(context)))
    is_partial = _kind(result) is StatementKind.PARTIAL or bool(context.reverted_files)
    code = Result.PARTLY_CHANGED if is_partial else Result.CHANGED
    facts = {**_agent_facts(result), **context.reverted_files}
    outcome = push_and_deploy_preview(context, tree, code, changed=changed, subject=tree.subject_of(commit), **facts)
    earlier_work.note(context, EarlierFate.INCLUDED)
    return outcome


def _end_unchanged(context: JobContext, result: AgentResult) -> Outcome:
    """The agent's report is true only if it tried nothing else."""
    if reverted := context.reverted_files:
        return context.outcome("failed", failure=Failure.ONLY_PROTECTED_FILES, **reverted, **_language(result))
    return context.done(Result.NOTHING_CHANGED, **_agent_facts(result))


def undo(context: JobContext) -> Outcome:
    tree = earlier_work.open_thread(context)
    commits = tree.commits()
    if (committed := commits.commit_of(context.job.job_id)) is not None:
        return _complete(context, tree, committed)
    if parts := commits.unfinished():
        return _undo_partial_work(context, tree, parts)
    changes = [change for change in reversed(_changes(context, tree)) if not change.is_undone]
    if not changes:
        return context.done(Result.NOTHING_TO_UNDO)
    return _undo_change(context, tree, changes[0])


def _changes(context: JobContext, tree: ThreadTree) -> tuple[Change, ...]:
    """The thread's changes and where they are in their life, oldest first."""
    return fold([*tree.commits().events(), *context.tools.live.events(context.job.thread_id)])


def _undo_change(context: JobContext, tree: ThreadTree, change: Change, **facts: object) -> Outcome:
    tree.stage_undo(change.commit)
    changed = tree.changed_files()
    try:
        build_site(context, tree)
    except (BuildFailedError, JobCancelledError):
        tree.discard_changes()  # a partial undo must not be kept: it would look like a change
        raise
    tree.commit(undo_message(context.job, change.name, change.commit))
    return push_and_deploy_preview(context, tree, Result.UNDONE, changed=changed, **_undone(change), **facts)


def _undone(change: Change) -> dict[str, object]:
    return {"subject": change.name, "undone": change.commit, "still_live": change.state is ChangeState.LIVE}


def _undo_partial_work(context: JobContext, tree: ThreadTree, parts: list[ThreadCommit]) -> Outcome:
    """Undoes what an interrupted job had begun: its preview never showed it, so only the branch changes."""
    jobs = tuple(dict.fromkeys(job for part in parts for job in part.interrupted_jobs))
    name = earlier_work.request_of(context, jobs[0]) or parts[0].name
    revert_interrupted(tree, undo_message(context.job, name))
    push_built(context, tree)
    if all(part.is_empty for part in parts):
        earlier_work.note(context, EarlierFate.NOT_STARTED, jobs)
        return context.done(Result.NOTHING_CHANGED)
    return context.done(Result.UNDONE, subject=name)


def _end_without_change(context: JobContext, tree: ThreadTree, result: AgentResult) -> Outcome | None:
    """Handles a question, a refusal or an undo. The agent's edits are discarded in each case."""
    kind, statement = _kind(result), result.statement
    if statement is None or kind not in ENDS_WITHOUT_CHANGE:
        return None
    tree.discard_changes()
    context.partial_in_tree = False
    facts = _agent_facts(result)
    if kind is StatementKind.QUESTION:
        question = statement.question.strip() or str(facts.pop("summary"))
        return context.done(Result.ASKED, **{**facts, "question": question})
    if kind is StatementKind.REFUSAL:
        return context.outcome("failed", failure=Failure.AGENT_REFUSED, **facts)
    changes = [change for change in reversed(_changes(context, tree)) if not change.is_undone]
    if not 1 <= statement.take_back <= len(changes):
        return context.done(Result.NOTHING_TO_UNDO, language=statement.language)
    return _undo_change(context, tree, changes[statement.take_back - 1], language=statement.language)


def _kind(result: AgentResult) -> StatementKind:
    return result.statement.kind if result.statement is not None else StatementKind.RESULT


def _language(result: AgentResult) -> dict[str, object]:
    return {"language": result.statement.language} if result.statement is not None else {}


def _agent_facts(result: AgentResult) -> dict[str, object]:
    """The agent's texts, as fields of an outcome."""
    statement = result.statement
    if statement is None:
        return {"summary": result.summary}
    return {"summary": statement.summary, "not_done": statement.not_done, "language": statement.language}


def _run_agent(context: JobContext, tree: ThreadTree) -> tuple[AgentResult, set[str]]:
    """Returns the agent's result and the images that the mail added to the site."""
    job, tools, home, partial = context.job, context.tools, context.home, context.partial
    home.make()
    placed = tools.attachments.place(job, tree.folder, home, tools.project.folder)
    changes = [change.name for change in reversed(_changes(context, tree)) if not change.is_undone]
    site = changed_site_map(context, tree)
    resumed = partial is not None and job.job_id in partial.jobs and partial.has_work
    prompt = edit_prompt(
        job,
        placed.lines,
        earlier=_earlier_requests(context),
        resumed=resumed,
        changes=changes,
        site=site,
        guides=new_guides(context, tree),
    )
    return ask_agent(context, tree, prompt), placed.uploads


def _earlier_requests(context: JobContext) -> list[EarlierRequest]:
    records = (context.tools.find_job(job_id) for job_id in earlier_work.earlier_jobs(context))
    return [
        EarlierRequest(record.job, record.outcome is not None and record.outcome.stopped_by is not None)
        for record in records
        if record is not None
    ]


def _build_or_repair(context: JobContext, tree: ThreadTree, result: AgentResult) -> AgentResult:
    try:
        build_site(context, tree)
    except BuildFailedError as broken:
        try:
            repaired = ask_agent(context, tree, repair_prompt(broken))
            if _kind(repaired) not in ENDS_WITHOUT_CHANGE:
                build_site(context, tree)
        except JobFailedError:
            tree.discard_changes()
            raise
        return repaired
    return result


def _complete(context: JobContext, tree: ThreadTree, committed: ThreadCommit) -> Outcome:
    """Builds and deploys a commit that an earlier worker made for this job and did not deploy."""
    changes = {change.commit: change for change in _changes(context, tree)}
    commit, undone = committed.commit, next(iter(committed.undoes), "")
    build_site(context, tree)
    changed = tree.files_of(commit)
    if undone and undone not in changes:  # partial work
        return push_and_deploy_preview(context, tree, Result.UNDONE, changed=changed, subject=tree.name_of(undone))
    if undone or changes[commit].is_undone:
        facts = _undone(changes[undone or commit])
        return push_and_deploy_preview(context, tree, Result.UNDONE, changed=changed, **facts)
    return push_and_deploy_preview(context, tree, Result.CHANGED, changed=changed, subject=changes[commit].name)


UNDERSTOOD = {
    NamedCommand.UNDO: undo,
    NamedCommand.PUBLISH: publish.ask_before_publish,
    NamedCommand.UNPUBLISH: unpublish.ask_before_unpublish,
}
COMMANDS = {Command.EDIT: edit, Command.UNDO: undo}
