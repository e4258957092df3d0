"""The confined process that builds a site: one per thread, started before it is asked, asked again while it is good.

Between two builds everything of the site's user is stopped, as thoroughly as it would be ended: by that user itself, at
once, until none of it runs. So nothing changes what a build has left while it is read, nor the tree's copy while it is
brought up to date, and only builds of the same thread ever share a process.
"""

from __future__ import annotations

import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from webordinary.protocol.worker.run import CancelReason
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import Confinement, kill_group, tail
from webordinary_worker.site.build.build_report import BuildReport

LONGEST_ANSWER = 4 * 1024 * 1024
KEPT_OF_LOG = 512 * 1024
MOST_BUILDS = 20


class BuildProcess:
    def __init__(
        self, confinement: Confinement, command: Sequence[str | Path], folder: Path, environment: Mapping[str, str]
    ) -> None:
        self._confinement = confinement.with_own_marker()
        self.builds = 0
        self.timed_out = False
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed with the process
        self._process = self._confinement.start(
            command,
            folder=folder,
            environment=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            network=False,
        )

    @property
    def may_be_asked_again(self) -> bool:
        return self.builds < MOST_BUILDS and self._process.poll() is None

    def build(self, request: str, seconds: float, cancellation: CancellationToken) -> BuildReport | None:
        """One build; None if the process ended instead of an answer. It is stopped afterwards, or ended."""
        self.builds += 1
        self.timed_out = False
        self._log.seek(0)
        self._log.truncate()
        if self.builds > 1:
            self._confinement.resume()
        timer = threading.Timer(seconds, self._out_of_time)
        timer.start()
        try:
            with cancellation.on_cancel(self._cancelled):
                answer = self._ask(request)
        finally:
            timer.cancel()
        if answer is None or self.timed_out:
            self.end()
            return None
        self._stop()
        return answer

    def log(self) -> str:
        return tail(self._log, KEPT_OF_LOG)

    def end(self) -> None:
        self._confinement.end(self._process)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def _ask(self, request: str) -> BuildReport | None:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("a build was started without pipes")
        with suppress(BrokenPipeError):  # it died; its missing answer says so
            self._process.stdin.write(f"{request}\n".encode())
            self._process.stdin.flush()
        while line := self._process.stdout.readline(LONGEST_ANSWER):
            if line.startswith(b'{"ok":'):
                with suppress(ValidationError):
                    return BuildReport.model_validate_json(line)
                return None
        return None

    def _stop(self) -> None:
        try:
            self._confinement.suspend()
        except BaseException:
            self.end()
            raise

    def _out_of_time(self) -> None:
        self.timed_out = True
        kill_group(self._process)

    def _cancelled(self, _: CancelReason) -> None:
        kill_group(self._process)
