"""Opens pages: takes pictures, evaluates expressions, lists links and failed requests.

    with Browser(unpack(package, folder), serve_origins({"https://bakery.example"}), seconds=15) as browser:
        page = browser.open("https://bakery.example/menu/", width=390)
        page.picture()

Pages are untrusted. The browser has no network: no host is reachable by name or IP address, and every request is
answered over the pipe by a `Responder` that serves only the page's site. The deadline counts from the start, and the
process always ends with the `with` block.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import urldefrag

from webordinary.browser import process
from webordinary.browser.chromium import Chromium
from webordinary.browser.pipe import BrowserError, BrowserExitedError, Message, Pipe
from webordinary.browser.serving import Responder, Response, serve_nothing

MAX_REQUESTS = 1000
FIRST_BAD_STATUS = 400
LINKS = "[...document.querySelectorAll('a[href], area[href]')].map(link => link.href)"


@dataclass(frozen=True)
class FailedRequest:
    address: str
    reason: str


@dataclass
class PageLoad:
    """State of a page load. Events of the previous page are ignored."""

    frame: str = ""
    previous_loader: str = ""
    loaded: bool = False
    status: int | None = None
    requests: int = 0
    addresses: dict[str, str] = field(default_factory=dict)
    failed: list[FailedRequest] = field(default_factory=list)


class Page:
    """The page that a browser currently shows, until it opens the next one."""

    def __init__(self, browser: Browser, look: PageLoad) -> None:
        self._browser = browser
        self._load = look

    @property
    def status(self) -> int | None:
        """HTTP status of the document; None if it has no host."""
        return self._load.status

    @property
    def failed(self) -> list[FailedRequest]:
        """Requests of the page that failed."""
        return list(self._load.failed)

    def evaluate(self, expression: str) -> Any:
        return self._browser.evaluate(expression)

    def links(self) -> list[str]:
        """Link targets without fragments and duplicates."""
        found = self.evaluate(LINKS)
        return list(dict.fromkeys(urldefrag(address).url for address in found if isinstance(address, str)))

    def picture(self, *, kind: Literal["png", "jpeg"] = "png", max_height: int | None = None) -> bytes:
        """The visible window, or the whole page up to `max_height`."""
        return self._browser.picture(kind=kind, max_height=max_height)


class Browser:
    options: Sequence[str] = process.OPTIONS

    def __init__(self, chromium: Chromium, serve: Responder = serve_nothing, *, seconds: float = 30) -> None:
        self._chromium = chromium
        self._serve = serve
        self._seconds = seconds
        self._load = PageLoad()

    def __enter__(self) -> Self:
        try:
            self._start()
        except BrowserExitedError:
            self._start()  # about one in a thousand exits during startup without an error
        return self

    def _start(self) -> None:
        self._process = process.start(self._chromium, self.options)
        deadline = time.monotonic() + self._seconds
        self._pipe = Pipe(self._process.reading, self._process.writing, deadline, self._on_event)
        try:
            target = self._pipe.call("Target.createTarget", url="about:blank")["targetId"]
            self._session = self._pipe.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for method in ("Page.enable", "Network.enable"):
                self._call(method)
            self._call("Page.setLifecycleEventsEnabled", enabled=True)
            self._call("Fetch.enable", patterns=[{"urlPattern": "*"}])
            self._call("Network.setBypassServiceWorker", bypass=True)
            self._pipe.call("Browser.setDownloadBehavior", behavior="deny")
        except BaseException as error:
            error_output = self._process.error_output()
            self._process.end()
            if isinstance(error, BrowserExitedError):
                raise BrowserExitedError(error_output) from error
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._process.end()

    def open(self, address: str, *, width: int = 1280, height: int = 800, dark: bool = False) -> Page:
        """Navigates to an address and waits until all its resources have loaded or failed."""
        self._set_window(width, height, dark)
        frame = self._call("Page.getFrameTree")["frameTree"]["frame"]
        self._load = PageLoad(frame=frame["id"], previous_loader=frame["loaderId"])
        answer = self._call("Page.navigate", url=address)
        if reason := answer.get("errorText"):
            raise BrowserError(f"Could not open {address}: {reason}.")
        self._pipe.listen_until(lambda: self._load.loaded, f"{address} to load")
        return Page(self, self._load)

    def show(self, html: str, *, width: int = 1280, height: int = 800, dark: bool = False) -> Page:
        """Shows HTML without a host, such as the body of a mail."""
        page = self.open("about:blank", width=width, height=height, dark=dark)
        self._call("Page.setDocumentContent", frameId=self._load.frame, html=html)
        # The call returns before the images are decoded.
        self.evaluate("Promise.allSettled([...document.images].map(image => image.decode())).then(() => true)")
        return page

    def evaluate(self, expression: str) -> Any:
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if problem := answer.get("exceptionDetails"):
            raise BrowserError(f"Could not evaluate an expression on the page: {problem.get('text', 'no reason')}.")
        return answer["result"].get("value")

    def picture(self, *, kind: str, max_height: int | None) -> bytes:
        options: Message = {"format": kind}
        if max_height is not None:
            sizes = self._call("Page.getLayoutMetrics")
            window, content = sizes["cssLayoutViewport"], sizes["cssContentSize"]
            height = min(max_height, max(content["height"], window["clientHeight"]))
            clip = {"x": 0, "y": 0, "width": window["clientWidth"], "height": height, "scale": 1}
            options |= {"clip": clip, "captureBeyondViewport": True}
        answer = self._call("Page.captureScreenshot", **options)
        return base64.b64decode(answer["data"])

    def _set_window(self, width: int, height: int, dark: bool) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._call("Emulation.setDeviceMetricsOverride", **size)
        features = {"prefers-color-scheme": "dark" if dark else "light", "prefers-reduced-motion": "reduce"}
        media = [{"name": name, "value": value} for name, value in features.items()]
        self._call("Emulation.setEmulatedMedia", features=media)

    def _call(self, method: str, **parameters: object) -> Message:
        try:
            return self._pipe.call(method, self._session, **parameters)
        except BrowserExitedError as error:
            raise BrowserExitedError(self._process.error_output()) from error

    def _on_event(self, message: Message) -> None:
        event = message.get("params", {})
        match message["method"]:
            case "Fetch.requestPaused":
                self._respond(event["requestId"], event["request"]["method"], event["request"]["url"])
            case "Page.javascriptDialogOpening":
                self._pipe.send("Page.handleJavaScriptDialog", self._session, accept=False)
            case "Page.lifecycleEvent" if event["name"] == "load" and event["frameId"] == self._load.frame:
                self._load.loaded = self._load.loaded or event["loaderId"] != self._load.previous_loader
            case "Network.requestWillBeSent" if event["loaderId"] != self._load.previous_loader:
                self._load.addresses[event["requestId"]] = event["request"]["url"]
            case "Network.responseReceived" if event["loaderId"] != self._load.previous_loader:
                self._on_response(event)
            case "Network.loadingFailed" if not event.get("canceled") and event["requestId"] in self._load.addresses:
                address = self._load.addresses[event["requestId"]]
                self._load.failed.append(FailedRequest(address, event.get("errorText", "")))

    def _on_response(self, event: Message) -> None:
        response = event["response"]
        if event["type"] == "Document" and event.get("frameId") == self._load.frame:
            self._load.status = response["status"]
        if response["status"] >= FIRST_BAD_STATUS:
            self._load.failed.append(FailedRequest(response["url"], str(response["status"])))

    def _respond(self, request: str, method: str, address: str) -> None:
        self._load.requests += 1
        response = self._serve(address) if method == "GET" and self._load.requests <= MAX_REQUESTS else None
        if response is None:
            self._pipe.send("Fetch.failRequest", self._session, requestId=request, errorReason="BlockedByClient")
        else:
            self._pipe.send("Fetch.fulfillRequest", self._session, requestId=request, **_fulfillment(response))


def _fulfillment(response: Response) -> Message:
    return {
        "responseCode": response.status,
        "responseHeaders": [{"name": name, "value": value} for name, value in response.headers],
        "body": base64.b64encode(response.content).decode(),
    }
