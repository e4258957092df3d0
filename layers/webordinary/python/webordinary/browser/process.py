"""One Chromium process: started with a minimal environment, killed with its process group and files."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from webordinary.browser.chromium import Chromium

# File descriptors of the protocol's pipes in the browser.
COMMANDS, EVENTS = 3, 4
LOWEST_OWN_DESCRIPTOR = 10
ERROR_OUTPUT_LENGTH = 600

OPTIONS = (
    "--headless=shell",
    "--remote-debugging-pipe",
    # Lambda forbids the namespaces of Chromium's sandbox, so the process has no secrets and no network instead.
    "--no-sandbox",
    "--no-zygote",
    "--single-process",
    "--in-process-gpu",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-dev-shm-usage",
    "--js-flags=--max-old-space-size=256",
    "--disk-cache-size=33554432",
    "--hide-scrollbars",
    "--mute-audio",
    "--font-render-hinting=none",
    "--block-new-web-contents",
    "--no-first-run",
    "--no-pings",
    "--no-proxy-server",
    # No host name or IP address resolves: all requests are answered over the pipe.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--dns-prefetch-disable",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-quic",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-features=IsolateOrigins,site-per-process,AudioServiceOutOfProcess,Translate,OptimizationHints,MediaRouter",
)


@dataclass(frozen=True)
class Process:
    pid: int
    reading: int
    writing: int
    folder: Path

    def error_output(self) -> str:
        with contextlib.suppress(OSError):
            return (self.folder / "stderr").read_text(encoding="utf-8", errors="replace")[-ERROR_OUTPUT_LENGTH:].strip()
        return ""

    def end(self) -> None:
        # The process leads its own group and is not reaped yet, so the PID cannot have been reused.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        for descriptor in (self.reading, self.writing):
            os.close(descriptor)
        shutil.rmtree(self.folder, ignore_errors=True)


def start(chromium: Chromium, options: Sequence[str] = OPTIONS) -> Process:
    folder = Path(tempfile.mkdtemp(prefix="browser."))
    browser_input, writing = _pipe()
    reading, browser_output = _pipe()
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LD_LIBRARY_PATH": chromium.library_path,
        "FONTCONFIG_FILE": str(chromium.font_settings),
    }
    command = [str(chromium.program), *options, f"--user-data-dir={folder}/profile", "about:blank"]
    try:
        pid = os.posix_spawn(
            chromium.program,
            command,
            environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, str(folder / "stderr"), os.O_WRONLY | os.O_CREAT, 0o600),
                (os.POSIX_SPAWN_DUP2, browser_input, COMMANDS),
                (os.POSIX_SPAWN_DUP2, browser_output, EVENTS),
            ],
            setpgroup=0,
        )
    except OSError:
        for descriptor in (reading, writing):
            os.close(descriptor)
        shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        for descriptor in (browser_input, browser_output):
            os.close(descriptor)
    return Process(pid, reading, writing, folder)


def _pipe() -> tuple[int, int]:
    """A pipe whose descriptors do not collide with the two that the browser expects."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, LOWEST_OWN_DESCRIPTOR) for end in ends]
    for end in ends:
        os.close(end)
    return moved[0], moved[1]
