"""The files of a release: those of the preview, if they were built from the same tree, else of a new build."""

from __future__ import annotations

from webordinary.contract.thread_tokens import is_thread_of
from webordinary.sites.live_releases import LiveRecord, LiveRelease
from webordinary_worker.deploy.built_files import SiteFiles
from webordinary_worker.deploy.live_site import Contents
from webordinary_worker.deploy.release_sources import BuiltContents
from webordinary_worker.git.main_branch import MainBranch
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.pipeline import build_site, publish_live


def contents_to_publish(context: JobContext, main: MainBranch, commit: str, source: str) -> Contents:
    """The files to publish: the preview's, if it was built from the same tree, else a new build."""
    job = context.job
    tree = main.tree_of(commit)
    # Other pairs' workers can change the previews of their own threads and of older ones.
    if job.approved is None and is_thread_of(job.thread_id, job.pair.key) and tree == main.tree_of(source):
        shown = _previewed(context, tree)
        if shown is not None:
            return shown
    return built_contents(context, main)


def _previewed(context: JobContext, tree: str) -> Contents | None:
    """The preview's files, if they were built from this tree and are what its record says."""
    tools, job = context.tools, context.job
    preview = tools.preview(job.thread_id)
    files = preview.files_built_from(tree)
    if files is None:
        return None
    shown = preview.contents(files, context.folder / "preview-files")
    return shown if shown.fetch(set(tools.live.read().files.values())) else None


def built_contents(context: JobContext, main: MainBranch) -> Contents:
    tools = context.tools
    built = context.output if context.cleanly_built == main.content else None
    if built is None:
        built = build_site(context, main, clean=True)
    return BuiltContents(tools.s3, SiteFiles(built, tools.builder_user, tools.limits.site))


def publish_contents(
    context: JobContext,
    main: MainBranch,
    contents: Contents,
    commit: str,
    thread_id: str,
    *,
    changes: tuple[str, ...] | None = None,
    previous: LiveRelease | None = None,
) -> None:
    def is_newer(record: LiveRecord) -> bool:
        if not main.has_commit(record.commit):
            main.fetch()
        return not (main.has_commit(record.commit) and main.is_ancestor(commit, record.commit))

    publish_live(
        context,
        contents,
        commit=commit,
        thread_id=thread_id,
        changes=changes,
        previous=previous,
        should_proceed=is_newer,
    )
