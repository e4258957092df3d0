"""A job's turns with the agent: its process, its site map, and one conversation for the whole job."""

from __future__ import annotations

from webordinary_worker.agent.conversation import AgentConversation
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.git.work_tree import WorkTree
from webordinary_worker.jobs.background_work import start_background_work
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.site.inspect.site_map import site_map


def start_agent(context: JobContext) -> None:
    """Starts the agent's process, which loads while the tree is opened."""
    context.tools.agent.preload(context.home)


def ask_agent(context: JobContext, tree: WorkTree, prompt: str) -> AgentResult:
    tools = context.tools
    if context.conversation is None:
        around_turn = start_background_work(context, tree)
        context.conversation = AgentConversation(
            context.job, tools.agent, tools.transcripts, context.home, tools.limits.tree, around_turn
        )
    started = context.monotonic()
    return context.conversation.ask(
        tree,
        prompt,
        context.cancellation,
        finished=lambda **facts: context.milestone("agent_finished", started, **facts),
    )


def changed_site_map(context: JobContext, tree: WorkTree) -> str:
    """The map of the site's source, or nothing if the agent already has this map in the thread's session."""
    known, current = context.folder / "map.txt", site_map(tree.folder, context.tools.project.folder)
    if others := tree.submodule_folders():
        current += f"\nFrom other repositories, to be read and not changed here: {', '.join(others)}"
    if known.is_file() and known.read_text() == current:
        return ""
    known.write_text(current)
    return current
