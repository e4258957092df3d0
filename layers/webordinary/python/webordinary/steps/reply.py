"""Sends exactly one reply per mail, in its thread.

The jobs table has the outcome; the idempotency table records that the reply was sent. A crash between sending and
recording can repeat a reply after the reservation has expired: SES has no idempotency token, and two replies are better
than none.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from email import policy
from email.message import EmailMessage
from email.utils import formatdate
from typing import TYPE_CHECKING, Any, Self

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.answers.as_html import as_html
from webordinary.answers.as_text import as_text
from webordinary.answers.blocks import Answer
from webordinary.answers.compose import (
    Facts,
    answer_to_job,
    answer_to_refusal,
    concerns_requester,
    note_about_empty_folders,
    note_about_lock,
    note_to_developer,
    notice_to_requester,
    question_asked_again,
    question_to_publisher,
)
from webordinary.aws import clients
from webordinary.aws.clients import Clock, Secrets, utc_now
from webordinary.aws.ses import named_address, sent_message_id
from webordinary.aws.telemetry import logger, milestone
from webordinary.contract import thread_tokens
from webordinary.contract.errors import UnknownJobError, UnknownProjectError, WebordinaryError
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Approval, Job
from webordinary.contract.messages.mail import Envelope
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.parse import Refusal
from webordinary.contract.messages.reply import ReplyOrder, ReplyReceipt
from webordinary.contract.names import Names
from webordinary.contract.outcomes import Failure, RefusalReason, Result
from webordinary.contract.settings import ReplySettings
from webordinary.contract.values import limit
from webordinary.questions.asking import QuestionsToPublishers
from webordinary.sites.screenshots import ScreenshotKind, is_own_picture, picture_key
from webordinary.tables.idempotency import IdempotencyTable, Purpose, ReservedError
from webordinary.tables.jobs import JobsTable, UnreadableJobError
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.questions import Questions
from webordinary.tables.threads import ANSWER, Thread, Threads

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sesv2 import SESV2Client

RESERVED_FOR = timedelta(seconds=60)
REMEMBERED_FOR = timedelta(days=90)
LONGEST_SUBJECT = 80
NO_PICTURES: Mapping[ScreenshotKind, bytes] = {}


class _ReplyPolicy(policy.EmailPolicy):
    def header_store_parse(self, name: str, value: Any) -> tuple[str, Any]:
        """Keeps From as `named_address` encoded it: the library splits long names into words with spaces in between."""
        return (name, value) if name == "From" else super().header_store_parse(name, value)


# A folded Message-ID would be encoded, and mail clients would not recognise it.
UNFOLDED = _ReplyPolicy(linesep="\r\n", max_line_length=998)

# The failure for an error of the dispatch state, if the jobs table has no outcome.
FAILURE_OF_PROBLEM = {"States.Timeout": Failure.TIMED_OUT, "States.HeartbeatTimeout": Failure.TIMED_OUT}


class ReplyInProgressError(WebordinaryError):
    """Another attempt is sending this reply. Retry after its reservation has expired."""


@dataclass(frozen=True)
class RenderedReply:
    """A reply as text and as HTML, with its screenshots."""

    text: str
    html: str
    pictures: Mapping[ScreenshotKind, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Reply:
    jobs: JobsTable
    threads: Threads
    questions: Questions
    projects: ProjectConfigs
    sent: IdempotencyTable
    ses: SESV2Client
    s3: S3Client
    names: Names
    sender: str
    thread_secrets: Secrets
    configuration_set: str
    clock: Clock = utc_now
    service_name: str = ""
    sites_online: bool = True  # whether links to sites work

    @classmethod
    def from_settings(cls, settings: ReplySettings) -> Self:
        dynamodb, names = clients.dynamodb(), settings.names
        return cls(
            jobs=JobsTable(dynamodb, names),
            threads=Threads(dynamodb, names),
            questions=Questions(dynamodb, names),
            projects=ProjectConfigs(dynamodb, names),
            sent=IdempotencyTable(dynamodb, names),
            ses=clients.ses(),
            s3=clients.s3(),
            names=names,
            sender=settings.reply_from,
            thread_secrets=clients.secrets_of(settings.thread_secret_parameter),
            configuration_set=settings.configuration_set,
            service_name=settings.service_name,
            sites_online=settings.sites_online,
        )

    def run(self, order: ReplyOrder) -> ReplyReceipt:
        if order.refusal is not None:
            return self._refuse(order.refusal)
        if order.job is None:
            raise WebordinaryError("Invalid reply order: neither a job nor a refusal; nothing was sent.")
        job = order.job
        outcome = order.outcome or self._final_outcome(job, order.problem)
        if job.silent:
            return ReplyReceipt(job_id=job.job_id, message_id="", silent=True)
        pictures = self._pictures(job, outcome)
        facts = self._facts(job, outcome, tuple(pictures))
        thread = Thread(job.thread_id, job.pair)
        asked = QuestionsToPublishers(self.questions, self.threads, self.clock())
        if outcome.result is Result.PUBLISH_ASKED and outcome.commit:
            self._ask_publishers(asked, job, outcome, facts, pictures)
        if outcome.result is Result.PUBLISH_ASKED_AGAIN and outcome.commit and job.approved is not None:
            question = asked.ask_again(job, job.approved, outcome)
            answer = question_asked_again(job, question.about, outcome, facts, question.until)
            receipt = self._send_once(job.job_id, job.envelope, answer, thread, question_id=question.question_id)
        else:
            answer = answer_to_job(job, outcome, facts)
            receipt = self._send_once(job.job_id, job.envelope, answer, thread, pictures=pictures)
        if facts.developer:
            self._notify_developer(facts.developer, job, note_to_developer(job, outcome), job.job_id)
        self._send_repository_notes(job, outcome)
        if job.approved is not None and concerns_requester(outcome):
            self._notify_editor(job.pair.project, job.approved, outcome, facts)
        return receipt

    def _refuse(self, refusal: Refusal) -> ReplyReceipt:
        thread = Thread(refusal.thread_id, refusal.pair) if refusal.thread_id and refusal.pair else None
        facts = Facts(
            reply_address=self._reply_address(refusal.thread_id) if refusal.thread_id else "",
            reply_subject=_reply_subject(refusal.envelope.subject),
        )
        sites = {}
        if refusal.reason is RefusalReason.AMBIGUOUS_PROJECT:
            for address in refusal.addresses:
                project_id = address.partition("@")[0].partition("+")[0]
                sites[self._title_of(project_id) or project_id] = self._reply_address(refusal.thread_id, at=address)
        answer = answer_to_refusal(refusal, facts, sites)
        if (asked := refusal.question) is not None:
            thread = Thread(asked.thread_id, asked.pair)
            return self._send_once(refusal.job_id, refusal.envelope, answer, thread, question_id=asked.question_id)
        return self._send_once(refusal.job_id, refusal.envelope, answer, thread, reply_to=refusal.thread_id)

    def _reply_address(self, thread_id: str | None, question_id: str = "", *, at: str = "") -> str:
        secret, address = self.thread_secrets()[0], at or self.sender
        if question_id:
            return thread_tokens.reply_address(address, question_id, secret, thread_tokens.QUESTION_MARK)
        return thread_tokens.reply_address(address, thread_id, secret) if thread_id else at

    def _title_of(self, project_id: str) -> str:
        with suppress(UnknownProjectError):
            return self.projects.project(project_id).title
        return ""

    def _ask_publishers(
        self,
        asked: QuestionsToPublishers,
        job: Job,
        outcome: Outcome,
        facts: Facts,
        pictures: Mapping[ScreenshotKind, bytes],
    ) -> None:
        """Asks each publisher in a new thread, before the reply that mentions them."""
        with suppress(UnknownProjectError):
            project = self.projects.project(job.pair.project)
            for user, address in sorted(project.publisher_addresses.items()):
                question = asked.ask(job, Pair(project=job.pair.project, user=user), outcome)
                self._send_once(
                    f"{user}-{job.job_id}"[:80],
                    job.envelope.model_copy(update={"sender": address, "references": ()}),
                    question_to_publisher(job, outcome, facts, question.until),
                    Thread(question.thread_id, question.pair),
                    Purpose.QUESTION,
                    pictures=pictures,
                    question_id=question.question_id,
                )

    def _notify_editor(self, project_id: str, approved: Approval, outcome: Outcome, facts: Facts) -> None:
        """Notifies the editor once, however many publishers approved. A failure must not prevent the reply."""
        if approved.asked_by is None:
            return
        about = [approved.thread_id, approved.commit, *([outcome.failure.value] if outcome.failure else [])]
        if outcome.result is Result.PUBLISH_ASKED_AGAIN:
            about = [approved.thread_id, outcome.commit or "", Result.PUBLISH_ASKED_AGAIN.value]
        subject = ".".join(about)
        try:
            if self.sent.reserve(Purpose.NEWS, subject, held_for=RESERVED_FOR, kept_for=REMEMBERED_FOR) is None:
                news = notice_to_requester(approved, outcome, facts)
                written = RenderedReply(as_text(news), as_html(news))
                address = self._reply_address(approved.thread_id)
                message_id = self._deliver(approved.asked_by, written, approved.thread_id, address, project_id)
                self.sent.complete(Purpose.NEWS, subject, message_id)
        except (ReservedError, ClientError, BotoCoreError) as error:
            logger().warning("Could not notify the editor of the outcome.", extra={"cause": str(error)})

    def _final_outcome(self, job: Job, problem: str | None) -> Outcome:
        """The outcome in the jobs table. An open job (after a timeout) is ended now, so that no worker continues it."""
        failed = Outcome(state="failed", failure=FAILURE_OF_PROBLEM.get(problem or "", Failure.INTERNAL))
        try:
            record = self.jobs.get(job.pair, job.job_id)
            if not record.state.is_final:
                record = self.jobs.conclude(job.pair, job.job_id, failed, settled=True)
        except UnknownJobError:
            return failed  # dispatch failed before it recorded the job
        except UnreadableJobError as error:
            logger().error(str(error))
            self.jobs.close_unreadable(job.pair, job.job_id, failed)
            return failed
        return record.outcome or failed

    def _pictures(self, job: Job, outcome: Outcome) -> dict[ScreenshotKind, bytes]:
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

    def _facts(self, job: Job, outcome: Outcome, pictures: tuple[ScreenshotKind, ...] = ()) -> Facts:
        """URLs come from the project's entry, never from the worker's report."""
        try:
            project = self.projects.project(job.pair.project)
        except UnknownProjectError:
            return Facts()  # the project was removed meanwhile
        asked_again = job.approved is not None and outcome.result is Result.PUBLISH_ASKED_AGAIN
        thread_id = job.approved.thread_id if job.approved is not None and asked_again else job.thread_id
        return Facts(
            preview=project.preview_of(thread_id).rstrip("/") + "/" if self.sites_online else "",
            live=project.site_url if self.sites_online else "",
            is_online=self.sites_online,
            newer=self._subject_of(job.pair, outcome.went_to) if outcome.went_to else "",
            developer=project.developer if outcome.state == "failed" and outcome.detail else "",
            with_cost=project.tells_cost,
            pictures=pictures,
            reply_address=self._reply_address(job.thread_id),
            reply_subject=_reply_subject(job.envelope.subject),
        )

    def _subject_of(self, pair: Pair, job_id: str) -> str:
        """The name of a job in replies; empty if it is not recorded yet."""
        from webordinary.mail.commands.request_name import request_name  # most replies name no other job

        with suppress(UnknownJobError, UnreadableJobError):
            newer = self.jobs.get(pair, job_id).job
            return request_name(newer.instruction, newer.envelope.subject)[:LONGEST_SUBJECT]
        return ""

    def _send_repository_notes(self, job: Job, outcome: Outcome) -> None:
        """Sends the developer one note per problem of the repository, whichever mail it was found with."""
        notes: dict[str, Answer] = {}
        if (stale := outcome.stale_lock) is not None:
            notes[stale.packages] = note_about_lock(job, stale)
        if (empty := outcome.empty_folders) is not None:
            notes[empty.digest] = note_about_empty_folders(job, empty)
        if not notes:
            return
        with suppress(UnknownProjectError):
            developer = self.projects.project(job.pair.project).developer
            for about, note in notes.items() if developer else ():
                self._notify_developer(developer, job, note, f"{job.pair.project}.{about}")

    def _notify_developer(self, developer: str, job: Job, note: Answer, about: str) -> None:
        """Sends one note per `about`. A failure must not prevent the reply."""
        try:
            if self.sent.reserve(Purpose.NOTE, about, held_for=RESERVED_FOR, kept_for=REMEMBERED_FOR) is None:
                envelope = job.envelope.model_copy(update={"sender": developer, "references": ()})
                written = RenderedReply(as_text(note), as_html(note))
                message_id = self._deliver(envelope, written, project_id=job.pair.project)
                self.sent.complete(Purpose.NOTE, about, message_id)
        except (ReservedError, ClientError, BotoCoreError) as error:
            logger().warning(
                "Could not notify the site's developer.", extra={"job_id": job.job_id, "cause": str(error)}
            )

    def _send_once(
        self,
        job_id: str,
        envelope: Envelope,
        answer: Answer,
        thread: Thread | None,
        purpose: Purpose = Purpose.REPLY,
        *,
        pictures: Mapping[ScreenshotKind, bytes] = NO_PICTURES,
        reply_to: str | None = None,  # the id in the reply address, if it is of no thread
        question_id: str = "",
    ) -> ReplyReceipt:
        """`question_id`: the question that a reply to this mail answers."""
        try:
            sent_before = self.sent.reserve(purpose, job_id, held_for=RESERVED_FOR, kept_for=REMEMBERED_FOR)
        except ReservedError as error:
            raise ReplyInProgressError(f"Another attempt is sending the reply to {job_id}.") from error
        if sent_before is not None:
            return ReplyReceipt(job_id=job_id, message_id=sent_before, duplicate=True)
        thread_id = thread.thread_id if thread else reply_to
        address = self._reply_address(thread_id, question_id)
        written = RenderedReply(as_text(answer), as_html(answer, reply_address=address), pictures)
        try:
            message_id = self._deliver(envelope, written, thread_id, address, thread.pair.project if thread else "")
        except ClientError:
            # SES rejected the mail, so it was not sent. After a network error this is unknown: the reservation stays.
            self.sent.cancel_reservation(purpose, job_id)
            raise
        if thread is not None:
            self.threads.remember(thread, message_id, question_id)
        self.sent.complete(purpose, job_id, message_id)
        if purpose is Purpose.REPLY:
            milestone("reply_sent", job_id=job_id, thread_id=thread_id)
        if thread is not None:
            self._store_fingerprints(thread, job_id, written.text)
        return ReplyReceipt(job_id=job_id, message_id=message_id)

    def _store_fingerprints(self, thread: Thread, job_id: str, text: str) -> None:
        """Stores the fingerprints of our reply, so that parse_email recognises quotes of it."""
        from webordinary.mail.history.fingerprints import (
            fingerprints_of,  # not needed if the reply was sent before
        )

        words = fingerprints_of(text, self.thread_secrets()[0], thread.thread_id)
        self.threads.store_fingerprints(thread, f"{ANSWER}{job_id}", words, by_us=True)

    def _deliver(
        self,
        envelope: Envelope,
        written: RenderedReply,
        thread_id: str | None = None,
        address: str = "",
        project_id: str = "",
    ) -> str:
        sender = named_address(self._title_of(project_id) or self.service_name, self.sender)
        message = EmailMessage(policy=UNFOLDED)
        message["From"] = sender
        message["To"] = envelope.sender
        message["Subject"] = _single_line(_reply_subject(envelope.subject))
        message["Date"] = formatdate(self.clock().timestamp())
        message["In-Reply-To"] = _single_line(envelope.message_id)
        message["References"] = _single_line(" ".join([*envelope.references[-20:], envelope.message_id]))
        message["Auto-Submitted"] = "auto-replied"
        message[thread_tokens.OWN_HEADER] = thread_id or "none"
        if address:
            message["Reply-To"] = address
        # SES accepts only ASCII bytes in a raw mail.
        message.set_content(written.text, cte="quoted-printable")
        message.add_alternative(written.html, subtype="html", cte="quoted-printable")
        _, html = message.iter_parts()
        for kind, picture in written.pictures.items():
            content_id, name = f"<{kind.content_id}>", f"{kind.value}.jpg"
            html.add_related(picture, "image", "jpeg", cid=content_id, filename=name, disposition="inline")
        sent = self.ses.send_email(
            FromEmailAddress=sender,
            Destination={"ToAddresses": [envelope.sender]},
            Content={"Raw": {"Data": message.as_bytes()}},
            ConfigurationSetName=self.configuration_set,
        )
        # SES sets its own Message-ID; replies to our mail refer to it.
        return sent_message_id(sent["MessageId"], self.ses.meta.region_name)


def _reply_subject(subject: str) -> str:
    return subject if subject.lower().startswith(("re:", "aw:", "sv:", "antw:")) else f"Re: {subject}"


def _single_line(text: str) -> str:
    """Removes line breaks, so that a mail cannot inject headers."""
    return " ".join(text.split())
