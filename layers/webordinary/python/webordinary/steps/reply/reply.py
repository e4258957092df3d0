"""Sends exactly one reply per mail, in its thread.

The jobs table has the outcome; the idempotency table records that the reply was sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

from webordinary.answers.job_answers import answer_to_job
from webordinary.answers.refusal_answers import answer_to_refusal
from webordinary.aws import clients
from webordinary.aws.clients import Clock, Secrets, utc_now
from webordinary.aws.telemetry import logger
from webordinary.contract.errors import UnknownJobError, WebordinaryError
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.reply import ReplyOrder, ReplyReceipt
from webordinary.contract.outcomes import Failure
from webordinary.contract.settings import ReplySettings
from webordinary.steps.reply.addresses import ReplyAddresses
from webordinary.steps.reply.facts import FactsOfReplies
from webordinary.steps.reply.mailer import Mailer
from webordinary.steps.reply.notices import Notices
from webordinary.steps.reply.question_mails import QuestionMails
from webordinary.tables.conversation_records import NotedReply
from webordinary.tables.conversations import Conversations
from webordinary.tables.idempotency import IdempotencyTable
from webordinary.tables.jobs import JobsTable, UnreadableJobError
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.questions import Questions
from webordinary.tables.threads import Thread, Threads

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sesv2 import SESV2Client

    from webordinary.contract.messages.job import Job
    from webordinary.contract.messages.parse import Refusal
    from webordinary.contract.names import Names

# The failure for an error of the dispatch state, if the jobs table has no outcome.
FAILURE_OF_PROBLEM = {"States.Timeout": Failure.TIMED_OUT, "States.HeartbeatTimeout": Failure.TIMED_OUT}


class Reply(NamedTuple):
    jobs: JobsTable
    facts: FactsOfReplies
    mailer: Mailer
    questions: QuestionMails
    notices: Notices

    @classmethod
    def from_settings(cls, settings: ReplySettings) -> Self:
        return cls.on(
            clients.dynamodb(),
            clients.ses(),
            clients.s3(),
            settings.names,
            sender=settings.reply_from,
            thread_secrets=clients.secrets_of(settings.thread_secret_parameter),
            configuration_set=settings.configuration_set,
            service_name=settings.service_name,
            sites_online=settings.sites_online,
            guide_url=settings.guide_url,
        )

    @classmethod
    def on(
        cls,
        dynamodb: DynamoDBClient,
        ses: SESV2Client,
        s3: S3Client,
        names: Names,
        *,
        sender: str,
        thread_secrets: Secrets,
        configuration_set: str,
        clock: Clock = utc_now,
        service_name: str = "",
        sites_online: bool = True,
        guide_url: str = "",
    ) -> Self:
        jobs, projects = JobsTable(dynamodb, names, clock), ProjectConfigs(dynamodb, names)
        threads, questions = Threads(dynamodb, names, clock), Questions(dynamodb, names, clock)
        sent = IdempotencyTable(dynamodb, names, clock)
        addresses = ReplyAddresses(sender, thread_secrets)
        conversations = Conversations(dynamodb, names, clock)
        mailer = Mailer(ses, sent, threads, projects, addresses, configuration_set, clock, conversations, service_name)
        return cls(
            jobs,
            FactsOfReplies(jobs, projects, s3, names, addresses, sites_online, guide_url),
            mailer,
            QuestionMails(questions, threads, projects, mailer, clock),
            Notices(projects, mailer),
        )

    def run(self, order: ReplyOrder) -> ReplyReceipt:
        if order.refusal is not None:
            return self._refuse(order.refusal)
        if order.job is None:
            raise WebordinaryError("Invalid reply order: neither a job nor a refusal; nothing was sent.")
        job = order.job
        outcome = self.questions.permitted(job, order.outcome or self._final_outcome(job, order.problem))
        if job.silent:
            return ReplyReceipt(job_id=job.job_id, message_id="", silent=True)
        pictures = self.facts.pictures(job, outcome)
        facts = self.facts.of_job(job, outcome, tuple(pictures))
        self.questions.ask(job, outcome, facts, pictures)
        receipt = self.questions.ask_again(job, outcome, facts, pictures)
        receipt = receipt or self.questions.ask_sender(job, outcome, facts, pictures)
        if receipt is None:
            answer, thread = answer_to_job(job, outcome, facts), Thread(job.thread_id, job.pair)
            noted = NotedReply.of_job(job, outcome)
            receipt = self.mailer.send_once(job.job_id, job.envelope, answer, thread, pictures=pictures, noted=noted)
        self.notices.send(job, outcome, facts)
        return receipt

    def _refuse(self, refusal: Refusal) -> ReplyReceipt:
        facts, sites = self.facts.of_refusal(refusal), self.facts.sites_to_choose_from(refusal)
        answer, noted = answer_to_refusal(refusal, facts, sites), NotedReply.of_refusal(refusal)
        if (asked := refusal.question) is not None:
            thread: Thread | None = Thread(asked.thread_id, asked.pair)
            question_id, envelope = asked.question_id, refusal.envelope
            if asked.subject is not None:
                envelope = envelope.model_copy(update={"subject": asked.subject})
            return self.mailer.send_once(refusal.job_id, envelope, answer, thread, question_id=question_id, noted=noted)
        thread = Thread(refusal.thread_id, refusal.pair) if refusal.thread_id and refusal.pair else None
        return self.mailer.send_once(
            refusal.job_id, refusal.envelope, answer, thread, reply_to=refusal.thread_id, noted=noted
        )

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
