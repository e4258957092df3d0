"""Brings a built site to its preview in the bucket of all sites, changing only what differs.

Before a page is touched, the deployment takes the preview's *release record* with a conditional write. The record lies
outside the public prefix and holds the fence, what is certainly there (`files`) and what is being brought (`pending`):

    read record ─▶ greater fence? stop ─▶ take it (If-Match) ─▶ uploads, pages, deletions ─▶ settle it (If-Match)

A worker whose successor has taken the record fails at its next conditional write. After a crash in the middle, files
that `pending` changes count as unknown and are brought again.

The steps of a stage go side by side, and a stage begins when the one before it is over: no page is shown before its
assets, and nothing is removed that a page still shows. The lease is asked before every request that writes, and again
when the client repeats one.

What is uploaded is what was hashed, whatever happens to the built site meanwhile (see `site_files`).
"""

from __future__ import annotations

import mimetypes
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError
from pydantic import Field

from webordinary.contract.errors import PairLostError
from webordinary.contract.messages.base import Message
from webordinary.contract.names import Names, preview_prefix, preview_record
from webordinary.sites.live_releases import UNKNOWN
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.confinement.safe_copy import Quota, read_below
from webordinary_worker.deploy.built_files import SiteFiles
from webordinary_worker.deploy.page_diff import (
    MAX_PAGE_BYTES,
    PageChanges,
    ReadPage,
    changes_between,
    is_page,
    pages_to_read,
)
from webordinary_worker.deploy.uploads import Uploads
from webordinary_worker.parallel import run_all

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

ATTEMPTS_TO_TAKE = 3
# Files up to this size are in memory side by side, larger ones one at a time.
SMALL_BYTES = 4 * 1024 * 1024
HASHED = "_astro/"
UPLOADED = ("hashed", "other", "page")
DELETED = ("page", "other", "hashed")
WRITES = tuple(f"before-send.s3.{operation}" for operation in ("PutObject", "CopyObject", "DeleteObject"))
FOREVER = "public, max-age=31536000, immutable"
ALWAYS_ASK = "no-cache"
# Python's own table differs from version to version and from machine to machine in these.
WEB_TYPES = {
    ".avif": "image/avif",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".xml": "text/xml",
}


class Action(StrEnum):
    UPLOAD = "upload"
    DELETE = "delete"


@dataclass(frozen=True)
class Step:
    action: Action
    path: str


def plan(old: Mapping[str, str], new: Mapping[str, str]) -> list[Step]:
    """Steps from one manifest (path → digest) to another, in an order that never shows a page without its assets."""
    changed = sorted(path for path, digest in new.items() if old.get(path) != digest)
    gone = sorted(path for path in old if path not in new)
    return [
        *(Step(Action.UPLOAD, path) for path in sorted(changed, key=lambda path: UPLOADED.index(_kind(path)))),
        *(Step(Action.DELETE, path) for path in sorted(gone, key=lambda path: DELETED.index(_kind(path)))),
    ]


def stages(steps: list[Step]) -> Iterator[list[Step]]:
    """What may go side by side of a plan's steps: only steps of one kind, and the kinds one after the other."""
    for _, stage in groupby(steps, key=lambda step: (step.action, _kind(step.path))):
        yield list(stage)


def _kind(path: str) -> str:
    if is_page(path):
        return "page"
    return "hashed" if path.startswith(HASHED) else "other"


class Release(Message):
    """Who brought what to a preview."""

    fence: int
    job_id: str
    tree: str = ""  # the git tree that it was built from
    files: dict[str, str] = Field(default_factory=dict)
    pending: dict[str, str] | None = None

    def known(self) -> dict[str, str]:
        if self.pending is None:
            return self.files
        paths = {*self.files, *self.pending}
        return {path: self.files[path] if self.files.get(path) == self.pending.get(path) else UNKNOWN for path in paths}


class StaleDeploymentError(PairLostError):
    """A worker with a newer claim has taken the preview; this one changes nothing more."""

    def __init__(self, thread_id: str, fence: int) -> None:
        super().__init__(
            f"The preview of thread {thread_id} belongs to a newer claim than {fence}; nothing was changed."
        )


@dataclass(frozen=True)
class DeployResult:
    """What a deployment came to: how many files it changed, and which pages look different now."""

    files: int
    changes: PageChanges
    is_new: bool = False  # there was nothing before


