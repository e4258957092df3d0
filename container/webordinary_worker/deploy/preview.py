"""Deploys a built site to its preview in the sites bucket, uploading only what differs.

Before the first upload, the deployment acquires the preview's *deploy record* with a conditional write. The record lies
outside the public prefix and holds the fence, the files that are certainly there (`files`) and those being uploaded
(`pending`):

    read record ─▶ greater fence? stop ─▶ acquire it (If-Match) ─▶ uploads, pages, deletions ─▶ complete it (If-Match)

If a newer worker has acquired the record, the conditional write of the older one fails. After a crash in between, files
that `pending` changes count as unknown and are uploaded again.

Steps of one stage run in parallel; stages run one after the other. The lease is checked before every write request,
retries of the client included.

Only the hashed bytes are uploaded, even if the built site changes meanwhile (see `built_files`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from webordinary.contract.errors import PairLostError
from webordinary.contract.names import Names, preview_prefix, preview_record
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.confinement.safe_copy import Quota, read_below
from webordinary_worker.deploy.built_files import SiteFiles
from webordinary_worker.deploy.page_diff import (
    MAX_PAGE_BYTES,
    PageChanges,
    ReadPage,
    changes_between,
    pages_to_read,
)
from webordinary_worker.deploy.release_sources import PreviewContents
from webordinary_worker.deploy.site_risks import SiteRisks, read_risks, risks_of
from webordinary_worker.deploy.upload_plan import (
    Action,
    DeployRecord,
    UploadStep,
    cache_control,
    content_type,
    plan,
    stages,
)
from webordinary_worker.deploy.uploads import Uploads
from webordinary_worker.failures import best_effort
from webordinary_worker.parallel import run_all

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

MAX_ACQUIRE_ATTEMPTS = 3
# Files up to this size are in memory in parallel, larger ones one at a time.
SMALL_BYTES = 4 * 1024 * 1024
WRITES = tuple(f"before-send.s3.{operation}" for operation in ("PutObject", "CopyObject", "DeleteObject"))


class StaleDeploymentError(PairLostError):
    """A worker with a newer claim has acquired the preview; this worker must stop."""

    def __init__(self, thread_id: str, fence: int) -> None:
        super().__init__(
            f"The preview of thread {thread_id} has a newer claim than fence {fence}; this deployment stopped."
        )


@dataclass(frozen=True)
class DeployResult:
    """How many files a deployment changed, and which pages differ."""

    files: int
    changes: PageChanges
    is_new: bool = False  # the preview was empty before


class Preview:
    """A thread's preview in the sites bucket."""

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

    def read(self) -> DeployRecord | None:
        """Who deployed what. None if nothing was ever deployed."""
        return self._read()[0]

    def files_built_from(self, tree: str) -> dict[str, str] | None:
        """The preview's manifest, if its files were built from this git tree."""
        record = self.read()
        return record.files if record is not None and record.pending is None and record.tree == tree else None

    def contents(self, files: Mapping[str, str], folder: Path) -> PreviewContents:
        """The preview's files, to be published; `folder` is for copies of them."""
        return PreviewContents(
            self._client, self._bucket, self._prefix, files, folder=folder, file_bytes=self._quota.file_bytes
        )

    def deploy(
        self,
        site: Path,
        job_id: str,
        check_lease: Callable[[], None],
        *,
        tree: str = "",
        risks: tuple[SiteRisks, SiteRisks | None] | None = None,
    ) -> DeployResult:
        """Uploads the built site to the preview. `risks` are those of the site and of the thread's base."""
        files = SiteFiles(site, self._builder, self._quota)
        found, base = (None if one is None else one.lines() for one in risks or (None, None))
        with lease_checked_writes(self._client, check_lease):
            return self._deploy(
                files, DeployRecord(fence=self._fence, job_id=job_id, tree=tree, risks=found, base_risks=base)
            )

    def search(self, site: Path, own_hosts: Sequence[str]) -> SiteRisks:
        """The risks of a built site."""
        files = SiteFiles(site, self._builder, self._quota)
        return risks_of(files, files.digests(), own_hosts)

    def known_risks(self) -> tuple[SiteRisks, SiteRisks | None] | None:
        """The risks of the deployed site and of the thread's base. None if there is no preview, or an older one."""
        record, _ = self._read()
        if record is None or record.pending is not None or (found := read_risks(record.risks)) is None:
            return None
        return found, read_risks(record.base_risks)

    def compare_builds(self, base: Path, site: Path) -> PageChanges:
        """The pages of a built site that differ from those of another build."""
        before, after = (SiteFiles(folder, self._builder, self._quota) for folder in (base, site))
        return changes_between(before.digests(), after.digests(), _page_reader(before), _page_reader(after))

    def compare_with(self, base: Path, tree: str) -> PageChanges:
        """The pages of the preview that differ from those of a build. None if it was not built from this git tree."""
        shown = self.files_built_from(tree)
        if shown is None:
            return PageChanges()
        before = SiteFiles(base, self._builder, self._quota)
        digests = before.digests()
        after = self._read_pages(pages_to_read(shown, digests))
        return changes_between(digests, shown, _page_reader(before), after.get)

    def _deploy(self, site: SiteFiles, record: DeployRecord) -> DeployResult:
        manifest = site.digests()
        before, etag = self._acquire(record.job_id, manifest)
        # The old pages are read before the uploads replace them, and compared in the background.
        no_pages: dict[str, bytes] = {}
        old_pages = best_effort(
            lambda: self._read_pages(pages_to_read(before, manifest)), no_pages, "read the old pages"
        )
        steps = plan(before, manifest)
        with ThreadPoolExecutor(1, thread_name_prefix="comparing") as background:
            comparison = (
                background.submit(changes_between, before, manifest, old_pages.get, _page_reader(site))
                if before
                else None
            )
            for stage in stages(steps):
                run_all([partial(self._run_step, step, site, manifest) for step in stage])
            self._write(record.model_copy(update={"files": manifest}), IfMatch=etag)
            changes = PageChanges()
            if comparison is not None:
                changes = best_effort(comparison.result, changes, "compare the pages")
        return DeployResult(len(steps), changes, is_new=not before)

    def _read_pages(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The current pages of the preview. Unreadable ones are left out: they are only needed for the reply."""
        pages: dict[str, bytes] = {}

        def read(path: str) -> None:
            with suppress(ClientError):
                response = self._client.get_object(Bucket=self._bucket, Key=self._prefix + path)
                pages[path] = response["Body"].read(MAX_PAGE_BYTES)

        run_all([partial(read, path) for path in paths])
        return pages

    def _acquire(self, job_id: str, manifest: dict[str, str]) -> tuple[dict[str, str], str]:
        for _ in range(MAX_ACQUIRE_ATTEMPTS):
            record, etag = self._read()
            if record is not None and record.fence > self._fence:
                break
            before = record.known_files() if record else {}
            acquired = DeployRecord(fence=self._fence, job_id=job_id, files=before, pending=manifest)
            try:
                return before, self._write(acquired, **({"IfMatch": etag} if etag else {"IfNoneMatch": "*"}))
            except StaleDeploymentError:
                continue  # another worker wrote the record after it was read: read it again
        raise StaleDeploymentError(self._thread_id, self._fence)

    def _read(self) -> tuple[DeployRecord | None, str | None]:
        try:
            response = self._client.get_object(Bucket=self._bucket, Key=self._record)
        except self._client.exceptions.NoSuchKey:
            return None, None
        return DeployRecord.read(response["Body"].read()), response["ETag"]

    def _write(self, record: DeployRecord, **condition: Any) -> str:
        try:
            response = self._client.put_object(
                Bucket=self._bucket,
                Key=self._record,
                Body=record.wire_text().encode(),
                ContentType="application/json",
                **condition,
            )
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") in ("PreconditionFailed", "ConditionalRequestConflict"):
                raise StaleDeploymentError(self._thread_id, self._fence) from error
            raise
        return response["ETag"]

    def _run_step(self, step: UploadStep, site: SiteFiles, manifest: Mapping[str, str]) -> None:
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
    """Checks the lease before every attempt: the client may retry a request long after the lease has expired."""

    def check(**_: Any) -> None:
        check_lease()

    for write in WRITES:
        client.meta.events.register(write, check)
    try:
        yield
    finally:
        for write in WRITES:
            client.meta.events.unregister(write, check)


def _page_reader(site: SiteFiles) -> ReadPage:
    """Reads pages for the comparison only: their digests are not checked, and unreadable pages are skipped."""

    def read(path: str) -> bytes | None:
        try:
            return read_below(site.folder, Path(path).parts, site.quota.file_bytes, site.owner)
        except OSError:
            return None

    return read
