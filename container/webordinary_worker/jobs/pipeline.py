"""From a work tree to a site that people see: build, push, deploy the preview, publish.

Every push and upload checks the lease first.
"""

from __future__ import annotations

import shutil
from concurrent.futures import Future
from pathlib import Path
from tarfile import TarError

from webordinary.aws.telemetry import logger
from webordinary.contract.errors import PairLostError, WebordinaryError
from webordinary.contract.messages.outcome import Outcome, Risk, StaleLock
from webordinary.contract.outcomes import Result
from webordinary.protocol.worker.run import JobCancelledError
from webordinary.sites.live_releases import LiveRelease
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.deploy.live_site import Contents, Decide
from webordinary_worker.deploy.page_diff import PageChanges
from webordinary_worker.deploy.site_risks import as_facts
from webordinary_worker.failures import BuildFailedError, ConflictError, best_effort
from webordinary_worker.git.build_history import History
from webordinary_worker.git.command import GitError
from webordinary_worker.git.submodules import empty_folders
from webordinary_worker.git.thread_tree import ThreadTree
from webordinary_worker.git.work_tree import WorkTree
from webordinary_worker.jobs.commit_messages import failed_message
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.risk_check import own_hosts

ATTEMPTS_TO_PUSH = 3


def build_site(context: JobContext, tree: WorkTree, *, clean: bool = False) -> Path:
    """Builds the tree. A clean build uses no cache of earlier builds."""
    started = context.monotonic()
    tree.update_submodules()
    try:
        output = _build(context, tree.folder, context.scratch, context.cancellation, tree.history(), clean=clean)
    except BuildFailedError as error:
        if not tree.missing_submodules:
            raise
        missing = (submodule.describe() for submodule in tree.missing_submodules)
        raise BuildFailedError(error.failure, "\n".join((error.detail, *missing)).strip()) from error
    context.output, context.site_risks = output, None
    context.cleanly_built = tree.content if clean else ""
    context.empty_folders = empty_folders(tree.missing_submodules)
    context.milestone("site_built", started)
    return output


def build_base(context: JobContext, tree: WorkTree) -> Path | None:
    """Builds the commit that the thread started from, to compare it with the new preview. None if it does not build."""
    started = context.monotonic()
    token = context.base_cancellation
    try:
        with context.cancellation.on_cancel(token.cancel), tree.checkout_base() as source:
            output = _build(context, source, context.base_scratch, token, tree.base_history())
    except (WebordinaryError, OSError, TarError, JobCancelledError) as error:
        # Also when cancelled: the change is deployed, and the reply only names fewer pages.
        logger().info("The thread's base was not built; pages are not compared.", extra={"cause": type(error).__name__})
        return None
    context.milestone("base_built", started)
    return output


def deploy_preview(context: JobContext) -> dict[str, object]:
    """Deploys the last build to the preview. Returns its URL and the changed pages, as fields of an outcome.

    Once the files are deployed, nothing may fail the job.
    """
    if context.output is None or context.tree is None:
        raise RuntimeError("deploy_preview needs a built tree")
    output, tree = context.output, context.tree
    risks = find_risks(context, tree)
    started = context.monotonic()
    preview = context.tools.preview(context.job.thread_id)
    deployed = preview.deploy(
        output, context.job.job_id, context.check_lease, tree=tree.content, risks=context.site_risks
    )
    context.deployed = True
    context.milestone("site_deployed", started, files=deployed.files)

    def compare_with_base() -> PageChanges:
        base = base_output(context, tree)
        return preview.compare_builds(base, output) if base is not None else deployed.changes

    changes = deployed.changes
    if deployed.is_new:
        changes = best_effort(compare_with_base, changes, "compare with the thread's base")
    return {"preview_url": context.preview_url, "pages": changes.pages, "more_pages": changes.more, **as_facts(risks)}


