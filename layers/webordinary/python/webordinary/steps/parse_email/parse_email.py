"""Decides whether a mail becomes a job, is refused with a reply, or is dropped.

Mails are dropped if a reply could feed a loop or reach an uninvolved person: automatic mail, unknown senders, senders
that fail authentication. All others get a reply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

from webordinary import mail as mails
from webordinary.aws import clients
from webordinary.aws.clients import Clock, Secrets, utc_now
from webordinary.aws.telemetry import count, milestone
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import Envelope, RawMail
from webordinary.contract.messages.parse import Decision, ParseResult, Refusal
from webordinary.contract.outcomes import RefusalReason
from webordinary.contract.settings import ParseEmailSettings
from webordinary.contract.values import limit
from webordinary.questions.answering import AnswersToQuestions, reference_to
from webordinary.steps.parse_email import request_text
from webordinary.steps.parse_email.attachment_parts import AttachmentParts
from webordinary.steps.parse_email.kept_mails import KeptMails, ReopenedMail
from webordinary.steps.parse_email.own_addresses import OwnAddresses
from webordinary.steps.parse_email.quotas import Quotas
from webordinary.steps.parse_email.refused import Refused
from webordinary.steps.parse_email.sender_checks import SenderChecks, sender_of
from webordinary.steps.parse_email.thread_resolution import ThreadResolution
from webordinary.tables.budgets import Budgets
from webordinary.tables.idempotency import IdempotencyTable
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.questions import Question, Questions
from webordinary.tables.rate_limits import RateLimits
from webordinary.tables.spending import Spending
from webordinary.tables.threads import Thread, Threads

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from webordinary.contract.messages.base import Pair
    from webordinary.mail import OpenedMail, ParsedMail


class ParseEmail(NamedTuple):
    s3: S3Client
    projects: ProjectConfigs
    threads: Threads
    questions: Questions
    rates: RateLimits
    budgets: Budgets
    thread_secrets: Secrets
    mail_domain: str
    clock: Clock = utc_now
    pictures: bool = True  # in this environment; a project may turn them off

    @classmethod
    def from_settings(cls, settings: ParseEmailSettings) -> Self:
        dynamodb, names = clients.dynamodb(), settings.names
        return cls(
            s3=clients.s3(),
            projects=ProjectConfigs(dynamodb, names),
            threads=Threads(dynamodb, names),
            questions=Questions(dynamodb, names),
            rates=RateLimits(IdempotencyTable(dynamodb, names)),
            budgets=Budgets(IdempotencyTable(dynamodb, names), Spending(dynamodb, names)),
            thread_secrets=clients.secrets_of(settings.thread_secret_parameter),
            mail_domain=settings.mail_domain,
            pictures=settings.pictures,
        )

    @property
    def _addresses(self) -> OwnAddresses:
        return OwnAddresses(self.mail_domain)

    @property
    def _senders(self) -> SenderChecks:
        return SenderChecks(self.rates, self._addresses)

    @property
    def _quotas(self) -> Quotas:
        return Quotas(self.rates, self.budgets, self.projects)

    @property
    def _resolution(self) -> ThreadResolution:
        return ThreadResolution(self.threads, self.questions, self.thread_secrets, self._addresses)

    @property
    def _kept_mails(self) -> KeptMails:
        parts = (self.s3, self.threads, self.projects, self.thread_secrets, self._addresses)
        return KeptMails(*parts, self.mail_domain)

    @property
    def _answers(self) -> AnswersToQuestions:
        return AnswersToQuestions(self.threads, self.questions, self.thread_secrets, self.clock)

    def run(self, mail: RawMail) -> ParseResult:
        stored = self.s3.get_object(Bucket=mail.bucket, Key=mail.key)
        if stored["ContentLength"] > limit("mail_bytes"):
            return self._refuse(mail, None, Refused("oversize"))
        opened = mails.open_mail(stored["Body"].read(), mail_domain=self.mail_domain)
        parsed = opened.read()
        try:
            result = self._accept(mail, opened, parsed)
        except Refused as refused:
            return self._refuse(mail, parsed, refused)
        job = result.job
        milestone("mail_parsed", job_id=mail.mail_id, decision="accept", pair=job.pair.key if job else None)
        return result

    def _accept(self, mail: RawMail, opened: OpenedMail, parsed: ParsedMail) -> ParseResult:
        sender = sender_of(parsed)
        pairs = self._require_sender(mail, parsed, sender)
        message_id = parsed.message_id or f"<{mail.delivery_id}@{self.mail_domain}>"
        question = self._answers.find(parsed, pairs)
        continued = self._answers.thread_of(question, pairs) or self._resolution.continued_thread(opened, parsed, pairs)
        kept = None if continued else self._kept_mails.find(mail, opened, parsed, sender)
        known = self._resolution.known_text(continued, mail) if continued is not None else None
        if known is not None:
            parsed = opened.read(known)
        own = parsed
        if kept is None:
            request_text.require_request(parsed)
        thread = continued or self._begin_thread(mail, parsed, message_id, pairs, kept)
        if kept is not None:
            parsed = self._kept_mails.completed(parsed, kept, pairs)
            request_text.require_request(parsed)
        answer = self._answers.read(mail, thread, opened, parsed, question, known)
        if isinstance(answer, RefusalReason):
            raise Refused(answer, **(_asked_again(question) if answer is RefusalReason.ANSWER_UNCLEAR else {}))
        is_yes = question is not None and answer is mails.AnswerKind.YES
        command = question.about.command if question and is_yes else parsed.request.command
        self._quotas.require_hourly_quota_of_thread(mail, thread.thread_id)
        if near := request_text.near_command(parsed):
            reason = RefusalReason.UNCLEAR_COMMAND
            raise Refused(reason, command=near, thread_id=thread.thread_id, pair=thread.pair)
        self._quotas.require_daily_quota_of_project(mail, thread.pair, sender)
        now = self.clock()
        max_dollars = self._quotas.reserve_budget(mail, command, thread.pair, sender, now)
        self.threads.remember(thread, message_id)
        approved = self._answers.count(mail, thread, answer, question)
        job = Job(
            job_id=mail.mail_id,
            pair=thread.pair,
            thread_id=thread.thread_id,
            command=command,
            instruction=parsed.request.instruction.strip(),
            approved=approved,
            subject=parsed.subject_request,
            is_forward=parsed.is_forward,
            forwarded=request_text.forwarded_text(parsed),
            history=request_text.history_text(parsed),
            removed=request_text.removed_text(parsed),
            mentioned_command=parsed.request.mentioned_command,
            language=request_text.language_of(parsed),
            begins_thread=continued is None,
            envelope=self._envelope(parsed, message_id),
            received_at=now,
            max_dollars=max_dollars,
            repeated=mail.replay_of is not None,
            silent=mail.silent,
            pictures=self.pictures and not mail.silent and self.projects.wants_pictures(thread.pair.project),
        )
        attachments = AttachmentParts(self.s3)
        parts = attachments.store(mail, thread.pair, opened, own)
        if kept is not None:
            parts = (*attachments.store(kept.mail, thread.pair, kept.opened, kept.parsed), *parts)
        words = mails.fingerprints_of(parsed.full_text, self.thread_secrets()[0], thread.thread_id)
        self.threads.store_fingerprints(thread, mail.delivery_id, words, by_us=False)
        return ParseResult(decision=Decision.ACCEPT, reason="accepted", job=job, attachment_parts=parts)

    def _require_sender(self, mail: RawMail, parsed: ParsedMail, sender: str) -> list[Pair]:
        """The pairs that the sender may edit, if the mail is the sender's own."""
        pairs = self.projects.pairs_of_sender(sender)
        if not pairs:
            raise Refused("unknown_sender")
        self._senders.require_authentication(mail, parsed, sender)
        self._senders.require_first_delivery(mail, parsed, sender)
        self._senders.require_own_recipient(mail, parsed, sender, pairs)
        self._quotas.require_hourly_quota_of_sender(mail, sender)
        return pairs

    def _begin_thread(
        self, mail: RawMail, parsed: ParsedMail, message_id: str, pairs: list[Pair], kept: ReopenedMail | None
    ) -> Thread:
        """Opens a thread. If its site is unclear, the mail is kept and its sender asked for the name."""
        pair = self._resolution.chosen_pair(parsed, pairs)
        if pair is None and kept is not None:
            pair = self._kept_mails.named_pair(parsed, pairs)
        if pair is None:
            raise self._kept_mails.keep(mail, sender_of(parsed), message_id, pairs, kept)
        return self.threads.open(pair, message_id)

    def _envelope(self, parsed: ParsedMail, message_id: str) -> Envelope:
        return Envelope(
            sender=parsed.sender.address if parsed.sender else "",
            recipient=next(iter(self._addresses.in_mail(parsed)), ""),
            subject=parsed.subject,
            message_id=message_id,
            references=request_text.last_references(parsed),
        )

    def _refuse(self, mail: RawMail, parsed: ParsedMail | None, refused: Refused) -> ParseResult:
        count(f"Refused.{refused.reason}")
        decision = Decision.DROP if mail.silent else refused.decision
        milestone("mail_parsed", job_id=mail.mail_id, decision=decision.value, reason=refused.reason)
        refusal = None
        if isinstance(refused.reason, RefusalReason) and parsed is not None:
            envelope = self._envelope(parsed, parsed.message_id or mail.mail_id)
            refusal = Refusal(
                job_id=mail.mail_id,
                envelope=envelope,
                reason=refused.reason,
                received_at=self.clock(),
                **{"language": request_text.language_of(parsed), **refused.facts},
            )
        return ParseResult(decision=decision, reason=refused.reason, refusal=refusal)


def _asked_again(question: Question | None) -> dict[str, Any]:
    """The same question, in its language: "tak" is a yes in Polish only."""
    if question is None:
        return {}
    return {"question": reference_to(question), **({"language": lang} if (lang := question.about.language) else {})}
