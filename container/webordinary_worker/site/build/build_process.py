"""The confined process that builds a site. It is reused for further builds of the same thread, and only of that.

Between builds, all processes of the site's user are suspended: they are signalled as that user until none of them
runs. So no process changes the output while the worker reads it, or the copy of the tree while the worker updates it.
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

MAX_REPORT_BYTES = 4 * 1024 * 1024
MAX_LOG_BYTES = 512 * 1024
MAX_BUILDS = 20


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
    def is_reusable(self) -> bool:
        return self.builds < MAX_BUILDS and self._process.poll() is None

    def build(self, request: str, seconds: float, cancellation: CancellationToken) -> BuildReport | None:
        """Runs one build, then suspends the process. Returns None and ends the process if it sent no report."""
        self.builds += 1
        self.timed_out = False
        self._log.seek(0)
        self._log.truncate()
        if self.builds > 1:
            self._confinement.resume()
        timer = threading.Timer(seconds, self._on_timeout)
        timer.start()
        try:
            with cancellation.on_cancel(self._on_cancel):
                report = self._send(request)
        finally:
            timer.cancel()
        if report is None or self.timed_out:
            self.end()
            return None
        self._suspend()
        return report

    def log(self) -> str:
        return tail(self._log, MAX_LOG_BYTES)

    def end(self) -> None:
        self._confinement.end(self._process)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def _send(self, request: str) -> BuildReport | None:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("build process has no pipes")
        with suppress(BrokenPipeError):  # the process died; the missing report shows it
            self._process.stdin.write(f"{request}\n".encode())
            self._process.stdin.flush()
        while line := self._process.stdout.readline(MAX_REPORT_BYTES):
            if line.startswith(b'{"ok":'):
                with suppress(ValidationError):
                    return BuildReport.model_validate_json(line)
                return None
        return None

    def _suspend(self) -> None:
        try:
            self._confinement.suspend()
        except BaseException:
            self.end()
            raise

    def _on_timeout(self) -> None:
        self.timed_out = True
        kill_group(self._process)

    def _on_cancel(self, _: CancelReason) -> None:
        kill_group(self._process)
