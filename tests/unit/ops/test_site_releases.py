"""Releases of a live site: listed, and shown again by the operator."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.support.world import PAIR, World
from tests.unit.ops.conftest import Command
from tests.unit.ops.console.conftest import visitor_of
from webordinary.contract.names import site_prefix
from webordinary.protocol.change_life import Published, TakenOff, publications
from webordinary.sites.live_releases import LIVE, LiveChange, LiveRecord, LiveRelease, LiveReleases, record_key
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError
from webordinary_ops.site_releases import plan_site_rollback

HOURS = {1: "8 am to noon", 2: "9 am to 1 pm"}


def store(world: World, key: str, content: str) -> None:
    world.s3.put_object(Bucket=world.names.bucket("sites"), Key=key, Body=content.encode())


def live_page(world: World) -> str:
    key = f"{site_prefix('live', 'bakery')}index.html"
    return str(world.s3.get_object(Bucket=world.names.bucket("sites"), Key=key)["Body"].read().decode())


@pytest.fixture
def releases(world: World, bakery: Any) -> LiveReleases:
    """Two releases of the bakery; the second one is live."""
    files = site_prefix("released_files", "bakery")
    for number, words in HOURS.items():
        release = LiveRelease(
            number=number, previous=number - 1, job_id=f"mail-{number}", thread_id=str(number) * 26,
            commit=f"c{number}", published_at=world.clock(), changes=(f"change{number}",),
            files={"index.html": f"digest{number}"},
        )  # fmt: skip
        store(world, record_key("bakery", number), release.wire_text())
        store(world, f"{files}digest{number}", words)
    live = LiveRecord(number=2, newest=2, commit="c2", job_id="mail-2", files={"index.html": "digest2"})
    store(world, record_key("bakery", LIVE), live.wire_text())
    store(world, f"{site_prefix('live', 'bakery')}index.html", HOURS[2])
    return LiveReleases(lambda: world.s3, world.names)


def test_releases_are_listed_with_the_live_one(run: Command, releases: LiveReleases) -> None:
    rows = run("projects", "releases", "bakery")

    assert [(row["release"], row["live"], row["commit"]) for row in rows] == [(2, True, "c2"), (1, False, "c1")]


def test_rollback_shows_an_earlier_release(run: Command, world: World, releases: LiveReleases) -> None:
    assert live_page(world) == HOURS[2]

    result = run("projects", "rollback", "bakery", "--to", "1")

    assert result == {"project": "bakery", "release": 1, "releaseBefore": 2}
    assert live_page(world) == HOURS[1]
    record = releases.record("bakery")
    assert (record.number, record.newest, record.change) == (1, 2, None)
    taken_off = publications(record, lambda number: releases.find("bakery", number), "2" * 26)
    assert [*taken_off] == [Published(("change2",)), TakenOff()]


def test_rolled_back_release_can_be_shown_again(run: Command, world: World, releases: LiveReleases) -> None:
    run("projects", "rollback", "bakery", "--to", "1")
    run("projects", "rollback", "bakery", "--to", "2")

    assert live_page(world) == HOURS[2]


@pytest.mark.parametrize(("number", "reason"), [("2", "is already live"), ("3", "has no release 3")])
def test_impossible_rollback_changes_nothing(
    refused: Command, world: World, releases: LiveReleases, number: str, reason: str
) -> None:
    assert reason in refused("projects", "rollback", "bakery", "--to", number)
    assert live_page(world) == HOURS[2]


def test_rollback_waits_for_a_publish_and_then_leaves_it(
    deployment: Deployment, world: World, releases: LiveReleases
) -> None:
    """A worker holds the site, and has published when the hold ends."""
    held = releases.record("bakery").model_copy(
        update={"change": LiveChange(pair_key=PAIR.key, job_id="mail-3", number=3, commit="c3", files={},
                                     held_until=world.clock() + timedelta(seconds=30))}
    )  # fmt: skip
    waits = []

    def publish_meanwhile(seconds: float) -> None:
        waits.append(seconds)
        live = LiveRecord(number=3, newest=3, commit="c3", job_id="mail-3", files={"index.html": "digest2"})
        store(world, record_key("bakery", LIVE), live.wire_text())

    change = plan_site_rollback(deployment, "bakery", 1, wait=publish_meanwhile)
    store(world, record_key("bakery", LIVE), held.wire_text())

    with pytest.raises(OperatorError, match="has changed in the meantime"):
        change.run()

    assert len(waits) == 1
    assert releases.record("bakery").number == 3


def test_console_asks_and_then_rolls_back(deployment: Deployment, world: World, releases: LiveReleases) -> None:
    acting = visitor_of(deployment, allow_actions=True)
    assert "/actions/rollback" not in visitor_of(deployment).get("/projects/bakery")
    assert 'href="/actions/rollback?' in acting.get("/projects/bakery")

    page = acting.get("/actions/rollback?project=bakery&release=1")
    announcement = "Shows release 1 of bakery instead of release 2, without a build."
    assert announcement in page
    assert "webordinary --env dev projects rollback bakery --to 1" in page
    assert live_page(world) == HOURS[2]

    acting.post("/actions/rollback", project="bakery", release="1", announcement=announcement)

    assert live_page(world) == HOURS[1]


@pytest.mark.parametrize("number", ["", "0", "-1", "live", "../1", "1e3"])
def test_console_refuses_other_numbers(deployment: Deployment, releases: LiveReleases, number: str) -> None:
    page = visitor_of(deployment, allow_actions=True).get(f"/actions/rollback?project=bakery&release={number}", 404)

    assert "This is not the number of a release" in page
