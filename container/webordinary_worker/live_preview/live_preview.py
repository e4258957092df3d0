"""Installs the packages and runs the dev server of a site while the agent edits it.

    begin ─▶ packages ─▶ dev server ─▶ ready ─▶ served, updated with every change in the agent's copy ─▶ end

The dev server starts when the agent sends its first request to the model: until then the agent needs the processor, and
while the model thinks the machine is idle.

Everything runs in the background and is optional: if it fails, the live preview is missing or packages are installed
later, but the job is not affected. Ending it does not block.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.telemetry import logger
from webordinary.contract.errors import WebordinaryError
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.git.work_tree import is_excluded
from webordinary_worker.live_preview.tree_watch import Stamps, TreeWatch, stamps_of
from webordinary_worker.proxies.preview_proxy import PreviewProxy, PreviewTarget
from webordinary_worker.site.build.dev_server import DevServer

MIN_PAUSE_SECONDS = 0.15
# Pauses are at least this many times as long as a scan, so scanning takes at most a fifth of the time.
PAUSE_PER_SCAN = 4

Install = Callable[[CancellationToken], None]
Start = Callable[[CancellationToken], DevServer]


@dataclass(frozen=True)
class Announcement:
    """Announces to the broker that this worker serves a thread, and that it no longer does."""

    show: Callable[[], None]
    hide: Callable[[], None]

    @contextmanager
    def active(self) -> Iterator[None]:
        self._call(self.show)
        try:
            yield
        finally:
            self._call(self.hide)

    @staticmethod
    def _call(request: Callable[[], None]) -> None:
        try:
            request()
        except (OSError, BotoCoreError, ClientError, WebordinaryError) as error:
            logger().info(
                "The live preview could not be announced; visitors see the deployed files.", extra={"cause": str(error)}
            )


class LivePreview:
    """The live preview of one job. `agent` is the user that edits. Without a proxy only packages are installed."""

    def __init__(
        self,
        tree: Path,
        agent: int | None,
        install: Install,
        start: Start,
        proxy: PreviewProxy | None,
        announcement: Announcement | None = None,
    ) -> None:
        self._tree = tree
        self._agent = agent
        self._install = install
        self._start = start
        self._proxy = proxy
        self._announced = announcement.active if announcement is not None else nullcontext
        self._cancellation = CancellationToken()
        self._ended = threading.Event()
        self._model_requested = threading.Event()
        self._copy: Path | None = None
        self._last_copy: Path | None = None

    def begin(self) -> None:
        threading.Thread(target=self._run, name="live-preview", daemon=True).start()

    @contextmanager
    def watching(self, copy: Path) -> Iterator[Callable[[], None]]:
        """Watches the agent's copy of the tree. The caller calls the yielded function when the agent asks the model."""
        self._copy = copy
        try:
            yield self._model_requested.set
        finally:
            self._copy, self._last_copy = None, copy

    def end(self) -> None:
        self._cancellation.cancel(CancelReason.SHUTDOWN)
        self._model_requested.set()
        self._ended.set()

    def _run(self) -> None:
        try:
            known = stamps_of(self._tree, is_excluded)
            self._install(self._cancellation)
            if self._proxy is not None:
                self._serve(self._proxy, known)
        except JobCancelledError:
            pass  # the job ended first
        except (OSError, WebordinaryError) as error:
            logger().info("The live preview failed; the job continues without it.", extra={"cause": str(error)})

    def _serve(self, proxy: PreviewProxy, known: Stamps) -> None:
        self._model_requested.wait()
        self._cancellation.check()
        process = self._start(self._cancellation)
        # The broker may respond slowly, so the announcement ends last: the next job does not wait for it.
        with ExitStack() as afterwards:
            try:
                process.wait_until_ready(self._cancellation)
                with (
                    self._cancellation.on_cancel(lambda _: process.kill()),
                    proxy.serving(PreviewTarget(process.host, process.socket, process.tree)),
                ):
                    logger().info("live preview started", extra={"host": process.host})
                    afterwards.enter_context(self._announced())
                    self._follow(process, TreeWatch(known, self._agent, is_excluded))
            finally:
                process.end()

    def _follow(self, process: DevServer, watch: TreeWatch) -> None:
        pause = MIN_PAUSE_SECONDS
        while process.is_alive and not self._ended.wait(pause):
            started = time.monotonic()
            last_copy, self._last_copy = self._last_copy, None
            copy = self._copy or last_copy  # a last scan after the agent has ended
            if copy is not None:
                for change in watch.changes(copy):
                    process.write_file(change.path, change.content)
            pause = max(MIN_PAUSE_SECONDS, PAUSE_PER_SCAN * (time.monotonic() - started))
