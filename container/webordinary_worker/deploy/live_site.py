"""A project's live site: releases are brought there one at a time, and any of them can be brought back without a build.

    <project>/live/…                   what people see
    <project>/files/<sha256>           every file that was ever released, by what is in it
    <project>/releases/<number>.json   a release: which file is where
    <project>/releases/live.json       which release is shown, and who is changing that

All pairs of a project publish to one place, and their fences cannot be compared. So whoever changes the live site
holds its record for a while: others wait until the change is settled or the hold has lapsed; the holder stops by itself
before that. Within a pair a greater fence wins, as with previews. After a crash in the middle, files that the change
was about count as unknown and are brought again.
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
from webordinary.sites.live_releases import LIVE, LiveChange, LiveRecord, LiveRelease, record_key
from webordinary_worker.deploy.preview import (
    Action,
    Step,
    cache_control,
    content_type,
    lease_checked_writes,
    plan,
    stages,
)
from webordinary_worker.parallel import run_all

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

STEPS_BETWEEN_LOOKS = 64
POLL_SECONDS = 0.5


class LiveSiteLostError(PairLostError):
    """Somebody else may change the live site by now; this worker changes nothing more."""

    def __init__(self, project: str) -> None:
        super().__init__(f"The live site of {project} is not this worker's to change any more; it stopped.")


class _RecordChangedError(LiveSiteLostError):
    """Somebody else has written the record since it was read."""


class Contents(Protocol):
    """A site that can be released. `keep` stores one of its files under the key of what is in it."""

    @property
    def files(self) -> Mapping[str, str]: ...

    def keep(self, path: str, bucket: str, key: str) -> None: ...


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
        self._live, self._kept = (site_prefix(kind, pair.project) for kind in ("live", "released_files"))

    def read(self) -> LiveRecord:
        return self._read()[0]

    def find_release(self, number: int) -> LiveRelease | None:
        found = self._get(self._key(number))
        return LiveRelease.read(found[0]) if found else None

    def publish(
        self,
        contents: Contents,
        *,
        job_id: str,
        thread_id: str,
        commit: str,
        check_lease: Callable[[], None],
        should_proceed: Decide = lambda _record: True,
    ) -> bool:
        """Releases a site and shows it. False where `should_proceed` said no to what is shown by then."""
        files = dict(contents.files)

        def number_of(record: LiveRecord) -> int:
            mine = record.change is not None and record.change.job_id == job_id
            return record.change.number if record.change and mine else record.newest + 1

        with self._changing(check_lease):
            hold = self._take(job_id, commit, files, number_of, should_proceed)
            if hold is None:
                return False
            stored = set(hold.record.files.values())
            missing = {digest: path for path, digest in files.items() if digest not in stored}
            self._side_by_side(
                hold,
                [partial(contents.keep, path, self._bucket, self._kept + digest) for digest, path in missing.items()],
            )
            released = LiveRelease(
                number=hold.change.number,
                previous=hold.record.number,
                job_id=job_id,
                thread_id=thread_id,
                commit=commit,
                published_at=self._clock(),
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
        """Shows an earlier release again. False where `should_proceed` said no to what is shown by then."""
        with self._changing(check_lease):
            hold = self._take(job_id, commit, release.files, lambda _record: release.number, should_proceed)
            if hold is not None:
                self._show(hold)
        return hold is not None

    @contextmanager
    def _changing(self, check_lease: Callable[[], None]) -> Iterator[None]:
        """Each write is asked for at the lease and at the hold."""

        def ask() -> None:
            check_lease()
            if self._hold is not None and self._monotonic() >= self._hold.ends:
                raise LiveSiteLostError(self._pair.project)

        try:
            with lease_checked_writes(self._client, ask):
                yield
        finally:
            self._hold = None

    def _take(
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
            begun = self._monotonic()
            change = LiveChange(
                pair_key=self._pair.key,
                job_id=job_id,
                number=number_of(record),
                commit=commit,
                files=files,
                held_until=self._until(),
            )
            taken = record.model_copy(
                update={
                    "newest": max(record.newest, change.number),
                    "fences": {**record.fences, self._pair.key: self._fence},
                    "files": record.known(),
                    "change": change,
                }
            )
            with suppress(_RecordChangedError):  # somebody wrote between our read and our write: look who it was
                self._hold = _Hold(taken, self._write(taken, etag), begun + self._timing.live_hold_seconds)
                return self._hold

    def _is_held_by_others(self, record: LiveRecord) -> bool:
        change = record.change
        if change is None or change.pair_key == self._pair.key:
            return False
        return change.held_until + timedelta(seconds=self._timing.clock_margin_seconds) > self._clock()

    def _show(self, hold: _Hold) -> None:
        change = hold.change
        for stage in stages(plan(hold.record.files, change.files)):
            self._side_by_side(hold, [partial(self._carry_out, step, change.files) for step in stage])
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

    def _side_by_side(self, hold: _Hold, works: list[Callable[[], None]]) -> None:
        for first in range(0, len(works), STEPS_BETWEEN_LOOKS):
            self._keep(hold)
            run_all(works[first : first + STEPS_BETWEEN_LOOKS])

    def _keep(self, hold: _Hold) -> None:
        """Holds on while there is much to do. Where the hold has lapsed, others may have come: no write goes out."""
        now = self._monotonic()
        if now >= hold.ends - self._timing.live_hold_seconds / 2:
            change = hold.change.model_copy(update={"held_until": self._until()})
            hold.record = hold.record.model_copy(update={"change": change})
            hold.etag = self._write(hold.record, hold.etag)
            hold.ends = now + self._timing.live_hold_seconds

    def _carry_out(self, step: Step, files: Mapping[str, str]) -> None:
        key = self._live + step.path
        if step.action is Action.DELETE:
            self._client.delete_object(Bucket=self._bucket, Key=key)
            return
        self._client.copy_object(
            Bucket=self._bucket,
            Key=key,
            CopySource={"Bucket": self._bucket, "Key": self._kept + files[step.path]},
            MetadataDirective="REPLACE",  # the same file may be something else under another name
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
            answer = self._client.get_object(Bucket=self._bucket, Key=key)
        except self._client.exceptions.NoSuchKey:
            return None
        return answer["Body"].read(), answer["ETag"]

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
        answer = self._client.put_object(
            Bucket=self._bucket, Key=key, Body=body, ContentType="application/json", **condition
        )
        return answer["ETag"]


class _Hold:
    """The record while it is held. `ends` is by this worker's own clock."""

    def __init__(self, record: LiveRecord, etag: str, ends: float) -> None:
        self.record = record
        self.etag = etag
        self.ends = ends

    @property
    def change(self) -> LiveChange:
        if self.record.change is None:
            raise RuntimeError("a record is held for a change")
        return self.record.change
