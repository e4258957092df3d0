"""The live preview of a job: when it starts, when it is announced, and that nothing waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from webordinary_worker.live_preview.live_preview import Announcement, LivePreview
from webordinary_worker.proxies.preview_proxy import PreviewProxy
from webordinary_worker.runtime.broker_client import BrokerFailedError

TIMEOUT_SECONDS = 120  # only a hang reaches it


class Process:
    """Replaces the dev server; records its events."""

    host = "thread--bakery.example.com"
    socket = Path("/nowhere")

    def __init__(self, tree: Path, events: list[str]) -> None:
        self.tree = tree
        self.is_alive = True
        self._events = events

    def wait_until_ready(self, _cancellation: object) -> None:
        self._events.append("ready")

    def kill(self) -> None:
        self.is_alive = False

    def end(self) -> None:
        self._events.append("ended")


class AwaitedEvent(threading.Event):
    """Records that a thread waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.awaited = threading.Event()

    def wait(self, timeout: float | None = None) -> bool:
        self.awaited.set()
        return super().wait(timeout)


@pytest.fixture
def proxy() -> Iterator[PreviewProxy]:
    with PreviewProxy("127.0.0.1:0") as proxy:
        yield proxy


def run_live_preview(proxy: PreviewProxy, tree: Path, announce: Callable[[str], None]) -> list[str]:
    """Runs one live preview, and returns its events in order."""
    events: list[str] = []
    announced, withdrawn = threading.Event(), threading.Event()

    def call(name: str) -> Callable[[], None]:
        def record() -> None:
            events.append(f"{name}, {'serving' if proxy._served else 'closed'}")
            (announced if name == "show" else withdrawn).set()
            announce(name)

        return record

    announcement = Announcement(call("show"), call("hide"))
    process = cast(Any, Process(tree, events))
    live = LivePreview(tree, None, lambda _: None, lambda _: process, proxy, announcement)
    live.begin()
    with live.watching(tree) as model_requested:
        model_requested()
        assert announced.wait(TIMEOUT_SECONDS)
    live.end()
    assert withdrawn.wait(TIMEOUT_SECONDS)
    return events


def test_preview_is_announced_while_served_and_withdrawn_after_the_end(proxy: PreviewProxy, tmp_path: Path) -> None:
    assert run_live_preview(proxy, tmp_path, lambda _: None) == ["ready", "show, serving", "ended", "hide, closed"]


def test_failed_announcement_does_not_stop_the_preview(proxy: PreviewProxy, tmp_path: Path) -> None:
    def refuse(_word: str) -> None:
        raise BrokerFailedError(400)

    assert run_live_preview(proxy, tmp_path, refuse) == ["ready", "show, serving", "ended", "hide, closed"]


def test_dev_server_starts_after_the_first_model_request(proxy: PreviewProxy, tmp_path: Path) -> None:
    installed, started = threading.Event(), threading.Event()

    def start(_: object) -> Any:
        started.set()
        return Process(tmp_path, [])

    live = LivePreview(tmp_path, None, lambda _: installed.set(), start, proxy)
    live._model_requested = requested = AwaitedEvent()
    live.begin()
    with live.watching(tmp_path) as model_requested:
        assert installed.wait(TIMEOUT_SECONDS)
        assert requested.awaited.wait(TIMEOUT_SECONDS)
        assert not started.is_set()
        model_requested()
        assert started.wait(TIMEOUT_SECONDS)
    live.end()


def test_dev_server_does_not_start_without_a_model_request(proxy: PreviewProxy, tmp_path: Path) -> None:
    started = threading.Event()

    def start(_: object) -> Any:
        started.set()
        return Process(tmp_path, [])

    live = LivePreview(tmp_path, None, lambda _: None, start, proxy)
    live.begin()
    live.end()
    for thread in threading.enumerate():
        if thread.name == "live-preview":
            thread.join(TIMEOUT_SECONDS)

    assert "live-preview" not in [thread.name for thread in threading.enumerate()]
    assert not started.is_set()
