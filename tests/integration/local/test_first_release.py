"""The first release of a local project."""

from __future__ import annotations

from pathlib import Path

from local.aws import ACCOUNT, EmulatedAws
from local.domain import Names, site_of
from local.page.site_files import Previews
from local.stack.warm_up import publish_first_release
from tests.support.world import make_tables
from webordinary.contract.messages.base import Pair
from webordinary.contract.settings import Timing
from webordinary_worker.deploy.live_site import LiveSite

NAMES = Names("firstrelease", ACCOUNT)


def test_first_release_is_live_and_recorded(emulated: EmulatedAws, tmp_path: Path) -> None:
    emulated.client("s3").create_bucket(Bucket=NAMES.bucket("sites"))
    make_tables(emulated.client("dynamodb"), NAMES)
    (tmp_path / "menu").mkdir()
    (tmp_path / "index.html").write_text("home")
    (tmp_path / "menu/index.html").write_text("menu")

    publish_first_release(emulated, NAMES, "bakery", tmp_path, "c0ffee")

    site = site_of("bakery")
    assert site is not None
    shown = Previews(emulated, NAMES).get(site, "/menu")
    timing = Timing.model_validate({})
    record = LiveSite(emulated.client("s3"), NAMES, Pair(project="bakery", user="ada"), 1, timing).read()
    assert shown.file is not None
    assert (shown.file.content, shown.missing) == (b"menu", False)
    assert (record.number, record.commit, record.change) == (1, "c0ffee", None)
