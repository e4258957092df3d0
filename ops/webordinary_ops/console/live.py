"""Live updates: the parts of a page that have changed are sent to the browser.

A page marks its parts with `live_node`. The stream renders the page again when something has changed (on this machine),
or at growing intervals (on AWS), and sends the marked parts whose content differs. The script replaces only these.
If the page has moved, the stream ends with its new address.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Flask, Response, g, request
from markupsafe import Markup

if TYPE_CHECKING:
    from webordinary_ops.console.app import Console

MAX_STREAMS = 12  # open pages; each one makes the calls of its page
SHORTEST, LONGEST = 3.0, 30.0  # seconds between reads on AWS
GROWTH = 1.5
LOCAL_PAUSE = 0.4  # between reads on this machine, however many events arrive
LOCAL_SECONDS = 5.0  # leases and times change without an event
# What differs between two renderings of the same content: times that count, and the marks of forms.
UNCOUNTED = re.compile(r'(<time data-since="[^"]*">)[^<]*|(name="once" value=")[0-9a-f]*')
OWN_PATH = re.compile(r"/(?!/)[A-Za-z0-9/_-]{0,300}", re.ASCII)
CHANGING_PAGES = ("/events", "/actions", "/assets", "/pictures")


def node(name: str, content: Markup, classes: str = "") -> Markup:
    """Marks a part of the page that is updated on its own."""
    digest = hashlib.sha256(UNCOUNTED.sub(r"\1\2", str(content)).encode()).hexdigest()[:16]
    html = Markup('<div id="{}" class="{}" data-live="{}">{}</div>').format(name, classes, digest, content)
    g.nodes[name] = (digest, str(html))
    return html


def blueprint(app: Flask, console: Console) -> Blueprint:
    routes = Blueprint("live", __name__)

    @routes.get("/events")
    def events() -> Response:
        path = request.args.get("path", "/")
        if not path.startswith("/") or path.startswith(("//", *CHANGING_PAGES)):
            return Response("No such page.", 404, mimetype="text/plain")
        if not console.streams.acquire(blocking=False):
            return Response("Too many open pages.", 429, mimetype="text/plain")
        stream = _guarded(console, _stream(console, lambda: _nodes(app, console, path)))
        return Response(stream, mimetype="text/event-stream")

    return routes


def _guarded(console: Console, stream: Iterator[str]) -> Iterator[str]:
    try:
        yield from stream
    finally:
        console.streams.release()


def _nodes(app: Flask, console: Console, path: str) -> dict[str, tuple[str, str]]:
    """The marked parts of a page, rendered now."""
    with app.test_request_context(path, base_url=console.address):
        response = app.full_dispatch_request()
        if OWN_PATH.fullmatch(target := response.headers.get("Location", "")):
            raise _MovedError(target)
        if response.status_code != 200:
            raise _NotReadableError
        return dict(g.nodes)


class _NotReadableError(Exception):
    pass


class _MovedError(Exception):
    """The page is at another address now."""

    def __init__(self, target: str) -> None:
        super().__init__(target)
        self.target = target


def _stream(console: Console, read: Callable[[], dict[str, tuple[str, str]]]) -> Iterator[str]:
    yield "retry: 3000\n\n"
    sent: dict[str, str] = {}
    changes, seen, pause, read_at = console.changes, 0, SHORTEST, datetime.now(UTC)
    while not (changes and changes.is_closed):
        problem, changed = console.problem(), dict[str, str]()
        try:
            found = read()
        except _MovedError as moved:
            yield _event("moved", {"to": moved.target})
            return
        except Exception:
            yield _event("unknown", {"since": read_at.strftime("%H:%M:%S")})
        else:
            changed = {name: html for name, (digest, html) in found.items() if sent.get(name) != digest}
            sent |= {name: digest for name, (digest, _) in found.items()}
            pause = SHORTEST if changed else min(LONGEST, pause * GROWTH)
            if not problem:
                read_at = datetime.now(UTC)
                yield _event("changed", {"at": read_at.strftime("%H:%M:%S"), "nodes": changed})
        if problem:
            yield _event("stopped", {"text": problem, "nodes": changed})
        if changes is None:
            time.sleep(pause)
        else:
            time.sleep(LOCAL_PAUSE)
            seen = changes.wait(seen, LOCAL_SECONDS)


def _event(name: str, content: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(content)}\n\n"
