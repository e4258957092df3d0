"""What a question to publishers shows: the commit, the pages that it changes, and what can hurt visitors.

The worker of the person who asks compares the preview. An editor's worker is not trusted: before a yes publishes, the
publisher's worker builds the commit itself, and compares what it finds with what the question showed.
"""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.telemetry import logger
from webordinary.contract.errors import InvalidMessageError
from webordinary.contract.messages.outcome import Risk
from webordinary_worker.deploy.page_diff import PageChanges
from webordinary_worker.deploy.site_risks import NOT_COMPARED, as_facts
from webordinary_worker.git.main_branch import MainBranch
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.pipeline import build_base, build_site
from webordinary_worker.jobs.risk_check import own_hosts

UNKNOWN: tuple[PageChanges, tuple[Risk, ...]] = (PageChanges(), (NOT_COMPARED,))


def facts_of_question(context: JobContext, main: MainBranch, thread_id: str, source: str) -> dict[str, object]:
    """Fields of the outcome that asks about the head of a thread, whose preview is deployed."""
    commit = main.commit_id(source)
    main.reset(commit)
    base = build_base(context, main)
    context.cancellation.check()
    changes, risks = UNKNOWN
    preview = context.tools.preview(thread_id)
    if base is not None:
        try:
            changes = preview.compare_with(base, main.content)
            if (known := preview.known_risks()) is not None:
                risks = known[0].new_since(preview.search(base, own_hosts(context, thread_id)))
        except (ClientError, BotoCoreError, InvalidMessageError, OSError) as error:
            logger().warning("Could not compare a preview; its question is incomplete.", extra={"cause": str(error)})
    return _facts(main, commit, changes, risks)


def facts_of_clean_build(context: JobContext, main: MainBranch, thread_id: str, source: str) -> dict[str, object]:
    """The same fields, from a clean build of this job: nothing of them comes from another pair's worker."""
    commit = main.commit_id(source)
    main.reset(commit)
    site = build_site(context, main, clean=True)
    base = build_base(context, main)
    context.cancellation.check()
    changes, risks = UNKNOWN
    preview, hosts = context.tools.preview(context.job.thread_id), own_hosts(context, thread_id)
    found = preview.search(site, hosts)
    before = preview.search(base, hosts) if base is not None else None
    if base is not None:
        changes, risks = preview.compare_builds(base, site), found.new_since(before)
    context.site_risks = (found, before)
    return _facts(main, commit, changes, risks)


def deploy_what_is_asked(context: JobContext, main: MainBranch, commit: str) -> str:
    """Deploys the last build to the preview of the publisher's own thread, which no editor's worker can change."""
    if context.output is None:
        raise RuntimeError("nothing was built")
    preview, tree = context.tools.preview(context.job.thread_id), main.tree_of(commit)
    preview.deploy(context.output, context.job.job_id, context.check_lease, tree=tree, risks=context.site_risks)
    return context.preview_url


def _facts(main: MainBranch, commit: str, changes: PageChanges, risks: tuple[Risk, ...]) -> dict[str, object]:
    return {
        "commit": commit,
        "tree": main.tree_of(commit),
        "subject": main.subject_of(commit),
        "pages": changes.pages,
        "more_pages": changes.more,
        **as_facts(risks),
    }
