"""Deployments to a preview: contents, order, fencing and the lease check."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from tests.support.world import ACCOUNT, PAIR, REGION, THREAD, World
from webordinary.contract.names import Names
from webordinary.contract.outcomes import PageChange
from webordinary_worker.deploy import preview
from webordinary_worker.deploy.built_files import ChangedFileError
from webordinary_worker.deploy.preview import (
    Preview,
    StaleDeploymentError,
    lease_checked_writes,
)
from webordinary_worker.deploy.site_risks import SiteRisks
from webordinary_worker.deploy.upload_plan import CACHE_FOREVER, REVALIDATE, DeployRecord
from webordinary_worker.deploy.uploads import Uploads
from webordinary_worker.failures import TooLargeError

Build = Callable[..., Path]
RECORD = f"bakery/releases/preview-{THREAD}.json"
PREFIX = f"bakery/preview/{THREAD}/"


class SitesBucket:
    def __init__(self, world: World) -> None:
        self.client = world.s3
        self.names = world.names
        self.name = world.names.bucket("sites")
        self.client.create_bucket(Bucket=self.name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})

    def preview(self, fence: int = 1, client: Any = None) -> Preview:
        return Preview(client or self.client, self.names, PAIR.project, THREAD, fence)

    def pages(self) -> dict[str, str]:
        listed = self.client.list_objects_v2(Bucket=self.name, Prefix=PREFIX).get("Contents", [])
        return {entry["Key"].removeprefix(PREFIX): self.get(entry["Key"])["Body"].read().decode() for entry in listed}

    def get(self, key: str) -> Any:
        return self.client.get_object(Bucket=self.name, Key=key)

    def record(self) -> DeployRecord:
        return DeployRecord.read(self.get(RECORD)["Body"].read())


@pytest.fixture
def bucket(world: World) -> SitesBucket:
    return SitesBucket(world)


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """A built site of these files."""
    numbers = iter(range(100))

    def make(files: dict[str, str]) -> Path:
        folder = tmp_path / f"site-{next(numbers)}"
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return folder

    return make


def lease_is_valid() -> None:
    pass


def test_preview_has_exactly_the_files_of_the_build(bucket: SitesBucket, build: Build) -> None:
    first = bucket.preview().deploy(
        build({"index.html": "one", "old.html": "old", "a.css": "a"}), "mail-1", lease_is_valid
    )
    second = bucket.preview().deploy(build({"index.html": "two", "a.css": "a"}), "mail-2", lease_is_valid)

    assert bucket.pages() == {"index.html": "two", "a.css": "a"}
    assert (first.files, second.files) == (3, 2)
    assert [(page.path, page.change) for page in second.changes.pages] == [
        ("index.html", PageChange.CHANGED),
        ("old.html", PageChange.REMOVED),
    ]
    assert (second.changes.pages[0].before, second.changes.pages[0].after) == ("one", "two")


def test_new_preview_is_compared_with_the_threads_base(bucket: SitesBucket, build: Build) -> None:
    base = build({"index.html": "<title>Home</title>one", "about.html": "same"})

    site = build({"index.html": "<title>Home</title>two", "about.html": "same"})

    deployed = bucket.preview().deploy(site, "mail-1", lease_is_valid)

    (page,) = bucket.preview().compare_builds(base, site).pages
    assert (deployed.is_new, deployed.changes.pages) == (True, ())
    assert (page.title, page.before, page.after) == ("Home", "one", "two")


def test_files_have_content_type_and_cache_control(bucket: SitesBucket, build: Build) -> None:
    bucket.preview().deploy(build({"index.html": "one", "_astro/a.C1a2b3c4.css": "a"}), "mail-1", lease_is_valid)

    page, style = (bucket.get(PREFIX + name) for name in ("index.html", "_astro/a.C1a2b3c4.css"))
    assert (page["ContentType"], page["CacheControl"]) == ("text/html; charset=utf-8", REVALIDATE)
    assert (style["ContentType"], style["CacheControl"]) == ("text/css; charset=utf-8", CACHE_FOREVER)


def test_non_latin_file_name_is_uploaded(bucket: SitesBucket, build: Build) -> None:
    bucket.preview().deploy(
        build({"uploads/фото.webp": "picture", "uploads/照片.jpg": "picture"}), "mail-1", lease_is_valid
    )

    assert bucket.get(f"{PREFIX}uploads/фото.webp")["ContentType"] == "image/webp"
    assert bucket.get(f"{PREFIX}uploads/照片.jpg")["ContentType"] == "image/jpeg"


def test_finished_deployment_writes_its_record(bucket: SitesBucket, build: Build) -> None:
    bucket.preview(fence=3).deploy(build({"index.html": "one"}), "mail-1", lease_is_valid)

    record = bucket.record()
    assert (record.fence, record.job_id, set(record.files), record.pending) == (3, "mail-1", {"index.html"}, None)


def test_interrupted_deployment_leaves_pending_files_in_the_record(bucket: SitesBucket, build: Build) -> None:
    checks = iter([None])

    def once() -> None:
        if next(checks, "no more") is not None:
            raise StaleDeploymentError(THREAD, 1)

    with pytest.raises(StaleDeploymentError):
        bucket.preview().deploy(build({"index.html": "one"}), "mail-1", once)

    record = bucket.record()
    assert (record.files, set(record.pending or {}), bucket.pages()) == ({}, {"index.html"}, {})


def test_lease_is_checked_before_every_write(bucket: SitesBucket, build: Build) -> None:
    checks: list[int] = []

    bucket.preview().deploy(build({"a.html": "a", "b.html": "b"}), "mail-1", lambda: checks.append(1))
    bucket.client.put_object(Bucket=bucket.name, Key="after", Body=b"")

    assert len(checks) == 4


def test_deployment_without_the_lease_writes_no_record(bucket: SitesBucket, build: Build) -> None:
    def never() -> None:
        raise StaleDeploymentError(THREAD, 1)

    with pytest.raises(StaleDeploymentError):
        bucket.preview().deploy(build({"index.html": "one"}), "mail-1", never)
    with pytest.raises(bucket.client.exceptions.NoSuchKey):
        bucket.record()


def test_deployment_with_stale_fence_changes_nothing(bucket: SitesBucket, build: Build) -> None:
    bucket.preview(fence=2).deploy(build({"index.html": "new"}), "mail-2", lease_is_valid)

    with pytest.raises(StaleDeploymentError):
        bucket.preview(fence=1).deploy(build({"index.html": "old"}), "mail-1", lease_is_valid)
    assert bucket.pages() == {"index.html": "new"}
    assert bucket.record().fence == 2


class Rival:
    """An S3 client where a rival writes the record just before each of our writes."""

    def __init__(self, bucket: SitesBucket, fence: int, times: int) -> None:
        self._bucket = bucket
        self._fence = fence
        self._times = times
        self.exceptions = bucket.client.exceptions

    def put_object(self, **request: Any) -> Any:
        if request["Key"] == RECORD and self._times > 0:
            self._times -= 1
            rival = DeployRecord(fence=self._fence, job_id=f"rival-{self._times}")
            self._bucket.client.put_object(Bucket=self._bucket.name, Key=RECORD, Body=rival.wire_text().encode())
        return self._bucket.client.put_object(**request)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bucket.client, name)


def test_record_of_an_older_claim_is_taken_over(bucket: SitesBucket, build: Build) -> None:
    rival = Rival(bucket, fence=1, times=1)

    bucket.preview(fence=2, client=rival).deploy(build({"index.html": "mine"}), "mail-2", lease_is_valid)

    assert (bucket.pages(), bucket.record().fence) == ({"index.html": "mine"}, 2)


def test_record_of_a_newer_claim_stops_the_deployment(bucket: SitesBucket, build: Build) -> None:
    rival = Rival(bucket, fence=3, times=1)

    with pytest.raises(StaleDeploymentError):
        bucket.preview(fence=2, client=rival).deploy(build({"index.html": "mine"}), "mail-2", lease_is_valid)
    assert (bucket.pages(), bucket.record().fence) == ({}, 3)


def test_deployment_gives_up_on_a_record_that_keeps_changing(bucket: SitesBucket, build: Build) -> None:
    rival = Rival(bucket, fence=1, times=100)

    with pytest.raises(StaleDeploymentError):
        bucket.preview(fence=2, client=rival).deploy(build({"index.html": "mine"}), "mail-2", lease_is_valid)


def test_record_of_a_newer_worker_written_during_uploads_is_kept(bucket: SitesBucket, build: Build) -> None:
    others: Any = boto3.client("s3", region_name=REGION)

    def successor_comes() -> None:
        if RECORD in {entry["Key"] for entry in others.list_objects_v2(Bucket=bucket.name)["Contents"]}:
            newer = DeployRecord(fence=9, job_id="mail-9").wire_text().encode()
            others.put_object(Bucket=bucket.name, Key=RECORD, Body=newer)

    others.put_object(Bucket=bucket.name, Key="other", Body=b"")
    with pytest.raises(StaleDeploymentError):
        bucket.preview(fence=2).deploy(build({"index.html": "mine"}), "mail-2", successor_comes)
    assert bucket.record().fence == 9


def test_bucket_error_is_not_a_stale_deployment(bucket: SitesBucket, build: Build) -> None:
    preview = Preview(bucket.client, Names("elsewhere", ACCOUNT), PAIR.project, THREAD, 1)

    with pytest.raises(ClientError):
        preview.deploy(build({"index.html": "mine"}), "mail-1", lease_is_valid)


def test_file_replaced_by_a_link_after_hashing_is_not_uploaded(
    bucket: SitesBucket, build: Build, tmp_path: Path
) -> None:
    """A leftover process of a build replaces files by links between listing and upload."""
    secret = tmp_path / "environment-of-the-worker"
    secret.write_text("AWS_SECRET_ACCESS_KEY=secret")
    site = build({"index.html": "one", "folder/page.html": "two"})
    one_at_a_time = threading.Lock()

    def swap() -> None:
        for path in ("index.html", "folder/page.html"):
            with one_at_a_time:
                (site / path).unlink(missing_ok=True)
                (site / path).symlink_to(secret)

    with pytest.raises(ChangedFileError):
        bucket.preview().deploy(site, "mail-1", swap)
    assert (bucket.pages(), bucket.record().files) == ({}, {})


def test_file_changed_after_hashing_is_not_uploaded(bucket: SitesBucket, build: Build) -> None:
    site = build({"index.html": "one"})

    def write() -> None:
        (site / "index.html").write_text("two")

    with pytest.raises(ChangedFileError):
        bucket.preview().deploy(site, "mail-1", write)
    assert (bucket.pages(), bucket.record().files) == ({}, {})


def test_links_and_files_of_other_users_are_not_deployed(bucket: SitesBucket, build: Build, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/file.html").write_text("secret")
    site = build({"index.html": "one"})
    (site / "link.html").symlink_to(tmp_path / "secret/file.html")
    (site / "folder").symlink_to(tmp_path / "secret")

    bucket.preview().deploy(site, "mail-1", lease_is_valid)
    others = Preview(bucket.client, bucket.names, PAIR.project, "b" * 26, 1, builder=os.geteuid() + 1).deploy(
        site, "mail-2", lease_is_valid
    )

    assert (set(bucket.pages()), others.files) == ({"index.html"}, 0)


def test_site_with_a_huge_sparse_file_is_refused(bucket: SitesBucket, build: Build) -> None:
    site = build({"index.html": "one"})
    with (site / "sparse.bin").open("wb") as file:
        file.truncate(50 * 1024**3)

    with pytest.raises(TooLargeError):
        bucket.preview().deploy(site, "mail-1", lease_is_valid)
    assert bucket.pages() == {}


def test_file_name_that_is_not_utf8_is_left_out(bucket: SitesBucket, build: Build) -> None:
    site = build({"index.html": "one"})
    Path(os.fsdecode(os.fsencode(site) + b"/\xff.html")).write_text("two")

    bucket.preview().deploy(site, "mail-1", lease_is_valid)

    assert bucket.pages() == {"index.html": "one"}


def test_no_page_is_uploaded_before_all_assets(
    bucket: SitesBucket, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[tuple[str, str]] = []
    put = Uploads.put

    def recording_put(self: Uploads, key: str, content: bytes, headers: dict[str, str]) -> None:
        events.append(("begins", key.removeprefix(PREFIX)))
        put(self, key, content, headers)
        events.append(("ends", key.removeprefix(PREFIX)))

    monkeypatch.setattr(Uploads, "put", recording_put)
    assets = {f"_astro/{number}.css": "a" * 100_000 for number in range(20)}
    pages = {f"{number}.html": "page" for number in range(20)}

    bucket.preview().deploy(build({**pages, **assets}), "mail-1", lease_is_valid)

    last_asset = max(at for at, (what, key) in enumerate(events) if key in assets and what == "ends")
    first_page = min(at for at, (what, key) in enumerate(events) if key in pages and what == "begins")
    assert last_asset < first_page
    assert bucket.pages() == {**pages, **assets}


def test_large_files_are_uploaded_completely(bucket: SitesBucket, build: Build) -> None:
    large = {f"{number}.bin": str(number) * (preview.SMALL_BYTES + 1) for number in range(3)}

    bucket.preview().deploy(build(large), "mail-1", lease_is_valid)

    assert bucket.pages() == large


def test_lease_is_checked_before_a_retry() -> None:
    """The first attempt gets a 503, and the lease expires before the second."""
    attempts: list[str] = []

    class UnavailableServer(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            attempts.append(self.path)
            self.send_error(503)

        def log_message(self, *_: Any) -> None:
            pass

    def once() -> None:
        if attempts:
            raise StaleDeploymentError(THREAD, 1)

    server = ThreadingHTTPServer(("127.0.0.1", 0), UnavailableServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        endpoint = f"http://127.0.0.1:{server.server_address[1]}"
        session: Any = boto3.Session("testing", "testing", region_name=REGION)
        config = Config(retries={"mode": "standard", "max_attempts": 4}, s3={"addressing_style": "path"})
        client = session.client("s3", endpoint_url=endpoint, config=config)
        with lease_checked_writes(client, once), pytest.raises(StaleDeploymentError):
            client.put_object(Bucket="bucket", Key="index.html", Body=b"one")
    finally:
        server.shutdown()
        server.server_close()

    assert len(attempts) == 1


def test_hidden_files_are_never_published(bucket: SitesBucket, build: Build) -> None:
    files = dict.fromkeys((".env", ".env.production", "a/.git/config", ".npmrc", ".well-known/security.txt"), "x")
    bucket.preview().deploy(build({"index.html": "one", **files}), "mail-1", lease_is_valid)

    stored = bucket.preview().files_built_from("")
    assert set(stored or {}) == {"index.html", ".well-known/security.txt"}


def test_risks_of_a_deployment_are_recorded(bucket: SitesBucket, build: Build) -> None:
    site = build({"index.html": '<img src="https://new.example/a.png">'})
    base, found = SiteRisks({}), bucket.preview().search(site, ())

    assert bucket.preview().known_risks() is None
    bucket.preview().deploy(site, "mail-1", lease_is_valid, risks=(found, base))
    assert bucket.preview().known_risks() == (found, base)
