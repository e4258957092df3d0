"""Work that a job starts and does not wait for: live preview, build of the base, next agent, caches.

All of it is optional. A failure is logged and costs time later, never the job.
"""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

from webordinary.aws.telemetry import logger
from webordinary.contract.errors import WebordinaryError
from webordinary.protocol.worker.run import CancelReason
from webordinary_worker.agent.conversation import AroundTurn
from webordinary_worker.git.work_tree import WorkTree
from webordinary_worker.jobs.job_context import JobContext
from webordinary_worker.jobs.pipeline import build_base


def start_background_work(context: JobContext, tree: WorkTree) -> AroundTurn:
    """Starts the live preview and, for a new thread, the base build. Returns the hook around the agent's turns."""
    if context.tools.live_preview is None:
        return lambda _: nullcontext(lambda: None)
    context.live_preview = context.tools.live_preview(context.job.thread_id, tree.folder)
    context.live_preview.begin()
    if not tree.commits():  # its preview is new and compared with the base; the build process gets warm too
        executor = ThreadPoolExecutor(1, thread_name_prefix="base-build")
        context.base_build = executor.submit(build_base, context, tree)
        executor.shutdown(wait=False)
    return context.live_preview.watching


def stop_background_work(context: JobContext) -> None:
    """Stops what still runs, without waiting for it, and removes the build outputs."""
    if context.live_preview is not None:
        context.live_preview.end()
    if context.base_build is not None:
        context.base_cancellation.cancel(CancelReason.SHUTDOWN)
        context.base_build.cancel()
    if context.tree is not None or context.uses_scratch:
        shutil.rmtree(context.scratch, ignore_errors=True)
        shutil.rmtree(context.base_scratch, ignore_errors=True)


def prepare_next_agent(context: JobContext) -> None:
    """Starts the agent for the thread's next mail."""
    if context.conversation is None or context.tree is None:
        return
    try:
        context.conversation.prepare_next(context.tree)
    except (OSError, WebordinaryError) as error:
        logger().warning("The next agent was not started in advance.", extra={"cause": str(error)})


def store_warm_start(context: JobContext) -> None:
    """Stores packages, git objects and the build cache for the pair's next worker."""
    if context.output is None:
        return
    context.tools.warm_start.store_packages()
    context.tools.workspace.store_objects()
    builder, build_directory = context.tools.builder, context.build_directory
    context.tools.warm_start.store_build_cache(
        context.job.thread_id, lambda target, quota: builder.copy_cache(build_directory, target, quota)
    )
