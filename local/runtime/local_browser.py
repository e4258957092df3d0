"""The browser with the network of this machine: for pages that need forms, event streams and websockets.

Everything else about it is the browser of the picture function; hosts of the internet stay unknown.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import local.domain  # noqa: F401  adds the folder of the domain package to the path
from webordinary.browser import process
from webordinary.browser.browser import Browser
from webordinary.browser.pipe import BrowserError, BrowserTimeoutError
from webordinary.browser.serving import serve_nothing

POLL_SECONDS = 0.2
# Browser options and their replacements. Pages that come through a pipe count as remote, and remote pages may not open
# websockets to this machine.
REPLACEMENTS = {
    "--host-resolver-rules=MAP * ~NOTFOUND": (
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE *.localhost , EXCLUDE localhost"
    ),
    "--disable-features=": "--disable-features=LocalNetworkAccessChecks,",
}


def local_options() -> tuple[str, ...]:
    options = "\n".join(process.OPTIONS)
    for old, new in REPLACEMENTS.items():
        if old not in options:
            raise BrowserError(f"The browser is not started with {old}.")
        options = options.replace(old, new)
    return tuple(options.split("\n"))


class LocalBrowser(Browser):
    """Requests go to servers of this machine directly, unless a responder is given."""

    options = local_options()

    def _start(self) -> None:
        super()._start()
        if self._serve is serve_nothing:
            self._call("Fetch.disable")

    def command(self, method: str, **parameters: object) -> dict[str, Any]:
        """A command of the DevTools protocol."""
        return self._call(method, **parameters)


def wait_until(condition: Callable[[], Any], what: str, seconds: float = 240) -> Any:
    """Repeats a question to a page; a page that changes meanwhile is asked again."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if found := condition():
                return found
        except BrowserTimeoutError:
            raise
        except BrowserError:
            pass
        if time.monotonic() > deadline:
            raise TimeoutError(f"Timed out after {seconds:g} seconds waiting for {what}.")
        time.sleep(POLL_SECONDS)
