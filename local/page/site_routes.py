"""Serves the sites, each under its own host, as the CDN and the load balancer do on AWS.

A site is served from `/` of its host, and the browser isolates it from the console and from other sites.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NoReturn
from urllib.parse import urlsplit

from flask import Blueprint, Flask, Response, g, render_template, request
from werkzeug.exceptions import NotFound

from local.domain import Site, moved_preview, site_of
from local.page.live_previews import LivePreviews
from local.page.site_files import Previews

# The headers that the CDN adds on AWS: terraform/modules/sites/headers.tf.
LIVE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cache-Control": "no-cache",
    "Cross-Origin-Resource-Policy": "same-origin",
}
PREVIEW_HEADERS = {**LIVE_HEADERS, "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow, noarchive"}
SITES_DOMAIN = "localhost"


OWN_SITE = re.compile(rf"http://(?P<label>[a-z0-9-]+)\.{SITES_DOMAIN}:(?P<port>\d+)(?:/|$)", re.ASCII)
LINK = re.compile(r"(https?://[^\s<>\"']{1,2000}[^\s<>\"'.,;:!?)])")


def newest_link(texts: Iterable[str], own_address: str) -> str | None:
    """The first address of a site of this page in the texts."""
    parts = (part for text in texts for part in LINK.findall(text))
    return next((part for part in parts if _is_own_site(part, own_address)), None)


def _is_own_site(text: str, own_address: str) -> bool:
    found = OWN_SITE.match(text)
    return (
        found is not None and found["port"] == str(urlsplit(own_address).port) and site_of(found["label"]) is not None
    )


def site_address(page_address: str, label: str) -> str:
    """The address of the site whose host begins with this label."""
    return f"http://{label}.{SITES_DOMAIN}:{urlsplit(page_address).port}"


def add_site_routes(
    app: Flask, former: Blueprint, address: str, previews: Previews, live: LivePreviews, shown: set[Site]
) -> None:
    """`shown` collects the sites whose pages were requested."""
    port = urlsplit(address).port

    @app.before_request
    def show_site() -> Response | None:
        label, _, rest = request.host.lower().partition(".")
        site = site_of(label) if rest == f"{SITES_DOMAIN}:{port}" else None
        if site is not None:
            g.has_own_headers = True
            shown.add(site)
        return _site_response(site, address, previews, live) if site is not None else None

    # The former addresses of sites, before each had its own host.
    @former.get("/sites/<project>/", defaults={"path": ""})
    @former.get("/sites/<project>/<path:path>")
    def moved_site(project: str, path: str) -> Response:
        site = site_of(project)
        if site is None or site.thread_id is not None:
            raise NotFound
        site, path = moved_preview(site, f"/{path}") or (site, f"/{path}")
        return _redirect_to(site_address(address, site.label) + path)


def _site_response(site: Site, address: str, previews: Previews, live: LivePreviews) -> Response:
    target = str(request.environ.get("RAW_URI", request.path))
    path = urlsplit(target).path or "/"
    if request.method not in ("GET", "HEAD"):
        return _text(405, "Sites are read-only.")
    if moved := moved_preview(site, path):
        return _redirect_to(site_address(address, moved[0].label) + moved[1])
    headers = LIVE_HEADERS if site.thread_id is None else PREVIEW_HEADERS
    if not previews.is_authorized(site, request.headers.get("Authorization", "")):
        return Response("", 401, {**headers, "WWW-Authenticate": 'Basic realm="preview", charset="UTF-8"'})
    if live_response := _live_response(site, target, headers, live):
        return live_response
    found = previews.get(site, path)
    if found.file is None:
        mailbox = f"{address}/"
        return Response(render_template("not_found.html", mailbox=mailbox), 404, headers, mimetype="text/html")
    return Response(found.file.content, 404 if found.missing else 200, headers, content_type=found.file.content_type)


def _live_response(site: Site, target: str, headers: dict[str, str], live: LivePreviews) -> Response | None:
    """The response of the worker that edits the site, if any."""
    target = target if target.startswith("/") else "/"
    if request.headers.get("Upgrade", "").lower() == "websocket":
        visitor = request.environ["werkzeug.socket"]
        if live.relay_websocket(site, target, dict(request.headers), visitor):
            return _ConnectionTaken()
        return None
    proxied = live.get(site, request.method, target, dict(request.headers))
    if proxied is None:
        return None
    response = Response(proxied.content, proxied.status, proxied.headers)
    response.headers.update({**headers, "Cache-Control": "no-store"})
    return response


class _ConnectionTaken(Response):
    """For a connection that served a websocket: the server sends no response and closes it."""

    def __call__(self, *_: object) -> NoReturn:
        raise ConnectionAbortedError


def _redirect_to(location: str) -> Response:
    return Response("", 301, {"Location": location})


def _text(status: int, text: str) -> Response:
    return Response(text, status, mimetype="text/plain")