class Preview:
    """A thread's place in the bucket of all sites."""

    def __init__(
        self,
        client: S3Client,
        names: Names,
        project: str,
        thread_id: str,
        fence: int,
        *,
        builder: int | None = None,
        quota: Quota | None = None,
    ) -> None:
        self._client = client
        self._bucket = names.bucket("sites")
        self._uploads = Uploads(client, self._bucket)
        self._prefix = preview_prefix(project, thread_id)
        self._record = preview_record(project, thread_id)
        self._thread_id = thread_id
        self._fence = fence
        self._builder = builder
        self._quota = quota or Limits().site
        self._one_large_file = threading.Lock()

    def files_built_from(self, tree: str) -> dict[str, str] | None:
        """Path → digest of what the preview shows, if that was built from this git tree."""
        release, _ = self._read()
        return release.files if release is not None and release.pending is None and release.tree == tree else None

    def deploy(self, site: Path, job_id: str, check_lease: Callable[[], None], *, tree: str = "") -> DeployResult:
        """Makes the preview show the built site."""
        files = SiteFiles(site, self._builder, self._quota)
        with lease_checked_writes(self._client, check_lease):
            return self._deploy(files, job_id, tree)

    def compare_builds(self, beginning: Path, site: Path) -> PageChanges:
        """Which pages of a built site differ from those of another one."""
        before, after = (SiteFiles(folder, self._builder, self._quota) for folder in (beginning, site))
        return changes_between(before.digests(), after.digests(), _reading(before), _reading(after))

    def _deploy(self, site: SiteFiles, job_id: str, tree: str) -> DeployResult:
        manifest = site.digests()
        before, etag = self._take(job_id, manifest)
        # Now: once the new pages are there, the old ones are gone. They are compared beside the uploads, which wait.
        shown = self._shown_pages(pages_to_read(before, manifest))
        steps = plan(before, manifest)
        with ThreadPoolExecutor(1, thread_name_prefix="comparing") as beside:
            comparing = beside.submit(changes_between, before, manifest, shown.get, _reading(site)) if before else None
            for stage in stages(steps):
                run_all([partial(self._carry_out, step, site, manifest) for step in stage])
            self._write(Release(fence=self._fence, job_id=job_id, tree=tree, files=manifest), IfMatch=etag)
            changes = comparing.result() if comparing is not None else PageChanges()
        return DeployResult(len(steps), changes, is_new=not before)

    def _shown_pages(self, paths: Sequence[str]) -> dict[str, bytes]:
        """What the preview shows at these paths, as far as it is there: it is only told about."""
        shown: dict[str, bytes] = {}

        def read(path: str) -> None:
            with suppress(ClientError):
                answer = self._client.get_object(Bucket=self._bucket, Key=self._prefix + path)
                shown[path] = answer["Body"].read(MAX_PAGE_BYTES)

        run_all([partial(read, path) for path in paths])
        return shown

    def _take(self, job_id: str, manifest: dict[str, str]) -> tuple[dict[str, str], str]:
        for _ in range(ATTEMPTS_TO_TAKE):
            release, etag = self._read()
            if release is not None and release.fence > self._fence:
                break
            before = release.known() if release else {}
            taken = Release(fence=self._fence, job_id=job_id, files=before, pending=manifest)
            try:
                return before, self._write(taken, **({"IfMatch": etag} if etag else {"IfNoneMatch": "*"}))
            except StaleDeploymentError:
                continue  # somebody wrote between our read and our write: look who it was
        raise StaleDeploymentError(self._thread_id, self._fence)

    def _read(self) -> tuple[Release | None, str | None]:
        try:
            answer = self._client.get_object(Bucket=self._bucket, Key=self._record)
        except self._client.exceptions.NoSuchKey:
            return None, None
        return Release.read(answer["Body"].read()), answer["ETag"]

    def _write(self, release: Release, **condition: Any) -> str:
        try:
            answer = self._client.put_object(
                Bucket=self._bucket,
                Key=self._record,
                Body=release.wire_text().encode(),
                ContentType="application/json",
                **condition,
            )
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") in ("PreconditionFailed", "ConditionalRequestConflict"):
                raise StaleDeploymentError(self._thread_id, self._fence) from error
            raise
        return answer["ETag"]

    def _carry_out(self, step: Step, site: SiteFiles, manifest: Mapping[str, str]) -> None:
        if step.action is Action.DELETE:
            self._client.delete_object(Bucket=self._bucket, Key=self._prefix + step.path)
        else:
            with nullcontext() if site.size(step.path) <= SMALL_BYTES else self._one_large_file:
                self._upload(step.path, site.read(step.path, manifest[step.path]))

    def _upload(self, path: str, content: bytes) -> None:
        headers = {"Content-Type": content_type(path), "Cache-Control": cache_control(path)}
        self._uploads.put(self._prefix + path, content, headers)


@contextmanager
def lease_checked_writes(client: S3Client, check_lease: Callable[[], None]) -> Iterator[None]:
    """Each attempt is asked for: one that was lost on the way may be repeated long after the lease is over."""

    def ask(**_: Any) -> None:
        check_lease()

    for write in WRITES:
        client.meta.events.register(write, ask)
    try:
        yield
    finally:
        for write in WRITES:
            client.meta.events.unregister(write, ask)


def _reading(site: SiteFiles) -> ReadPage:
    """A page that has changed since it was hashed is not told about; one that is uploaded is looked at again."""

    def read(path: str) -> bytes | None:
        try:
            return read_below(site.folder, Path(path).parts, site.quota.file_bytes, site.owner)
        except OSError:
            return None

    return read


def content_type(path: str) -> str:
    kind = WEB_TYPES.get(Path(path).suffix.lower()) or mimetypes.guess_type(path)[0] or "application/octet-stream"
    text = kind.startswith("text/") or kind in ("application/json", "application/manifest+json", "image/svg+xml")
    return f"{kind}; charset=utf-8" if text else kind


def cache_control(path: str) -> str:
    return FOREVER if path.startswith(HASHED) else ALWAYS_ASK