def find_risks(context: JobContext, tree: WorkTree) -> tuple[Risk, ...]:
    """What the last build adds to the preview, or to the thread's base if there is no preview yet."""
    if context.output is None:
        raise RuntimeError("find_risks needs a built tree")
    preview, hosts = context.tools.preview(context.job.thread_id), own_hosts(context)
    after = preview.search(context.output, hosts)
    if (known := preview.known_risks()) is None:
        folder = base_output(context, tree)
        base = before = preview.search(folder, hosts) if folder is not None else None
    else:
        before, base = known
    context.site_risks = (after, base)
    return after.new_since(before)


def deploy_or_revert(context: JobContext, tree: ThreadTree) -> dict[str, object]:
    """Deploys what was pushed. If that fails, the pushed commits are reverted: a failed job leaves nothing."""
    try:
        return deploy_preview(context)
    except PairLostError:
        raise
    except Exception:
        _revert_pushed(context, tree)
        raise


def push_built(context: JobContext, tree: ThreadTree) -> None:
    """Pushes the branch. After a rebase it is built again first: what is on the branch has been built."""
    started = context.monotonic()
    for _ in range(ATTEMPTS_TO_PUSH):
        context.cancellation.check()
        if tree.push_once(context.check_lease):
            context.milestone("branch_pushed", started, commit=tree.head, branch=tree.branch)
            return
        tree.rebase()
        build_site(context, tree)  # it contains other people's commits too
    raise ConflictError


def push_and_deploy_preview(
    context: JobContext, tree: ThreadTree, result: Result, *, changed: tuple[str, ...], **facts: object
) -> Outcome:
    push_built(context, tree)
    outcome = context.done(result, commit=tree.head, changed_files=changed, **facts)
    deployed = deploy_or_revert(context, tree)
    return outcome.model_copy(update={**deployed, "usage": context.usage})


def _revert_pushed(context: JobContext, tree: ThreadTree) -> None:
    """Reverts a change that was pushed and could not be deployed. If that fails, the thread's next job shows it."""
    try:
        tree.revert_pushed(failed_message(context.job))
        tree.push(context.check_lease)
    except (GitError, ConflictError) as error:
        logger().warning("Could not revert a change that was not deployed.", extra={"cause": str(error)})


def publish_live(
    context: JobContext,
    contents: Contents,
    *,
    commit: str,
    thread_id: str,
    changes: tuple[str, ...] | None,
    previous: LiveRelease | None,
    should_proceed: Decide,
) -> None:
    """Publishes a site, unless a newer one is live."""
    started = context.monotonic()
    shown = context.tools.live.publish(
        contents,
        job_id=context.job.job_id,
        thread_id=thread_id,
        commit=commit,
        check_lease=context.check_lease,
        changes=changes,
        previous=previous.number if previous is not None else None,
        should_proceed=should_proceed,
    )
    context.milestone("site_published", started, commit=commit, shown=shown)


def roll_back_live(context: JobContext, release: LiveRelease, *, commit: str, should_proceed: Decide) -> bool:
    """Makes an earlier release live. False if the live site changed in the meantime."""
    started = context.monotonic()
    shown = context.tools.live.roll_back_to(
        release,
        job_id=context.job.job_id,
        commit=commit,
        check_lease=context.check_lease,
        should_proceed=should_proceed,
    )
    context.milestone("site_published", started, commit=commit, shown=shown, release=release.number)
    return shown


def _build(
    context: JobContext,
    folder: Path,
    scratch: Path,
    cancellation: CancellationToken,
    history: History,
    *,
    clean: bool = False,
) -> Path:
    tools = context.tools
    shutil.rmtree(scratch, ignore_errors=True)
    tools.warm_start.wait_for_packages()
    tools.warm_start.wait_for_build_cache(context.job.thread_id)
    built = tools.builder.build(folder, scratch, cancellation, clean=clean, history=history, cache=context.build_cache)
    if built.installation.stale:
        lock = built.installation.lock
        logger().warning("The installed packages differ from the site's lock file.", extra={"lock": lock or "none"})
        if lock is not None:
            context.stale_lock = StaleLock(file=lock, packages=built.packages)
    return built.folder


def base_output(context: JobContext, tree: WorkTree) -> Path | None:
    if context.base_build is None:
        context.base_build = Future()
        context.base_build.set_result(build_base(context, tree))
    return context.base_build.result()
