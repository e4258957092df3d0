"""Beside an agent at work: its site's packages are installed, and the site is shown as it changes.

    begin ─▶ packages ─▶ the site's own server ─▶ ready ─▶ shown, with every change of the agent's copy ─▶ end

The server is started once the agent has asked the model: until then the agent itself needs the machine, and while the
model thinks nobody does.

All of it happens in a thread of its own and is a gift: whatever goes wrong costs the look at it, or the time that
installing takes later, never the job. Whoever ends it does not wait.
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
from webordinary_worker.proxies.preview_proxy import PreviewProxy, Target
from webordinary_worker.site.build.dev_server import DevServer

SHORTEST_PAUSE_SECONDS = 0.15
# Of the time that passes, a fifth at most is spent with looking.
PAUSE_FOR_LOOKING = 4

Install = Callable[[CancellationToken], None]
Start = Callable[[CancellationToken], DevServer]


@dataclass(frozen=True)
class Announcement:
    """Tells whoever leads people to workers that this one shows a thread, and that it does not any more."""

    show: Callable[[], None]
    hide: Callable[[], None]

    @contextmanager
    def made(self) -> Iterator[None]:
        self._say(self.show)
        try:
            yield
        finally:
            self._say(self.hide)

    @staticmethod
    def _say(what: Callable[[], None]) -> None:
        try:
            what()
        except (OSError, BotoCoreError, ClientError, WebordinaryError) as error:
            logger().info("Nobody is led to the site while it is edited.", extra={"cause": str(error)})


class LivePreview:
    """One job's. `agent` is the user that edits. Without a door nobody could look, and nothing is started."""

    def __init__(
        self,
        tree: Path,
        agent: int | None,
        install: Install,
        start: Start,
        door: PreviewProxy | None,
        announcement: Announcement | None = None,
    ) -> None:
        self._tree = tree
        self._agent = agent
        self._install = install
        self._start = start
        self._door = door
        self._announced = announcement.made if announcement is not None else nullcontext
        self._over = CancellationToken()
        self._changed = threading.Event()
        self._asked = threading.Event()
        self._copy: Path | None = None
        self._left: Path | None = None

    def begin(self) -> None:
        threading.Thread(target=self._run, name="live-preview", daemon=True).start()

    @contextmanager
    def watching(self, copy: Path) -> Iterator[Callable[[], None]]:
        """The agent is at work in its copy of the tree. What this gives is called when the agent asks the model."""
        self._copy = copy
        try:
            yield self._asked.set
        finally:
            self._copy, self._left = None, copy

    def end(self) -> None:
        self._over.cancel(CancelReason.SHUTDOWN)
        self._asked.set()
        self._changed.set()

    def _run(self) -> None:
        try:
            known = stamps_of(self._tree, is_excluded)
            self._install(self._over)
            if self._door is not None:
                self._show(self._door, known)
        except JobCancelledError:
            pass  # the job was quicker
        except (OSError, WebordinaryError) as error:
            logger().info("The site is not shown while it is edited.", extra={"cause": str(error)})

    def _show(self, door: PreviewProxy, known: Stamps) -> None:
        self._asked.wait()
        self._over.check()
        process = self._start(self._over)
        # Whoever leads people here may be slow to answer: nothing that the next job needs waits for that.
        with ExitStack() as afterwards:
            try:
                process.wait_until_ready(self._over)
                with (
                    self._over.on_cancel(lambda _: process.kill()),
                    door.showing(Target(process.host, process.socket, process.tree)),
                ):
                    logger().info("site shown while it is edited", extra={"host": process.host})
                    afterwards.enter_context(self._announced())
                    self._follow(process, TreeWatch(known, self._agent, is_excluded))
            finally:
                process.end()

    def _follow(self, process: DevServer, watch: TreeWatch) -> None:
        pause = SHORTEST_PAUSE_SECONDS
        while process.is_alive and not self._changed.wait(pause):
            began = time.monotonic()
            left, self._left = self._left, None
            copy = self._copy or left  # once more after the agent has left: it may have changed since the last look
            if copy is not None:
                for change in watch.changes(copy):
                    process.write_file(change.path, change.content)
            pause = max(SHORTEST_PAUSE_SECONDS, PAUSE_FOR_LOOKING * (time.monotonic() - began))
