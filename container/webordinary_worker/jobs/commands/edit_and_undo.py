"""Commands that change the thread's preview.

edit    agent → build (the agent may repair once) → commit → push → deploy
undo    revert the thread's last change → build → commit → push → deploy

The agent may also ask a question, refuse, or name an earlier change to undo.
"""

from __future__ import annotations

from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Command, Failure, Result
from webordinary.protocol.worker.run import JobCancelledError
from webordinary_worker.agent.prompts import edit_prompt, repair_prompt
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.agent.statement import StatementKind
from webordinary_worker.failures import BuildFailedError, JobFailedError
from webordinary_worker.git.work_tree import ThreadChange, WorkTree
from webordinary_worker.jobs.agent_turns import ask_agent, changed_site_map, start_agent
from webordinary_worker.jobs.commit_messages import commit_message, resumed_message, undo_message
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.pipeline import build_site, push_and_deploy_preview
from webordinary_worker.jobs.site_guides import new_guides


def edit(context: JobContext) -> Outcome:
    start_agent(context)
    tree = context.open_tree()
    tree.catch_up()
    if (committed := tree.commit_of(context.job.job_id)) is not None:
        return _complete(context, tree, committed)
    resumed = tree.resume_interrupted(context.job.job_id, resumed_message(context.job))
    result, uploads = _run_agent(context, tree, resumed=resumed)
    if (ended := _end_without_change(context, tree, result)) is not None:
        return ended
    if uploads.issuperset(tree.changed_files()):
        tree.discard_changes()  # only unused uploads were added
        return context.done(Result.NOTHING_CHANGED, **_agent_facts(result))
    result = _build_or_repair(context, tree, result)
    if (ended := _end_without_change(context, tree, result)) is not None:
        return ended
    changed = tree.changed_files()
    if not changed:  # the repair reverted everything
        return context.done(Result.NOTHING_CHANGED, **_agent_facts(result))
    commit = tree.commit(commit_message(context.job))
    came_to = Result.PARTLY_CHANGED if _kind(result) is StatementKind.PARTIAL else Result.CHANGED
    return push_and_deploy_preview(
        context, tree, came_to, changed=changed, subject=tree.subject_of(commit), **_agent_facts(result)
    )


def undo(context: JobContext) -> Outcome:
    tree = context.open_tree()
    tree.catch_up()
    if (committed := tree.commit_of(context.job.job_id)) is not None:
        return _complete(context, tree, committed)
    changes = tree.active_changes()
    if not changes:
        return context.done(Result.NOTHING_TO_UNDO)
    return _undo_change(context, tree, changes[0])


def _undo_change(context: JobContext, tree: WorkTree, change: ThreadChange, **facts: object) -> Outcome:
    tree.stage_undo(change.commit)
    changed = tree.changed_files()
    try:
        build_site(context, tree)
    except (BuildFailedError, JobCancelledError):
        tree.discard_changes()  # a partial undo must not be kept: it would look like a change
        raise
    tree.commit(undo_message(context.job, change.subject, change.commit))
    return push_and_deploy_preview(context, tree, Result.UNDONE, changed=changed, subject=change.subject, **facts)


def _end_without_change(context: JobContext, tree: WorkTree, result: AgentResult) -> Outcome | None:
    """Handles a question, a refusal or an undo. The agent's edits are discarded in each case."""
    kind, statement = _kind(result), result.statement
    if statement is None or kind not in (StatementKind.QUESTION, StatementKind.REFUSAL, StatementKind.TAKE_BACK):
        return None
    tree.discard_changes()
    facts = _agent_facts(result)
    if kind is StatementKind.QUESTION:
        question = statement.question.strip() or str(facts.pop("summary"))
        return context.done(Result.ASKED, **{**facts, "question": question})
    if kind is StatementKind.REFUSAL:
        return context.outcome("failed", failure=Failure.AGENT_REFUSED, **facts)
    changes = tree.active_changes()
    if not 1 <= statement.take_back <= len(changes):
        return context.done(Result.NOTHING_TO_UNDO, language=statement.language)
    return _undo_change(context, tree, changes[statement.take_back - 1], language=statement.language)


def _kind(result: AgentResult) -> StatementKind:
    return result.statement.kind if result.statement is not None else StatementKind.RESULT


def _agent_facts(result: AgentResult) -> dict[str, object]:
    """The agent's texts, as fields of an outcome."""
    statement = result.statement
    if statement is None:
        return {"summary": result.summary}
    return {"summary": statement.summary, "not_done": statement.not_done, "language": statement.language}


def _run_agent(context: JobContext, tree: WorkTree, *, resumed: bool) -> tuple[AgentResult, set[str]]:
    """Returns the agent's result and the images that the mail added to the site."""
    job, tools, home = context.job, context.tools, context.home
    home.make()
    placed = tools.attachments.place(job, tree.folder, home)
    changes = [change.subject for change in tree.active_changes()]
    site = changed_site_map(context, tree)
    prompt = edit_prompt(
        job,
        placed.lines,
        interrupted=context.after_interrupted,
        resumed=resumed,
        changes=changes,
        site=site,
        guides=new_guides(context, tree),
    )
    return ask_agent(context, tree, prompt), placed.uploads


def _build_or_repair(context: JobContext, tree: WorkTree, result: AgentResult) -> AgentResult:
    try:
        build_site(context, tree)
    except BuildFailedError as broken:
        try:
            repaired = ask_agent(context, tree, repair_prompt(broken))
            if _kind(repaired) in (StatementKind.RESULT, StatementKind.PARTIAL):
                build_site(context, tree)
        except JobFailedError:
            tree.discard_changes()
            raise
        return repaired
    return result


def _complete(context: JobContext, tree: WorkTree, commit: str) -> Outcome:
    """Builds and deploys a commit that an earlier worker made for this job and did not deploy."""
    undone = tree.undone_commit(commit)
    build_site(context, tree)
    result = Result.UNDONE if undone else Result.CHANGED
    subject = tree.subject_of(undone or commit)
    return push_and_deploy_preview(context, tree, result, changed=tree.files_of(commit), subject=subject)


COMMANDS = {Command.EDIT: edit, Command.UNDO: undo}
