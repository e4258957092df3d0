"""A project's live site: releases are published one at a time, and any of them can be shown again without a build.

    <project>/live/…                   the visible site
    <project>/files/<sha256>           every file that was ever released, by its digest
    <project>/releases/<number>.json   a release: which file is where
    <project>/releases/live.json       the live record: the visible release, and the change in progress

All pairs of a project publish to one live site, and their fences cannot be compared. So a worker holds the live record
while it changes the site: others wait until the change is complete or the hold has expired, and the holder stops before
its hold expires. Within a pair a greater fence wins, as with previews. After a crash in between, files of the
unfinished change count as unknown and are copied again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from botocore.exceptions import ClientError

from webordinary.aws.clients import Clock, utc_now
from webordinary.contract.errors import PairLostError
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.names import Names, site_prefix
from webordinary.contract.settings import Timing
from webordinary.protocol.change_life import Event, publications
from webordinary.sites.live_releases import LIVE, LiveChange, LiveRecord, LiveRelease, record_key
from webordinary_worker.deploy.preview import lease_checked_writes
from webordinary_worker.deploy.upload_plan import Action, UploadStep, cache_control, content_type, plan, stages
from webordinary_worker.parallel import run_all

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

STEPS_BETWEEN_RENEWALS = 64
POLL_SECONDS = 0.5


class LiveSiteLostError(PairLostError):
    """Another worker may be changing the live site; this worker must stop."""

    def __init__(self, project: str) -> None:
        super().__init__(f"This worker no longer holds the live site of {project}; its change stopped.")


class _RecordChangedError(LiveSiteLostError):
    """Another worker has written the record since it was read."""


class Contents(Protocol):
    """The files of a new release. `store` writes one of them to a key of the bucket."""

    @property
    def files(self) -> Mapping[str, str]: ...

    def store(self, path: str, bucket: str, key: str) -> None: ...


Decide = Callable[[LiveRecord], bool]


class LiveSite:
    def __init__(
        self,
        client: S3Client,
        names: Names,
        pair: Pair,
        fence: int,
        timing: Timing,
        clock: Clock = utc_now,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = client
        self._bucket = names.bucket("sites")
        self._pair = pair
        self._fence = fence
        self._timing = timing
        self._clock = clock
        self._monotonic = monotonic
        self._wait = wait
        self._hold: _Hold | None = None
        self._live, self._files = (site_prefix(kind, pair.project) for kind in ("live", "released_files"))

    def read(self) -> LiveRecord:
        return self._read()[0]

    def find_release(self, number: int) -> LiveRelease | None:
        found = self._get(self._key(number))
        return LiveRelease.read(found[0]) if found else None

    def events(self, thread_id: str) -> list[Event]:
        """When changes of a thread went live and were taken off."""
        return [*publications(self.read(), self.find_release, thread_id)]

    def publish(
        self,
        contents: Contents,
        *,
        job_id: str,
        thread_id: str,
        commit: str,
        check_lease: Callable[[], None],
        changes: tuple[str, ...] | None = None,
        previous: int | None = None,
        should_proceed: Decide = lambda _record: True,
    ) -> bool:
        """Publishes a new release with these changes of the thread, after `previous` or the live one.

        Returns False if `should_proceed` rejects the live record.
        """
        files = dict(contents.files)

        def number_of(record: LiveRecord) -> int:
            own = record.change is not None and record.change.job_id == job_id
            return record.change.number if record.change and own else record.newest + 1

        with self._changing(check_lease):
            hold = self._acquire(job_id, commit, files, number_of, should_proceed)
            if hold is None:
                return False
            stored = set(hold.record.files.values())
            missing = {digest: path for path, digest in files.items() if digest not in stored}
            self._run_all(
                hold,
                [partial(contents.store, path, self._bucket, self._files + digest) for digest, path in missing.items()],
            )
            released = LiveRelease(
                number=hold.change.number,
                previous=hold.record.number if previous is None else previous,
                job_id=job_id,
                thread_id=thread_id,
                commit=commit,
                published_at=self._clock(),
                changes=changes,
                files=files,
            )
            self._put(self._key(released.number), released)
            self._show(hold)
        return True

    def roll_back_to(
        self,
        release: LiveRelease,
        *,
        job_id: str,
        commit: str,
        check_lease: Callable[[], None],
        should_proceed: Decide = lambda _record: True,
    ) -> bool:
        """Shows an earlier release again. Returns False if `should_proceed` rejects the live record."""
        with self._changing(check_lease):
            hold = self._acquire(job_id, commit, release.files, lambda _record: release.number, should_proceed)
            if hold is not None:
                self._show(hold)
        return hold is not None

    @contextmanager
    def _changing(self, check_lease: Callable[[], None]) -> Iterator[None]:
        """Checks lease and hold before each write."""

        def check() -> None:
            check_lease()
            if self._hold is not None and self._monotonic() >= self._hold.ends:
                raise LiveSiteLostError(self._pair.project)

        try:
            with lease_checked_writes(self._client, check):
                yield
        finally:
            self._hold = None

    def _acquire(
        self,
        job_id: str,
        commit: str,
        files: dict[str, str],
        number_of: Callable[[LiveRecord], int],
        should_proceed: Decide,
    ) -> _Hold | None:
        while True:
            record, etag = self._read()
            if record.fences.get(self._pair.key, 0) > self._fence:
                raise LiveSiteLostError(self._pair.project)
            if self._is_held_by_others(record):
                self._wait(POLL_SECONDS)
                continue
            if not should_proceed(record):
                return None
            started = self._monotonic()
            change = LiveChange(
                pair_key=self._pair.key,
                job_id=job_id,
                number=number_of(record),
                commit=commit,
                files=files,
                held_until=self._until(),
            )
            acquired = record.model_copy(
                update={
                    "newest": max(record.newest, change.number),
                    "fences": {**record.fences, self._pair.key: self._fence},
                    "files": record.known(),
                    "change": change,
                }
            )
            with suppress(_RecordChangedError):  # another worker wrote it after it was read: read again
                self._hold = _Hold(acquired, self._write(acquired, etag), started + self._timing.live_hold_seconds)
                return self._hold

    def _is_held_by_others(self, record: LiveRecord) -> bool:
        change = record.change
        if change is None or change.pair_key == self._pair.key:
            return False
        return change.held_until + timedelta(seconds=self._timing.clock_margin_seconds) > self._clock()

    def _show(self, hold: _Hold) -> None:
        change = hold.change
        for stage in stages(plan(hold.record.files, change.files)):
            self._run_all(hold, [partial(self._run_step, step, change.files) for step in stage])
        shown = hold.record.model_copy(
            update={
                "number": change.number,
                "commit": change.commit,
                "job_id": change.job_id,
                "files": change.files,
                "change": None,
            }
        )
        self._write(shown, hold.etag)

    def _run_all(self, hold: _Hold, tasks: list[Callable[[], None]]) -> None:
        for first in range(0, len(tasks), STEPS_BETWEEN_RENEWALS):
            self._renew(hold)
            run_all(tasks[first : first + STEPS_BETWEEN_RENEWALS])

    def _renew(self, hold: _Hold) -> None:
        """Renews the hold at half its time. An expired hold is not renewed: `_changing` rejects the write."""
        now = self._monotonic()
        if now >= hold.ends - self._timing.live_hold_seconds / 2:
            change = hold.change.model_copy(update={"held_until": self._until()})
            hold.record = hold.record.model_copy(update={"change": change})
            hold.etag = self._write(hold.record, hold.etag)
            hold.ends = now + self._timing.live_hold_seconds

    def _run_step(self, step: UploadStep, files: Mapping[str, str]) -> None:
        key = self._live + step.path
        if step.action is Action.DELETE:
            self._client.delete_object(Bucket=self._bucket, Key=key)
            return
        self._client.copy_object(
            Bucket=self._bucket,
            Key=key,
            CopySource={"Bucket": self._bucket, "Key": self._files + files[step.path]},
            MetadataDirective="REPLACE",  # the content type depends on the path
            ContentType=content_type(step.path),
            CacheControl=cache_control(step.path),
        )

    def _key(self, name: str | int) -> str:
        return record_key(self._pair.project, name)

    def _until(self) -> datetime:
        return self._clock() + timedelta(seconds=self._timing.live_hold_seconds)

    def _read(self) -> tuple[LiveRecord, str | None]:
        found = self._get(self._key(LIVE))
        return (LiveRecord.read(found[0]), found[1]) if found else (LiveRecord(), None)

    def _get(self, key: str) -> tuple[bytes, str] | None:
        try:
            response = self._client.get_object(Bucket=self._bucket, Key=key)
        except self._client.exceptions.NoSuchKey:
            return None
        return response["Body"].read(), response["ETag"]

    def _write(self, record: LiveRecord, etag: str | None) -> str:
        condition = {"IfMatch": etag} if etag else {"IfNoneMatch": "*"}
        try:
            return self._put(self._key(LIVE), record, **condition)
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") in ("PreconditionFailed", "ConditionalRequestConflict"):
                raise _RecordChangedError(self._pair.project) from error
            raise

    def _put(self, key: str, message: Message, **condition: Any) -> str:
        body = message.wire_text().encode()
        response = self._client.put_object(
            Bucket=self._bucket, Key=key, Body=body, ContentType="application/json", **condition
        )
        return response["ETag"]


class _Hold:
    """The live record while this worker holds it. `ends` is a time of the worker's monotonic clock."""

    def __init__(self, record: LiveRecord, etag: str, ends: float) -> None:
        self.record = record
        self.etag = etag
        self.ends = ends

    @property
    def change(self) -> LiveChange:
        if self.record.change is None:
            raise RuntimeError("a held record has a change")
        return self.record.change
