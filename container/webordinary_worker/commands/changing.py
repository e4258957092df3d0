"""Commands that change the site.

edit    agent → build (one repair by the agent) → commit → push → deploy
undo    take back the thread's last change → build → commit → push → deploy
"""

from __future__ import annotations

from webordinary.platform.messages import Command, Outcome, Result
from webordinary_worker.agent_protocol import AgentResult
from webordinary_worker.commit_messages import commit_message, undo_message
from webordinary_worker.failures import BuildFailedError, JobFailedError
from webordinary_worker.job_context import JobContext
from webordinary_worker.prompt import edit_prompt, repair_prompt
from webordinary_worker.workspace import Tree


def edit(context: JobContext) -> Outcome:
    context.begin_agent()
    tree = context.open_tree()
    tree.catch_up()
    if (begun := tree.commit_of(context.job.job_id)) is not None:
        return _complete(context, tree, begun, Result.CHANGED, subject=tree.subject_of(begun))
    result, uploads = _let_the_agent_edit(context, tree)
    if uploads.issuperset(tree.changed_files()):
        tree.roll_back()  # pictures that no page shows do not belong on the site
        return context.done(Result.NOTHING_CHANGED, summary=result.summary)
    result = _build_or_repair(context, tree, result)
    changed = tree.changed_files()
    if not changed:  # the repair took everything back
        return context.done(Result.NOTHING_CHANGED, summary=result.summary)
    commit = tree.commit(commit_message(context.job))
    return context.publish(
        tree, Result.CHANGED, changed=changed, summary=result.summary, subject=tree.subject_of(commit)
    )


def undo(context: JobContext) -> Outcome:
    tree = context.open_tree()
    tree.catch_up()
    if (begun := tree.commit_of(context.job.job_id)) is not None:
        return _complete(context, tree, begun, Result.UNDONE, subject=tree.subject_of(tree.undone_by(begun)))
    undone = tree.stage_undo()
    if undone is None:
        return context.done(Result.NOTHING_TO_UNDO)
    subject = tree.subject_of(undone)
    changed = tree.changed_files()
    try:
        context.build_site(tree)
    except BuildFailedError:
        tree.roll_back()
        raise
    tree.commit(undo_message(context.job, subject, undone))
    return context.publish(tree, Result.UNDONE, changed=changed, subject=subject)


def _let_the_agent_edit(context: JobContext, tree: Tree) -> tuple[AgentResult, set[str]]:
    """What the agent said, and the pictures that the mail brought."""
    job, tools, home = context.job, context.tools, context.home
    home.make()
    placed = tools.attachments.place(job, tree.folder, home)
    prompt = edit_prompt(job, placed.lines, interrupted=context.after_interrupted)
    return context.ask_agent(tree, prompt), placed.uploads


def _build_or_repair(context: JobContext, tree: Tree, result: AgentResult) -> AgentResult:
    try:
        context.build_site(tree)
    except BuildFailedError as broken:
        try:
            repaired = context.ask_agent(tree, repair_prompt(broken))
            context.build_site(tree)
        except JobFailedError:
            tree.roll_back()
            raise
        return repaired
    return result


def _complete(context: JobContext, tree: Tree, commit: str, result: Result, *, subject: str) -> Outcome:
    """Brings to its end what an earlier worker has committed for this job and could not publish."""
    context.build_site(tree)
    return context.publish(tree, result, changed=tree.files_of(commit), subject=subject)


COMMANDS = {Command.EDIT: edit, Command.UNDO: undo}
