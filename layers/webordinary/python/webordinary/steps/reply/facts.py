"""Facts for a reply: the project's settings, links, names and screenshots."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.answers.facts import Facts
from webordinary.aws.telemetry import logger
from webordinary.contract.errors import UnknownJobError, UnknownProjectError
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.parse import Refusal
from webordinary.contract.names import Names
from webordinary.contract.outcomes import Failure, RefusalReason, Result
from webordinary.contract.values import limit
from webordinary.sites.screenshots import ScreenshotKind, is_own_picture, picture_key
from webordinary.steps.reply.addresses import ReplyAddresses
from webordinary.steps.reply.messages import reply_subject
from webordinary.tables.jobs import JobsTable, UnreadableJobError
from webordinary.tables.projects import ProjectConfigs

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

LONGEST_SUBJECT = 80


class FactsOfReplies(NamedTuple):
    jobs: JobsTable
    projects: ProjectConfigs
    s3: S3Client
    names: Names
    addresses: ReplyAddresses
    sites_online: bool = True  # whether links to sites work
    guide_url: str = ""

    def of_job(self, job: Job, outcome: Outcome, pictures: tuple[ScreenshotKind, ...] = ()) -> Facts:
        """URLs come from the project's entry, never from the worker's report."""
        try:
            project = self.projects.project(job.pair.project)
        except UnknownProjectError:
            return Facts()  # the project was removed meanwhile
        # Unless a worker of the publisher has deployed what it asks about.
        asked_again = outcome.result is Result.PUBLISH_ASKED_AGAIN and outcome.preview_url is None
        thread_id = job.approved.thread_id if job.approved is not None and asked_again else job.thread_id
        return Facts(
            preview=project.preview_of(thread_id).rstrip("/") + "/" if self.sites_online else "",
            live=project.site_url if self.sites_online else "",
            guide=self.guide_url,
            is_online=self.sites_online,
            tries_again_at=self._second_attempt_at(job) if outcome.failure is Failure.MODEL_BUSY else None,
            newer=self._subject_of(job.pair, outcome.went_to) if outcome.went_to else "",
            developer=project.developer if outcome.state == "failed" and outcome.detail else "",
            with_cost=project.tells_cost,
            pictures=pictures,
            reply_address=self.addresses.of(job.thread_id),
            reply_subject=reply_subject(job.envelope.subject),
        )

    def of_refusal(self, refusal: Refusal) -> Facts:
        address, subject = self.addresses.of(refusal.thread_id), reply_subject(refusal.envelope.subject)
        return Facts(reply_address=address, reply_subject=subject)

    def sites_to_choose_from(self, refusal: Refusal) -> dict[str, str]:
        """The name of each site, and the address that chooses it for the kept mail."""
        sites = {}
        for address in refusal.addresses if refusal.reason is RefusalReason.AMBIGUOUS_PROJECT else ():
            project_id = address.partition("@")[0].partition("+")[0]
            sites[self.projects.title_of(project_id) or project_id] = self.addresses.of(refusal.thread_id, at=address)
        return sites

    def pictures(self, job: Job, outcome: Outcome) -> dict[ScreenshotKind, bytes]:
        """The stored screenshots of this job, in the order before, after. None without "after"."""
        if not (job.pictures and outcome.preview_url and outcome.pages):
            return {}
        found = {kind: picture for kind in ScreenshotKind if (picture := self._picture(job, kind)) is not None}
        return found if ScreenshotKind.AFTER in found else {}

    def _picture(self, job: Job, kind: ScreenshotKind) -> bytes | None:
        key = picture_key(self.names, job.pair, job.job_id, kind)
        try:
            stored = self.s3.get_object(Bucket=self.names.bucket("media"), Key=key)
            content = stored["Body"].read(limit("picture_bytes") + 1)
        except (ClientError, BotoCoreError) as error:
            logger().info(
                "Found no screenshot; the reply is sent without it.", extra={"job_id": job.job_id, "cause": str(error)}
            )
            return None
        # The picture function has opened untrusted pages.
        return content if is_own_picture(content) and len(content) <= limit("picture_bytes") else None

    def _second_attempt_at(self, job: Job) -> datetime | None:
        """When the mail is processed again; None without a second attempt."""
        with suppress(UnknownJobError, UnreadableJobError):
            at = self.jobs.get(job.pair, job.job_id).tries_again_at
            return datetime.fromisoformat(at) if at is not None else None
        return None

    def _subject_of(self, pair: Pair, job_id: str) -> str:
        """The name of a job in replies; empty if it is not recorded yet."""
        from webordinary.mail.commands.request_name import request_name  # most replies name no other job

        with suppress(UnknownJobError, UnreadableJobError):
            newer = self.jobs.get(pair, job_id).job
            return request_name(newer.instruction, newer.envelope.subject)[:LONGEST_SUBJECT]
        return ""
