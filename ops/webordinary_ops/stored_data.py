"""Finds, counts and deletes the stored data of a pair, a person or a project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import Message as EmailHeaders
from email.utils import getaddresses
from typing import Any

from botocore.exceptions import ClientError

from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.names import preview_prefix, site_prefix
from webordinary.tables.jobs import JobRecord, UnreadableJob
from webordinary_ops.deployment import Deployment

HEADER_BYTES = 65536
DELETE_BATCH = 1000


class DeletedCounts(Message):
    """Number of deleted records or objects, by kind."""

    jobs: int = 0
    threads: int = 0
    raw_mails: int = 0
    attachments: int = 0
    pictures: int = 0
    sessions: int = 0
    previews: int = 0


@dataclass(frozen=True)
class StoredData:
    deployment: Deployment

    def open_jobs(self, pairs: Iterable[Pair]) -> list[JobRecord]:
        return [record for pair in pairs for record in self.deployment.jobs.open_jobs_of(pair)]

    def delete_pair(self, pair: Pair, *, keep_previews: bool = False) -> DeletedCounts:
        """Deletes the jobs, threads, conversations, mails, attachments, pictures, sessions and previews of a pair."""
        names = self.deployment.names
        records = self.deployment.jobs.all_jobs_of(pair)
        thread_ids = {*_threads_in(records), *self.deployment.threads.forget(pair)}
        media = names.bucket("media")
        for thread_id in thread_ids:
            self.deployment.conversations.forget(thread_id)
        return DeletedCounts(
            raw_mails=self._delete_mails_of(records),
            attachments=self._delete_below(media, names.object_prefix("media", pair)),
            pictures=self._delete_below(media, names.object_prefix("pictures", pair)),
            sessions=self._delete_below(media, names.object_prefix("sessions", pair)),
            previews=0 if keep_previews else sum(self._delete_preview(pair, one) for one in thread_ids),
            threads=len(thread_ids),
            # Last, because the other data is found through the jobs: an interrupted deletion can be repeated.
            jobs=sum(self.deployment.jobs.forget(pair, record.job_id) for record in records),
        )

    def delete_mails_from(self, addresses: Iterable[str]) -> int:
        """Deletes every raw mail from these senders, including mails without a job, with its attachments."""
        senders = {address.lower() for address in addresses}
        bucket, folder = self.deployment.names.bucket("raw_mail"), self.deployment.names.object_prefix("raw_mail")
        mails = [key for key in self._keys(bucket, folder) if self._sender_of(bucket, key) & senders]
        return sum(self._delete_mail(key.removeprefix(folder)) for key in mails)

    def _delete_mails_of(self, records: Iterable[JobRecord | UnreadableJob]) -> int:
        return sum(self._delete_mail(record.job_id) for record in records)

    def _delete_mail(self, mail_id: str) -> int:
        names = self.deployment.names
        bucket = names.bucket("raw_mail")
        self._delete_below(bucket, f"{names.object_prefix('attachment_parts')}{mail_id}/")
        return self._delete(bucket, [f"{names.object_prefix('raw_mail')}{mail_id}"])

    def message_id_of(self, mail_id: str) -> str | None:
        """The Message-ID of a stored mail; None if it is not stored."""
        names = self.deployment.names
        try:
            headers = self._headers_of(names.bucket("raw_mail"), f"{names.object_prefix('raw_mail')}{mail_id}")
        except ClientError as error:
            if error.response["Error"]["Code"] not in ("NoSuchKey", "404", "AccessDenied"):
                raise
            return None
        return str(headers["Message-ID"]).strip() if headers["Message-ID"] else None

    def _sender_of(self, bucket: str, key: str) -> set[str]:
        found = getaddresses([str(value) for value in self._headers_of(bucket, key).get_all("From", [])])
        return {address.lower() for _, address in found}

    def _headers_of(self, bucket: str, key: str) -> EmailHeaders:
        s3 = self.deployment.client("s3")
        start = s3.get_object(Bucket=bucket, Key=key, Range=f"bytes=0-{HEADER_BYTES - 1}")["Body"].read()
        return message_from_bytes(start, policy=policy.compat32)

    def _delete_preview(self, pair: Pair, thread_id: str) -> int:
        return self._delete_below(self.deployment.names.bucket("sites"), preview_prefix(pair.project, thread_id))

    def delete_site(self, project_id: str) -> int:
        """Deletes the live site and its releases."""
        kinds = ("live", "releases", "released_files")
        sites = self.deployment.names.bucket("sites")
        return sum(self._delete_below(sites, site_prefix(kind, project_id)) for kind in kinds)

    def _delete_below(self, bucket: str, folder: str) -> int:
        return self._delete(bucket, list(self._keys(bucket, folder)))

    def _delete(self, bucket: str, keys: list[str]) -> int:
        s3, deleted = self.deployment.client("s3"), 0
        for start in range(0, len(keys), DELETE_BATCH):
            batch: list[Any] = [{"Key": key} for key in keys[start : start + DELETE_BATCH]]
            answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": batch, "Quiet": False})
            deleted += len(answer.get("Deleted", []))
        return deleted

    def _keys(self, bucket: str, folder: str) -> Iterator[str]:
        for page in (
            self.deployment.client("s3").get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=folder)
        ):
            for found in page.get("Contents", []):
                yield str(found["Key"])


def _threads_in(records: Iterable[JobRecord | UnreadableJob]) -> set[str]:
    return {record.job.thread_id for record in records if isinstance(record, JobRecord)}
