"""Commands that change the site.

edit    agent → build (one repair by the agent) → commit → push → deploy
undo    take back the thread's last change → build → commit → push → deploy

The agent may also ask, refuse, or say which earlier change a mail wants taken back.
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
from webordinary_worker.jobs.commit_messages import commit_message, taken_up_message, undo_message
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.pipeline import build_site, push_and_deploy_preview


def edit(context: JobContext) -> Outcome:
    start_agent(context)
    tree = context.open_tree()
    tree.catch_up()
    if (begun := tree.commit_of(context.job.job_id)) is not None:
        return _complete(context, tree, begun)
    interrupted = tree.resume_interrupted(context.job.job_id, taken_up_message(context.job))
    result, uploads = _let_the_agent_edit(context, tree, begun=interrupted)
    if (ended := _ended_unchanged(context, tree, result)) is not None:
        return ended
    if uploads.issuperset(tree.changed_files()):
        tree.discard_changes()  # pictures that no page shows do not belong on the site
        return context.done(Result.NOTHING_CHANGED, **_said(result))
    result = _build_or_repair(context, tree, result)
    if (ended := _ended_unchanged(context, tree, result)) is not None:
        return ended
    changed = tree.changed_files()
    if not changed:  # the repair took everything back
        return context.done(Result.NOTHING_CHANGED, **_said(result))
    commit = tree.commit(commit_message(context.job))
    came_to = Result.PARTLY_CHANGED if _kind(result) is StatementKind.PARTIAL else Result.CHANGED
    return push_and_deploy_preview(
        context, tree, came_to, changed=changed, subject=tree.subject_of(commit), **_said(result)
    )


def undo(context: JobContext) -> Outcome:
    tree = context.open_tree()
    tree.catch_up()
    if (begun := tree.commit_of(context.job.job_id)) is not None:
        return _complete(context, tree, begun)
    changes = tree.active_changes()
    if not changes:
        return context.done(Result.NOTHING_TO_UNDO)
    return _take_back(context, tree, changes[0])


def _take_back(context: JobContext, tree: WorkTree, change: ThreadChange, **said: object) -> Outcome:
    tree.stage_undo(change.commit)
    changed = tree.changed_files()
    try:
        build_site(context, tree)
    except (BuildFailedError, JobCancelledError):
        tree.discard_changes()  # half an undo is nothing to keep: it would be taken for a change of its own
        raise
    tree.commit(undo_message(context.job, change.subject, change.commit))
    return push_and_deploy_preview(context, tree, Result.UNDONE, changed=changed, subject=change.subject, **said)


def _ended_unchanged(context: JobContext, tree: WorkTree, result: AgentResult) -> Outcome | None:
    """Where the agent asks, refuses, or wants something taken back, nothing that it wrote stays, whatever it wrote."""
    kind, statement = _kind(result), result.statement
    if statement is None or kind not in (StatementKind.QUESTION, StatementKind.REFUSAL, StatementKind.TAKE_BACK):
        return None
    tree.discard_changes()
    said = _said(result)
    if kind is StatementKind.QUESTION:
        question = statement.question.strip() or str(said.pop("summary"))
        return context.done(Result.ASKED, **{**said, "question": question})
    if kind is StatementKind.REFUSAL:
        return context.outcome("failed", failure=Failure.AGENT_REFUSED, **said)
    changes = tree.active_changes()
    if not 1 <= statement.take_back <= len(changes):
        return context.done(Result.NOTHING_TO_UNDO, language=statement.language)
    return _take_back(context, tree, changes[statement.take_back - 1], language=statement.language)


def _kind(result: AgentResult) -> StatementKind:
    return result.statement.kind if result.statement is not None else StatementKind.RESULT


def _said(result: AgentResult) -> dict[str, object]:
    """The agent's words, as fields of an outcome."""
    statement = result.statement
    if statement is None:
        return {"summary": result.summary}
    return {"summary": statement.summary, "not_done": statement.not_done, "language": statement.language}


def _let_the_agent_edit(context: JobContext, tree: WorkTree, *, begun: bool) -> tuple[AgentResult, set[str]]:
    """What the agent said, and the pictures that the mail brought."""
    job, tools, home = context.job, context.tools, context.home
    home.make()
    placed = tools.attachments.place(job, tree.folder, home)
    changes = [change.subject for change in tree.active_changes()]
    where = changed_site_map(context, tree)
    prompt = edit_prompt(
        job, placed.lines, interrupted=context.after_interrupted, begun=begun, changes=changes, site=where
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
    """Brings to its end what an earlier worker has committed for this job and could not publish."""
    undone = tree.undone_commit(commit)
    build_site(context, tree)
    result = Result.UNDONE if undone else Result.CHANGED
    subject = tree.subject_of(undone or commit)
    return push_and_deploy_preview(context, tree, result, changed=tree.files_of(commit), subject=subject)


COMMANDS = {Command.EDIT: edit, Command.UNDO: undo}
