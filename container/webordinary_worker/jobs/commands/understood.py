"""What the agent understood when a mail asks for no edit: a command, or a question about the site.

Nothing that changes the live site is carried out here: the reply asks the sender first. The rule-based commands of
`webordinary.mail.commands` never come here; their mails run no agent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Command, Result
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.agent.statement import NamedCommand, Statement, StatementKind
from webordinary_worker.git.thread_tree import ThreadTree
from webordinary_worker.jobs.job_context import JobContext

# The control function answers them after this job.
ANSWERED_LATER = (NamedCommand.STATUS, NamedCommand.HELP, NamedCommand.STOP)
Commands = Mapping[NamedCommand, Callable[[JobContext], Outcome]]


def end_as_understood(
    context: JobContext, tree: ThreadTree, result: AgentResult, uploads: set[str], commands: Commands
) -> Outcome | None:
    """Ends the job, or returns None: an agent that has changed files has made an edit, whatever kind it states."""
    statement = result.statement
    if statement is None or statement.kind not in (StatementKind.COMMAND, StatementKind.ANSWER):
        return None
    if not context.partial_in_tree and not uploads.issuperset(tree.changed_files()):
        return None
    command = _named_command(context, statement)
    if command in commands:
        _restart_on_branch(context, tree)
        outcome = commands[command](context)
        return outcome.model_copy(update={"language": outcome.language or statement.language})
    tree.discard_changes()
    context.partial_in_tree = False
    context.leaves_earlier_work = True
    understood = Command(command) if command in ANSWERED_LATER else None
    return context.done(
        Result.NOTHING_CHANGED, understood=understood, summary=statement.summary, language=statement.language
    )


def _named_command(context: JobContext, statement: Statement) -> NamedCommand:
    """A mail without its own words, such as a bare forward, names no command."""
    job = context.job
    has_own_words = job.instruction.strip() and not job.is_forward
    is_command = statement.kind is StatementKind.COMMAND and has_own_words
    return statement.command if is_command else NamedCommand.NONE


def _restart_on_branch(context: JobContext, tree: ThreadTree) -> None:
    """Discards what was resumed for an edit: the command starts from the remote branch."""
    tree.reset_to_remote()
    context.partial, context.partial_in_tree = None, False
