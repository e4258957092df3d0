"""One conversation: its mails and replies with what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from webordinary.contract.errors import UnknownProjectError
from webordinary.contract.messages.base import Pair
from webordinary.contract.outcomes import Result
from webordinary.sites.screenshots import ScreenshotKind, is_own_picture, picture_key
from webordinary.tables.conversation_lists import ConversationMail, ConversationSummary, Opening
from webordinary.tables.job_records import JobRecord
from webordinary.tables.projects import ProjectConfig
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError

PAGE_SIZE = 10
MAX_OPENINGS = 20
CHANGING = frozenset({Result.CHANGED, Result.PARTLY_CHANGED, Result.UNDONE})


class NoSuchConversationError(OperatorError):
    def __init__(self, thread_id: str) -> None:
        super().__init__(f"The conversation {thread_id[:30]} is not stored. Conversations are kept for 90 days.")


@dataclass(frozen=True)
class Exchange:
    """A mail, its job and its reply. `record` is None if the mail needed no worker, or its job has expired."""

    mail: ConversationMail
    record: JobRecord | None
    pictures: tuple[str, ...] = ()  # kinds that are still stored

    @property
    def words(self) -> str:
        return self.record.job.instruction if self.record else ""

    @property
    def attachments(self) -> tuple[Any, ...]:
        return self.record.job.attachments if self.record else ()

    @property
    def is_open(self) -> bool:
        return not self.mail.replied_at

    @property
    def had_pictures(self) -> bool:
        outcome = self.record.outcome if self.record else None
        return bool(outcome and outcome.pages and self.record and self.record.job.pictures)


@dataclass(frozen=True)
class Conversation:
    summary: ConversationSummary
    exchanges: tuple[Exchange, ...]  # oldest first
    older: str  # continues with older mails; empty if there are none
    project: ProjectConfig | None
    openings: tuple[Opening, ...]

    @property
    def preview(self) -> str:
        return self.project.preview_of(self.summary.thread_id) if self.project else ""

    @property
    def has_preview(self) -> bool:
        return any(one.record and one.record.outcome and one.record.outcome.preview_url for one in self.exchanges)

    @property
    def commits(self) -> list[Exchange]:
        return [one for one in reversed(self.exchanges) if one.mail.commit and one.mail.result in CHANGING]


def read_conversation(deployment: Deployment, thread_id: str, before: str = "") -> Conversation:
    summary = deployment.conversations.summary(thread_id)
    if summary is None:
        raise NoSuchConversationError(thread_id)
    pair = Pair.from_key(summary.pair_key)
    mails = deployment.conversations.mails(thread_id, PAGE_SIZE + 1, before)
    shown = mails[:PAGE_SIZE]
    records = deployment.jobs.get_all([(pair, mail.job_id) for mail in shown])
    exchanges = [
        Exchange(mail, record, _pictures(deployment, record)) if (record := records.get(mail.job_id)) else
        Exchange(mail, None)
        for mail in reversed(shown)
    ]  # fmt: skip
    return Conversation(
        summary=summary,
        exchanges=tuple(exchanges),
        older=shown[-1].received_at if len(mails) > PAGE_SIZE else "",
        project=_project(deployment, pair.project),
        openings=tuple(deployment.conversations.openings(thread_id, MAX_OPENINGS)),
    )


def read_picture(deployment: Deployment, pair: Pair, job_id: str, kind: ScreenshotKind) -> bytes | None:
    """A screenshot of ours; None if it has expired."""
    key = picture_key(deployment.names, pair, job_id, kind)
    try:
        stored = deployment.client("s3").get_object(Bucket=deployment.names.bucket("media"), Key=key)
    except ClientError as error:
        if error.response["Error"]["Code"] not in ("NoSuchKey", "AccessDenied"):
            raise
        return None
    content: bytes = stored["Body"].read()
    return content if is_own_picture(content) else None


def _pictures(deployment: Deployment, record: JobRecord) -> tuple[str, ...]:
    """The kinds of stored screenshots of a job: one call, and none for a job without pages."""
    if not (record.job.pictures and record.outcome and record.outcome.pages):
        return ()
    folder = picture_key(deployment.names, record.pair, record.job_id, ScreenshotKind.AFTER).rpartition("/")[0]
    answer = deployment.client("s3").list_objects_v2(
        Bucket=deployment.names.bucket("media"), Prefix=f"{folder}/", MaxKeys=len(ScreenshotKind)
    )
    stored = {str(found["Key"]).rpartition("/")[2].removesuffix(".jpg") for found in answer.get("Contents", [])}
    return tuple(kind.value for kind in ScreenshotKind if kind.value in stored)


def _project(deployment: Deployment, project_id: str) -> ProjectConfig | None:
    try:
        return deployment.projects.project(project_id)
    except UnknownProjectError:
        return None  # it was removed
