"""What a question to publishers is about: the commit, and the pages that it changes."""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.telemetry import logger
from webordinary.contract.errors import InvalidMessageError
from webordinary_worker.deploy.page_diff import PageChanges
from webordinary_worker.deploy.site_risks import NOT_COMPARED, as_facts
from webordinary_worker.git.main_branch import MainBranch
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.pipeline import build_base
from webordinary_worker.jobs.risk_check import thread_risks


def facts_of_question(context: JobContext, main: MainBranch, thread_id: str, source: str) -> dict[str, object]:
    """Fields of the outcome that asks about the head of a thread."""
    commit = main.commit_id(source)
    main.reset(commit)
    changes = _changed_pages(context, main, thread_id)
    return {
        "commit": commit,
        "tree": main.tree_of(commit),
        "subject": main.subject_of(commit),
        "pages": changes.pages,
        "more_pages": changes.more,
        **_risks(context, thread_id),
    }


def _changed_pages(context: JobContext, tree: MainBranch, thread_id: str) -> PageChanges:
    """The pages of the preview that differ from the site without the thread. The question links the preview anyway."""
    base = build_base(context, tree)
    context.cancellation.check()
    if base is None:
        return PageChanges()
    try:
        return context.tools.preview(thread_id).compare_with(base, tree.content)
    except (ClientError, BotoCoreError, InvalidMessageError, OSError) as error:
        logger().warning("Could not compare a preview; the question names no pages.", extra={"cause": str(error)})
        return PageChanges()


def _risks(context: JobContext, thread_id: str) -> dict[str, object]:
    try:
        return thread_risks(context, thread_id)
    except (ClientError, BotoCoreError, InvalidMessageError) as error:
        logger().warning("Could not read a preview's record; its risks are unknown.", extra={"cause": str(error)})
        return as_facts((NOT_COMPARED,))
