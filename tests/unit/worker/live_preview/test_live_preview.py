"""Who leads people to a worker hears what it shows, when it shows it; and nothing waits for whoever that is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from webordinary_worker.live_preview.live_preview import Announcement, LivePreview
from webordinary_worker.proxies.preview_proxy import PreviewProxy
from webordinary_worker.runtime.broker_client import BrokerFailedError

PATIENCE = 60


class Process:
    """Stands in for the site's own server; notes when it was ended."""

    host = "thread--bakery.example.com"
    socket = Path("/nowhere")

    def __init__(self, tree: Path, said: list[str]) -> None:
        self.tree = tree
        self.is_alive = True
        self._said = said

    def wait_until_ready(self, _cancellation: object) -> None:
        self._said.append("ready")

    def kill(self) -> None:
        self.is_alive = False

    def end(self) -> None:
        self._said.append("ended")


@pytest.fixture
def door() -> Iterator[PreviewProxy]:
    with PreviewProxy("127.0.0.1:0") as door:
        yield door


def shown(door: PreviewProxy, tree: Path, announce: Callable[[str], None]) -> list[str]:
    """One live preview from its beginning to its end, and what happened in which order."""
    said: list[str] = []
    announced, over = threading.Event(), threading.Event()

    def say(word: str) -> Callable[[], None]:
        def saying() -> None:
            said.append(f"{word}, {'open' if door._shown else 'closed'}")
            (announced if word == "show" else over).set()
            announce(word)

        return saying

    told = Announcement(say("show"), say("hide"))
    process = cast(Any, Process(tree, said))
    live = LivePreview(tree, None, lambda _: None, lambda _: process, door, told)
    live.begin()
    with live.watching(tree) as asked:
        asked()
        assert announced.wait(PATIENCE)
    live.end()
    assert over.wait(PATIENCE)
    return said


def test_it_is_announced_while_the_door_is_open_and_taken_back_once_the_server_has_ended(
    door: PreviewProxy, tmp_path: Path
) -> None:
    assert shown(door, tmp_path, lambda _: None) == ["ready", "show, open", "ended", "hide, closed"]


def test_who_cannot_be_told_costs_a_look_and_nothing_else(door: PreviewProxy, tmp_path: Path) -> None:
    def refuse(_word: str) -> None:
        raise BrokerFailedError(400)

    assert shown(door, tmp_path, refuse) == ["ready", "show, open", "ended", "hide, closed"]


def test_the_sites_server_is_not_started_before_the_agent_has_asked_the_model(
    door: PreviewProxy, tmp_path: Path
) -> None:
    installed, started = threading.Event(), threading.Event()

    def start(_: object) -> Any:
        started.set()
        return Process(tmp_path, [])

    live = LivePreview(tmp_path, None, lambda _: installed.set(), start, door)
    live.begin()
    with live.watching(tmp_path) as asked:
        assert installed.wait(PATIENCE)
        assert not started.wait(0.2)
        asked()
        assert started.wait(PATIENCE)
    live.end()


def test_nothing_is_started_for_an_agent_that_ended_without_having_asked(door: PreviewProxy, tmp_path: Path) -> None:
    started = threading.Event()

    def start(_: object) -> Any:
        started.set()
        return Process(tmp_path, [])

    live = LivePreview(tmp_path, None, lambda _: None, start, door)
    live.begin()
    live.end()
    for thread in threading.enumerate():
        if thread.name == "live-preview":
            thread.join(PATIENCE)

    assert "live-preview" not in [thread.name for thread in threading.enumerate()]
    assert not started.is_set()
