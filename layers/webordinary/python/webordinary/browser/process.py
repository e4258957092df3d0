"""One Chromium process: started with nothing of ours in its environment, ended with everything it made."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path

from webordinary.browser.chromium import Chromium

# The protocol's pipes have these numbers in the browser.
COMMANDS, EVENTS = 3, 4
ABOVE_THOSE = 10
LAST_WORDS = 600

OPTIONS = (
    "--headless=shell",
    "--remote-debugging-pipe",
    # Lambda lets nobody make the namespaces of Chromium's own sandbox: what a page could break out to is kept empty.
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
    # No host exists, neither by name nor by number: what a page gets, it gets through the pipe.
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
    number: int
    reading: int
    writing: int
    folder: Path

    def error_output(self) -> str:
        with contextlib.suppress(OSError):
            return (self.folder / "stderr").read_text(encoding="utf-8", errors="replace")[-LAST_WORDS:].strip()
        return ""

    def end(self) -> None:
        # It leads a process group of its own, and is not waited for yet: its number cannot be anybody else's.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.number, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.number, 0)
        for descriptor in (self.reading, self.writing):
            os.close(descriptor)
        shutil.rmtree(self.folder, ignore_errors=True)


def start(chromium: Chromium) -> Process:
    folder = Path(tempfile.mkdtemp(prefix="browser."))
    theirs, writing = _pipe()
    reading, their_answers = _pipe()
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LD_LIBRARY_PATH": chromium.library_path,
        "FONTCONFIG_FILE": str(chromium.font_settings),
    }
    command = [str(chromium.program), *OPTIONS, f"--user-data-dir={folder}/profile", "about:blank"]
    try:
        number = os.posix_spawn(
            chromium.program,
            command,
            environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, str(folder / "stderr"), os.O_WRONLY | os.O_CREAT, 0o600),
                (os.POSIX_SPAWN_DUP2, theirs, COMMANDS),
                (os.POSIX_SPAWN_DUP2, their_answers, EVENTS),
            ],
            setpgroup=0,
        )
    except OSError:
        for descriptor in (reading, writing):
            os.close(descriptor)
        shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        for descriptor in (theirs, their_answers):
            os.close(descriptor)
    return Process(number, reading, writing, folder)


def _pipe() -> tuple[int, int]:
    """A pipe whose ends are out of the way of the two numbers that the browser expects."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, ABOVE_THOSE) for end in ends]
    for end in ends:
        os.close(end)
    return moved[0], moved[1]
