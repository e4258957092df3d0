"""`make screenshots`: pictures of replies, and of a real run on this machine, into docs/pictures."""

from __future__ import annotations

import sys

from rich.console import Console

from local.pictures.recorded_run import SECONDS, RecordedRun
from local.runtime.local_browser import LocalBrowser
from local.runtime.terminal import run
from local.settings import StackSettings
from local.stack.stack import Stack
from local.stack.startup import Startup
from tools import screenshots
from tools.chromium import installed
from tools.picture_sources import FOLDER, record


def pictures(console: Console) -> int:
    if status := screenshots.main():
        return status
    with (
        Startup(console) as startup,
        Stack(StackSettings.for_tests(), startup) as stack,
        LocalBrowser(installed(), seconds=6 * SECONDS) as browser,
    ):
        RecordedRun(stack, browser, FOLDER).run()
    record()
    console.print(f"The pictures are in {FOLDER}. Look at them.")
    return 0


if __name__ == "__main__":
    sys.exit(run(pictures))
