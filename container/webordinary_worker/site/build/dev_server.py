"""The confined development server of a site, for its live preview: the site's Astro, without a network.

The worker opens its socket in a private folder and passes the descriptor, so no confined process can replace the
socket. The server writes changed files itself, as the site's user.
"""

from __future__ import annotations

import base64
import json
import socket
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO

from webordinary.contract.errors import WebordinaryError
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import Confinement, kill_group
from webordinary_worker.proxies.egress_proxy import SOCKET_VARIABLE, open_egress_proxy

READY = b'{"ready":true}\n'
MAX_LINE_BYTES = 4096
START_SECONDS = 60.0
MAX_CONNECTIONS = 64


class DevServerError(WebordinaryError):
    """The development server did not start; there is no live preview until the site is deployed."""

    def __init__(self, cause: str) -> None:
        super().__init__(f"the development server did not start: {cause.strip()[-500:]}")


def available_memory() -> int:
    """Memory available to new processes, in bytes."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))


class DevServer:
    def __init__(
        self,
        confinement: Confinement,
        command: Sequence[str | Path],
        *,
        host: str,
        tree: Path,
        folder: Path,
        environment: Mapping[str, str],
        hosts: Sequence[str],
        network: Mapping[str, str],
    ) -> None:
        """Appends the socket's descriptor and `host` to `command`. The site may connect to `hosts`."""
        self.host = host
        self.tree = tree
        self._confinement = confinement.with_own_marker()
        self._resources = ExitStack()
        self._log: IO[bytes] = self._resources.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        proxy = self._resources.enter_context(open_egress_proxy(hosts, network))
        # Not in the build directory: the path of a socket is limited to about 100 characters.
        self.socket = Path(self._resources.enter_context(tempfile.TemporaryDirectory(prefix="live-")), "site")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.socket))
            listener.listen(MAX_CONNECTIONS)
            self._process = self._confinement.start(
                [*command, str(listener.fileno()), host],
                folder=folder,
                environment={**environment, SOCKET_VARIABLE: str(proxy.path)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                network=False,
                pass_fds=(listener.fileno(),),
            )

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def wait_until_ready(self, cancellation: CancellationToken) -> None:
        if self._process.stdout is None:
            raise RuntimeError("development server has no pipes")
        timer = threading.Timer(START_SECONDS, kill_group, (self._process,))
        timer.start()
        try:
            with cancellation.on_cancel(lambda _: kill_group(self._process)):
                while (line := self._process.stdout.readline(MAX_LINE_BYTES)) and line != READY:
                    pass
        finally:
            timer.cancel()
        cancellation.check()
        if line != READY:
            raise DevServerError(self._log_text())

    def write_file(self, path: str, content: bytes | None) -> None:
        """Writes a file below the tree, or deletes it if `content` is None."""
        if self._process.stdin is None:
            raise RuntimeError("development server has no pipes")
        encoded = None if content is None else base64.b64encode(content).decode()
        self._process.stdin.write(json.dumps({"path": path, "content": encoded}).encode() + b"\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """Kills the process from a background thread; the caller waiting for it then calls `end`."""
        kill_group(self._process)

    def end(self) -> None:
        self._confinement.end(self._process)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._resources.close()

    def _log_text(self) -> str:
        self._log.seek(0)
        return self._log.read(64_000).decode(errors="replace")
