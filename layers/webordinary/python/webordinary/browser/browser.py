"""Looking at pages: open one, take its picture, ask it something, list what it links to and what it missed.

    with Browser(unpack(packed, folder), serve_origins({"https://bakery.example"}), seconds=15) as browser:
        page = browser.open("https://bakery.example/menu/", width=390)
        page.picture()

A page is hostile. Its browser has no network: no name and no number exists for it, and what it asks for is answered
through the pipe by somebody who knows its site and nothing else. The deadline counts from the start, and whatever
happens the process ends.
"""

from __future__ import annotations

import base64
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import urldefrag

from webordinary.browser import process
from webordinary.browser.chromium import Chromium
from webordinary.browser.pipe import BrowserError, BrowserExitedError, Message, Pipe
from webordinary.browser.serving import Responder, Response, nothing

MOST_FILES = 1000
FIRST_BAD_STATUS = 400
LINKS = "[...document.querySelectorAll('a[href], area[href]')].map(link => link.href)"


@dataclass(frozen=True)
class FailedRequest:
    address: str
    reason: str


@dataclass
class PageLoad:
    """What happened while a page was loading. What the page before it still does is not the new one's."""

    frame: str = ""
    before: str = ""
    loaded: bool = False
    status: int | None = None
    asked: int = 0
    addresses: dict[str, str] = field(default_factory=dict)
    failed: list[FailedRequest] = field(default_factory=list)


class Page:
    """The page that a browser shows now; the next one it opens takes its place."""

    def __init__(self, browser: Browser, look: PageLoad) -> None:
        self._browser = browser
        self._load = look

    @property
    def status(self) -> int | None:
        """What its host answered, if it came from one."""
        return self._load.status

    @property
    def failed(self) -> list[FailedRequest]:
        """What the page asked for and did not get."""
        return list(self._load.failed)

    def evaluate(self, expression: str) -> Any:
        return self._browser.evaluate(expression)

    def links(self) -> list[str]:
        """Where its links lead, each once and without what leads to a place on a page."""
        found = self.evaluate(LINKS)
        return list(dict.fromkeys(urldefrag(address).url for address in found if isinstance(address, str)))

    def picture(self, *, kind: Literal["png", "jpeg"] = "png", max_height: int | None = None) -> bytes:
        """What is in the window; or all of the page, down to a height."""
        return self._browser.picture(kind=kind, max_height=max_height)


class Browser:
    def __init__(self, chromium: Chromium, serve: Responder = nothing, *, seconds: float = 30) -> None:
        self._chromium = chromium
        self._serve = serve
        self._seconds = seconds
        self._load = PageLoad()

    def __enter__(self) -> Self:
        try:
            self._start()
        except BrowserExitedError:
            self._start()  # one in a thousand ends while it starts, without a word
        return self

    def _start(self) -> None:
        self._process = process.start(self._chromium)
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
        """Goes to an address and waits until everything it needs has loaded or failed."""
        self._set_window(width, height, dark)
        frame = self._call("Page.getFrameTree")["frameTree"]["frame"]
        self._load = PageLoad(frame=frame["id"], before=frame["loaderId"])
        answer = self._call("Page.navigate", url=address)
        if reason := answer.get("errorText"):
            raise BrowserError(f"{address} could not be opened: {reason}.")
        self._pipe.listen_until(lambda: self._load.loaded, f"{address} had loaded")
        return Page(self, self._load)

    def show(self, html: str, *, width: int = 1280, height: int = 800, dark: bool = False) -> Page:
        """Shows HTML that comes from nowhere, such as the body of a mail."""
        page = self.open("about:blank", width=width, height=height, dark=dark)
        self._call("Page.setDocumentContent", frameId=self._load.frame, html=html)
        # The content is there when the call returns; its pictures are when they have been decoded.
        self.evaluate("Promise.allSettled([...document.images].map(image => image.decode())).then(() => true)")
        return page

    def evaluate(self, expression: str) -> Any:
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if problem := answer.get("exceptionDetails"):
            raise BrowserError(f"The page could not be asked: {problem.get('text', 'no reason')}.")
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
        wanted = [{"name": name, "value": value} for name, value in features.items()]
        self._call("Emulation.setEmulatedMedia", features=wanted)

    def _call(self, method: str, **parameters: object) -> Message:
        try:
            return self._pipe.call(method, self._session, **parameters)
        except BrowserExitedError as error:
            raise BrowserExitedError(self._process.error_output()) from error

    def _on_event(self, message: Message) -> None:
        event = message.get("params", {})
        match message["method"]:
            case "Fetch.requestPaused":
                self._answer(event["requestId"], event["request"]["method"], event["request"]["url"])
            case "Page.javascriptDialogOpening":
                self._pipe.send("Page.handleJavaScriptDialog", self._session, accept=False)
            case "Page.lifecycleEvent" if event["name"] == "load" and event["frameId"] == self._load.frame:
                self._load.loaded = self._load.loaded or event["loaderId"] != self._load.before
            case "Network.requestWillBeSent" if event["loaderId"] != self._load.before:
                self._load.addresses[event["requestId"]] = event["request"]["url"]
            case "Network.responseReceived" if event["loaderId"] != self._load.before:
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

    def _answer(self, request: str, method: str, address: str) -> None:
        self._load.asked += 1
        served = self._serve(address) if method == "GET" and self._load.asked <= MOST_FILES else None
        if served is None:
            self._pipe.send("Fetch.failRequest", self._session, requestId=request, errorReason="BlockedByClient")
        else:
            self._pipe.send("Fetch.fulfillRequest", self._session, requestId=request, **_fulfilled(served))


def _fulfilled(served: Response) -> Message:
    return {
        "responseCode": served.status,
        "responseHeaders": [{"name": name, "value": value} for name, value in served.headers],
        "body": base64.b64encode(served.content).decode(),
    }
