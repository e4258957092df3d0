"""Records of a project's live site, written by workers.

<project>/releases/<number>.json   a release: the key of each file
<project>/releases/live.json       the release that is live, and the change in progress
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from botocore.exceptions import BotoCoreError, ClientError
from pydantic import Field

from webordinary.aws.telemetry import logger
from webordinary.contract.errors import InvalidMessageError
from webordinary.contract.ids import Timestamp
from webordinary.contract.messages.base import Message
from webordinary.contract.names import Names, site_prefix

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

LIVE = "live"
UNKNOWN = ""  # a file whose upload may or may not have happened
Record = TypeVar("Record", bound=Message)


class LiveRelease(Message):
    """One release. `previous` is the number of the release before it, 0 for the first."""

    number: int
    previous: int
    job_id: str
    thread_id: str = ""
    commit: str
    published_at: Timestamp
    changes: tuple[str, ...] | None = None  # commits of the thread's changes in it; None in older records
    files: dict[str, str]


class LiveChange(Message):
    """A change of the live site in progress."""

    pair_key: str
    job_id: str
    number: int
    commit: str
    files: dict[str, str]
    held_until: Timestamp


class LiveRecord(Message):
    """The live release: its `number` (0 before the first) and its commit on the main branch."""

    number: int = 0
    newest: int = 0
    commit: str = ""
    job_id: str = ""
    fences: dict[str, int] = Field(default_factory=dict)
    files: dict[str, str] = Field(default_factory=dict)
    change: LiveChange | None = None

    def known(self) -> dict[str, str]:
        """The files on the live site; `UNKNOWN` where a change in progress may have replaced one."""
        if self.change is None:
            return self.files
        target = self.change.files
        return {
            path: self.files[path] if path in self.files and self.files[path] == target.get(path) else UNKNOWN
            for path in {*self.files, *target}
        }


def record_key(project: str, name: str | int) -> str:
    """The key of a release by its number, or of the `LIVE` record."""
    return f"{site_prefix('releases', project)}{name}.json"


class LiveReleases:
    """Read access to release records. The client is created on first use."""

    def __init__(self, client: Callable[[], S3Client], names: Names) -> None:
        self._client = client
        self._bucket = names.bucket("sites")

    def record(self, project: str) -> LiveRecord:
        """The live record; an empty one if nothing is live or the record cannot be read."""
        return self._parse(LiveRecord, record_key(project, LIVE)) or LiveRecord()

    def find(self, project: str, number: int) -> LiveRelease | None:
        return self._parse(LiveRelease, record_key(project, number))

    def _parse(self, kind: type[Record], key: str) -> Record | None:
        try:
            found = self._read(key)
            return kind.read(found) if found is not None else None
        except InvalidMessageError as error:
            logger().warning("Skipped an unreadable record of the live site.", extra={"cause": str(error)})
            return None

    def _read(self, key: str) -> bytes | None:
        try:
            return self._client().get_object(Bucket=self._bucket, Key=key)["Body"].read()
        except (ClientError, BotoCoreError) as error:
            # Without permission to list the bucket, S3 reports a missing object as access denied.
            logger().info("Found no record of the live site.", extra={"key": key, "cause": str(error)})
            return None
