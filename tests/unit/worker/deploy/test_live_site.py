"""Changes of a live site: one at a time, with a hold on the live record that expires."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import boto3
import pytest

from tests.support.world import PAIR, REGION, World
from webordinary.contract.messages.base import Pair
from webordinary_worker.deploy.live_site import LiveSite, LiveSiteLostError

BOB = Pair(project=PAIR.project, user="bob")


class Texts:
    """A site whose digests are the texts of its files."""

    def __init__(self, client: Any, files: Mapping[str, str]) -> None:
        self.files = files
        self._s3 = client

    def store(self, path: str, bucket: str, key: str) -> None:
        self._s3.put_object(Bucket=bucket, Key=key, Body=self.files[path].encode())


class Stage:
    def __init__(self, world: World) -> None:
        self.world = world
        self.bucket = world.names.bucket("sites")
        self.now = 0.0
        self.waited: list[float] = []
        world.s3.create_bucket(Bucket=self.bucket, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})

    def live(
        self, pair: Pair = PAIR, fence: int = 1, wait: Callable[[float], None] | None = None, client: Any = None
    ) -> LiveSite:
        world = self.world
        return LiveSite(
            client or world.s3,
            world.names,
            pair,
            fence,
            world.timing,
            world.clock,
            monotonic=lambda: self.now,
            wait=wait or self.wait,
        )

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.pass_time(seconds)

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.world.clock.advance(seconds)

    def publish(
        self, live: LiveSite, files: Mapping[str, str], job: str = "mail-1", client: Any = None, **more: Any
    ) -> bool:
        facts = {"job_id": job, "thread_id": "", "commit": job, "check_lease": lambda: None, **more}
        return live.publish(Texts(client or self.world.s3, files), **facts)

    def shown(self) -> dict[str, str]:
        prefix = "bakery/live/"
        listed = self.world.s3.list_objects_v2(Bucket=self.bucket, Prefix=prefix).get("Contents", [])
        return {entry["Key"].removeprefix(prefix): self._text(entry["Key"]) for entry in listed}

    def _text(self, key: str) -> str:
        return str(self.world.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read().decode())


@pytest.fixture
def stage(world: World) -> Stage:
    return Stage(world)


class Crash(Exception):  # noqa: N818  not an error of the product
    pass


def after(checks: int, action: Callable[[], None]) -> Callable[[], None]:
    """A lease check that runs an action once, after this many checks."""
    numbers = iter(range(checks + 1))

    def check_lease() -> None:
        if next(numbers, None) == checks:
            action()

    return check_lease


def crash() -> None:
    raise Crash


def test_release_replaces_the_previous_one(stage: Stage) -> None:
    stage.publish(stage.live(), {"index.html": "one", "old.html": "old"})
    stage.publish(stage.live(), {"index.html": "two"}, "mail-2")

    assert stage.shown() == {"index.html": "two"}
    assert stage.live().read().number == 2


def test_roll_back_shows_the_whole_earlier_release(stage: Stage) -> None:
    for number, files in enumerate(({"a.html": "a", "b.html": "b"}, {"a.html": "changed", "c.html": "c"}), start=1):
        stage.publish(stage.live(), files, f"mail-{number}")
    first = stage.live().find_release(1)
    assert first is not None

    assert stage.live().roll_back_to(first, job_id="mail-3", commit="c", check_lease=lambda: None)
    assert stage.shown() == {"a.html": "a", "b.html": "b"}
    assert (stage.live().read().number, stage.live().read().newest) == (1, 2)


def test_content_type_depends_on_the_path_not_the_content(stage: Stage) -> None:
    stage.publish(stage.live(), {"a.html": "x", "_astro/a.C1a2b3c4.css": "x"})
    keys = ("bakery/live/a.html", "bakery/live/_astro/a.C1a2b3c4.css")
    page, style = (stage.world.s3.head_object(Bucket=stage.bucket, Key=key) for key in keys)

    assert (page["ContentType"], page["CacheControl"]) == ("text/html; charset=utf-8", "no-cache")
    assert (style["ContentType"], "immutable" in style["CacheControl"]) == ("text/css; charset=utf-8", True)


def test_other_pair_waits_until_a_change_is_complete(stage: Stage) -> None:
    def complete(_seconds: float) -> None:
        stage.publish(stage.live(), {"index.html": "first"}, "mail-1")

    with pytest.raises(Crash):
        stage.publish(stage.live(), {"index.html": "first"}, check_lease=after(2, crash))
    stage.publish(stage.live(BOB, wait=complete), {"index.html": "second"}, "mail-2")

    assert stage.shown() == {"index.html": "second"}
    assert [stage.live().find_release(number).job_id for number in (1, 2)] == ["mail-1", "mail-2"]  # type: ignore[union-attr]


def test_other_pair_waits_for_a_dead_holder_until_the_hold_expires(stage: Stage) -> None:
    with pytest.raises(Crash):
        stage.publish(stage.live(), {"index.html": "half", "more.html": "half"}, check_lease=after(3, crash))

    stage.publish(stage.live(BOB), {"index.html": "whole"}, "mail-2")

    timing = stage.world.timing
    assert stage.shown() == {"index.html": "whole"}
    assert timing.live_hold_seconds <= sum(stage.waited) <= timing.live_hold_seconds + timing.clock_margin_seconds + 1


def test_holder_that_resumes_after_its_hold_changes_nothing(stage: Stage) -> None:
    def pause_past_the_hold() -> None:
        stage.pass_time(stage.world.timing.live_hold_seconds + stage.world.timing.clock_margin_seconds + 1)
        stage.publish(stage.live(BOB, client=bobs_client), {"index.html": "newer"}, "mail-2", bobs_client)

    make: Any = boto3.client
    bobs_client = make("s3", region_name=REGION, aws_access_key_id="testing", aws_secret_access_key="testing")
    with pytest.raises(LiveSiteLostError):
        stage.publish(stage.live(), {"index.html": "late"}, check_lease=after(3, pause_past_the_hold))

    record = stage.live().read()
    assert (record.job_id, record.change, stage.shown()) == ("mail-2", None, {"index.html": "newer"})


def test_long_change_renews_its_hold(stage: Stage) -> None:
    files = {f"{number}.html": str(number) for number in range(200)}
    half = stage.world.timing.live_hold_seconds * 0.6

    def slow() -> None:
        stage.now += half / 60
        stage.world.clock.advance(half / 60)

    assert stage.publish(stage.live(), files, check_lease=slow)
    assert len(stage.shown()) == 200


def test_stale_fence_of_the_same_pair_changes_nothing(stage: Stage) -> None:
    stage.publish(stage.live(fence=2), {"index.html": "new"})

    with pytest.raises(LiveSiteLostError):
        stage.publish(stage.live(fence=1), {"index.html": "old"}, "mail-0")
    assert stage.shown() == {"index.html": "new"}


def test_fences_of_two_pairs_are_not_compared(stage: Stage) -> None:
    stage.publish(stage.live(fence=9), {"index.html": "ada's"})
    stage.publish(stage.live(BOB, fence=1), {"index.html": "bob's"}, "mail-2")

    assert stage.shown() == {"index.html": "bob's"}


def test_newer_worker_of_the_same_pair_does_not_wait(stage: Stage) -> None:
    with pytest.raises(Crash):
        stage.publish(stage.live(), {"index.html": "half"}, check_lease=after(2, crash))

    stage.publish(stage.live(fence=2), {"index.html": "whole"})

    assert (stage.waited, stage.shown(), stage.live().read().number) == ([], {"index.html": "whole"}, 1)


def test_publish_rejected_by_should_proceed_changes_nothing(stage: Stage) -> None:
    stage.publish(stage.live(), {"index.html": "newer"}, "newer")

    assert not stage.publish(
        stage.live(BOB), {"index.html": "older"}, should_proceed=lambda record: record.commit != "newer"
    )
    assert stage.shown() == {"index.html": "newer"}


def test_hold_lasts_as_long_as_configured(stage: Stage) -> None:
    with pytest.raises(Crash):
        stage.publish(stage.live(), {"index.html": "half"}, check_lease=after(1, crash))

    change = stage.live().read().change
    assert change is not None
    assert change.held_until - stage.world.clock() == timedelta(seconds=stage.world.timing.live_hold_seconds)
