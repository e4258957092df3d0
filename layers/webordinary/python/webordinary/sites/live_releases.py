"""The records of a project's live site: what a worker writes when it changes it, and others read.

<project>/releases/<number>.json   a release: which file is where
<project>/releases/live.json       which release is shown, and who is changing that
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

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
UNKNOWN = ""  # what a file is of which nobody knows whether it was brought
MOST_LOOKED_AT = 10  # releases back from what is live


class LiveRelease(Message):
    """One release. `previous` is the one before it; 0 where there is none."""

    number: int
    previous: int
    job_id: str
    thread_id: str = ""
    commit: str
    published_at: Timestamp
    files: dict[str, str]


class LiveChange(Message):
    """A change of the live site that is under way."""

    pair_key: str
    job_id: str
    number: int
    commit: str
    files: dict[str, str]
    held_until: Timestamp


class LiveRecord(Message):
    """What the live site shows: `number` of a release, 0 for none yet, and the commit of the main branch behind it."""

    number: int = 0
    newest: int = 0
    commit: str = ""
    job_id: str = ""
    fences: dict[str, int] = Field(default_factory=dict)
    files: dict[str, str] = Field(default_factory=dict)
    change: LiveChange | None = None

    def known(self) -> dict[str, str]:
        if self.change is None:
            return self.files
        wanted = self.change.files
        return {
            path: self.files[path] if path in self.files and self.files[path] == wanted.get(path) else UNKNOWN
            for path in {*self.files, *wanted}
        }


def record_key(project: str, name: str | int) -> str:
    """Of a release by its number, or of what is `LIVE`."""
    return f"{site_prefix('releases', project)}{name}.json"


class LiveReleases:
    """For those who only look. The client is made when somebody does."""

    def __init__(self, client: Callable[[], S3Client], names: Names) -> None:
        self._client = client
        self._bucket = names.bucket("sites")

    def shown(self, project: str) -> Iterator[LiveRelease]:
        """What is live, and the releases that it was built upon, the newest first; none where nothing is live."""
        live = self._read(record_key(project, LIVE))
        try:
            number = LiveRecord.read(live).number if live is not None else 0
            for _ in range(MOST_LOOKED_AT):
                if not number or (found := self._read(record_key(project, number))) is None:
                    return
                released = LiveRelease.read(found)
                yield released
                number = released.previous
        except InvalidMessageError as error:
            logger().warning("A release is left out that this version cannot read.", extra={"cause": str(error)})

    def _read(self, key: str) -> bytes | None:
        try:
            return self._client().get_object(Bucket=self._bucket, Key=key)["Body"].read()
        except (ClientError, BotoCoreError) as error:
            # Whoever may not list a bucket is not told that something is missing, only that it may not be read.
            logger().info("There is no such record of the live site.", extra={"key": key, "cause": str(error)})
            return None
