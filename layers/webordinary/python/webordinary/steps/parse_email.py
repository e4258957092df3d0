"""Decides whether a mail becomes a job, is refused with a reply, or is dropped.

Mails are dropped if a reply could feed a loop or reach an uninvolved person: automatic mail, unknown senders, senders
that fail authentication. All others get a reply.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Self

from webordinary import mail as mails
from webordinary.aws import clients
from webordinary.aws.clients import Clock, Secrets, utc_now
from webordinary.aws.telemetry import count, milestone
from webordinary.contract import thread_tokens
from webordinary.contract.errors import UnknownProjectError
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import AttachmentPart, AttachmentRefusal, Envelope, RawMail
from webordinary.contract.messages.parse import Decision, ParseResult, Refusal
from webordinary.contract.names import attachment_part_key
from webordinary.contract.outcomes import AttachmentProblem, Command, RefusalReason
from webordinary.contract.settings import ParseEmailSettings
from webordinary.contract.sizes import cut, json_bytes
from webordinary.contract.values import limit
from webordinary.questions.answering import AnswersToQuestions, reference_to
from webordinary.tables.budgets import Account, Budgets
from webordinary.tables.idempotency import IdempotencyTable
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.questions import Question, Questions
from webordinary.tables.rate_limits import RateLimits
from webordinary.tables.threads import Thread, Threads

if TYPE_CHECKING:
    from datetime import datetime

    from mypy_boto3_s3 import S3Client

    from webordinary.mail import AttachmentInfo, KnownText, OpenedMail, ParsedMail


_ENCRYPTED_TEXT = "-----BEGIN PGP MESSAGE-----"
_REST_IS_CUT = "\n\n[The forwarded text is longer; its rest is cut off here.]"
LONGEST_CONTENT_ID = 200  # bytes


class _Refused(Exception):  # noqa: N818  control flow of the checks below, not an error
    """A mail that becomes no job: answered if its reason is a RefusalReason, otherwise dropped."""

    def __init__(self, reason: str, **facts: Any) -> None:
        super().__init__(reason)
        self.reason = reason
        self.facts = facts  # for its reply: fields of Refusal
        self.decision = Decision.ANSWER if isinstance(reason, RefusalReason) else Decision.DROP


@dataclass(frozen=True)
class _KeptMail:
    """A stored mail whose site was unclear, as parsed again."""

    thread_id: str
    mail: RawMail
    opened: OpenedMail
    parsed: ParsedMail


@dataclass(frozen=True)
class ParseEmail:
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
            budgets=Budgets(IdempotencyTable(dynamodb, names)),
            thread_secrets=clients.secrets_of(settings.thread_secret_parameter),
            mail_domain=settings.mail_domain,
            pictures=settings.pictures,
        )

    def run(self, mail: RawMail) -> ParseResult:
        stored = self.s3.get_object(Bucket=mail.bucket, Key=mail.key)
        if stored["ContentLength"] > limit("mail_bytes"):
            return self._refuse(mail, None, _Refused("oversize"))
        opened = mails.open_mail(stored["Body"].read(), mail_domain=self.mail_domain)
        parsed = opened.read()
        try:
            result = self._accept(mail, opened, parsed)
        except _Refused as refused:
            return self._refuse(mail, parsed, refused)
        job = result.job
        milestone("mail_parsed", job_id=mail.mail_id, decision="accept", pair=job.pair.key if job else None)
        return result

    def _accept(self, mail: RawMail, opened: OpenedMail, parsed: ParsedMail) -> ParseResult:
        address = _sender_of(parsed)
        pairs = self.projects.pairs_of_sender(address)
        if not pairs:
            raise _Refused("unknown_sender")
        self._require_authentication(mail, parsed, address)
        self._require_first_delivery(mail, parsed, address)
        self._require_own_recipient(mail, parsed, address, pairs)
        self._require_hourly_quota("sender", address, limit("mails_per_sender_per_hour"), mail)
        message_id = parsed.message_id or f"<{mail.delivery_id}@{self.mail_domain}>"
        answers = AnswersToQuestions(self.threads, self.questions, self.thread_secrets, self.clock)
        question = answers.find(parsed, pairs)
        continued = (
            answers.thread_of(question, pairs)
            or self._continued_thread(parsed, pairs)
            or self._thread_by_link(opened, pairs)
        )
        kept = None if continued else self._kept_mail(mail, opened, parsed, address)
        if continued is not None:
            parsed = opened.read(self._known_text(continued, mail))
        own = parsed
        if kept is None:
            _require_request(parsed)
        thread = continued or self._begin_thread(mail, parsed, message_id, pairs, kept)
        if kept is not None:
            parsed = self._completed(parsed, kept.parsed, pairs)
            _require_request(parsed)
        answer = answers.read(mail, thread, opened, parsed, question)
        if isinstance(answer, RefusalReason):
            raise _Refused(answer, **(_asked_again(question) if answer is RefusalReason.ANSWER_UNCLEAR else {}))
        command = Command.PUBLISH if answer is mails.AnswerKind.YES else parsed.request.command
        self._require_hourly_quota("thread", thread.thread_id, limit("mails_per_thread_per_hour"), mail)
        if near := _near_command(parsed):
            reason = RefusalReason.UNCLEAR_COMMAND
            raise _Refused(reason, command=near, thread_id=thread.thread_id, pair=thread.pair)
        self._require_project_quota(mail, thread.pair, address)
        now = self.clock()
        max_dollars = self._require_budget(mail, command, thread.pair, address, now)
        self.threads.remember(thread, message_id)
        approved = answers.count(mail, thread, answer, question)
        job = Job(
            job_id=mail.mail_id,
            pair=thread.pair,
            thread_id=thread.thread_id,
            command=command,
            instruction=parsed.request.instruction.strip(),
            approved=approved,
            subject=parsed.subject_request,
            forwarded=_within_limit(parsed.forwarded_text),
            history=_history(parsed),
            removed=_removed(parsed),
            mentioned_command=parsed.request.mentioned_command,
            language=_language(parsed),
            begins_thread=continued is None,
            envelope=self._envelope(parsed, message_id),
            received_at=now,
            max_dollars=max_dollars,
            silent=mail.silent,
            pictures=self.pictures and not mail.silent and self.projects.wants_pictures(thread.pair.project),
        )
        parts = self._store_attachments(mail, thread.pair, opened, own)
        if kept is not None:
            parts = (*self._store_attachments(kept.mail, thread.pair, kept.opened, kept.parsed), *parts)
        words = mails.fingerprints_of(parsed.full_text, self.thread_secrets()[0], thread.thread_id)
        self.threads.store_fingerprints(thread, mail.delivery_id, words, by_us=False)
        return ParseResult(decision=Decision.ACCEPT, reason="accepted", job=job, attachment_parts=parts)

    def _store_attachments(
        self, mail: RawMail, pair: Pair, opened: OpenedMail, parsed: ParsedMail
    ) -> tuple[AttachmentPart, ...]:
        """Stores each attachment as a separate object, so that the mail need not be parsed again."""
        attachments = [attachment for attachment in parsed.attachments if not attachment.decoration]
        most = limit("attachments_per_mail")
        too_many = AttachmentRefusal(problem=AttachmentProblem.TOO_MANY, limit=most)
        parts = [_attachment_part(mail, pair, attachment) for attachment in attachments[: 2 * most]]
        for part, attachment in zip(parts[:most], attachments, strict=False):
            self.s3.put_object(Bucket=part.bucket, Key=part.key, Body=opened.content(attachment))
        return (*parts[:most], *(part.model_copy(update={"refused": too_many}) for part in parts[most:]))

    def _require_authentication(self, mail: RawMail, parsed: ParsedMail, address: str) -> None:
        verdict = parsed.authentication
        if verdict.passed:
            return
        reason = f"not_authenticated.{verdict.reason.value}"
        if verdict.fixable and self.rates.is_first_notice(reason, address, mail.delivery_id):
            raise _Refused(RefusalReason(reason))
        raise _Refused(reason)

    def _require_first_delivery(self, mail: RawMail, parsed: ParsedMail, address: str) -> None:
        """Rejects replays: anyone with a copy of a signed mail can deliver it again."""
        # Not every signature covers the Message-ID. The signed text is checked first: an old mail with a new id must
        # not use up that id.
        words = f"{parsed.date.isoformat()} {parsed.subject} {parsed.full_text}" if parsed.date else ""
        marks = [mark for mark in (words, parsed.message_id) if mark]
        if not all(self.rates.is_first_delivery(address, mark, mail.delivery_id) for mark in marks):
            raise _Refused("replay")

    def _require_own_recipient(self, mail: RawMail, parsed: ParsedMail, address: str, pairs: list[Pair]) -> None:
        """A signature does not cover the envelope either: only mails addressed to us in To or Cc are meant for us."""
        if self._own_recipients(parsed):
            return
        if self.rates.is_first_notice(RefusalReason.NOT_ADDRESSED, address, mail.delivery_id):
            raise _Refused(RefusalReason.NOT_ADDRESSED, addresses=self._addresses_of(pairs))
        raise _Refused("not_addressed.again")

    def _require_hourly_quota(self, kind: str, subject: str, most: int, mail: RawMail) -> None:
        if self.rates.count_this_hour(kind, subject, mail.delivery_id) <= most:
            return
        if kind == "sender" and self.rates.is_first_notice(
            f"flood.{self.rates.this_hour()}", subject, mail.delivery_id
        ):
            raise _Refused(RefusalReason.TOO_MANY_MAILS, resumes_at=self.rates.next_hour())
        raise _Refused(f"too_many_mails.{kind}")

    def _require_project_quota(self, mail: RawMail, pair: Pair, address: str) -> None:
        if self.rates.count_today("project", pair.project, mail.delivery_id) <= limit("mails_per_project_per_day"):
            return
        subject = f"{pair.project} {address}"
        if self.rates.is_first_notice(f"day.{self.rates.today()}", subject, mail.delivery_id):
            tomorrow = self.rates.next_day()
            raise _Refused(RefusalReason.PROJECT_QUOTA_REACHED, project=pair.project, resumes_at=tomorrow)
        raise _Refused("too_many_mails.project")

    def _require_budget(self, mail: RawMail, command: Command, pair: Pair, address: str, now: datetime) -> float | None:
        """The budget of the job, from the remaining daily budget. Only edits use an agent and need one."""
        if self.rates.count_today("sender", address, mail.delivery_id) > limit("mails_per_sender_per_day"):
            self._refuse_over_budget(mail, pair, address)
        if command is not Command.EDIT:
            return None
        project = Account("project", pair.project, self.projects.dollars_per_day(pair.project))
        sender = Account("sender", address, limit("dollars_per_sender_per_day"))
        reserved = self.budgets.reserve(mail.mail_id, now, project, sender)
        if reserved.nearly_spent:
            count("Budget.nearly_spent")
        if not reserved.is_enough:
            self._refuse_over_budget(mail, pair, address)
        return reserved.dollars

    def _refuse_over_budget(self, mail: RawMail, pair: Pair, address: str) -> NoReturn:
        if self.rates.is_first_notice(f"used-up.{self.rates.today()}", f"{pair.project} {address}", mail.delivery_id):
            raise _Refused(RefusalReason.BUDGET_EXHAUSTED, project=pair.project, resumes_at=self.rates.next_day())
        raise _Refused("budget_exhausted.again")

    def _continued_thread(self, parsed: ParsedMail, pairs: list[Pair]) -> Thread | None:
        """The thread that the mail continues, if its sender may edit it."""
        return self._thread_by_token(parsed, pairs) or self._thread_by_headers(parsed, pairs)

    def _known_text(self, thread: Thread, mail: RawMail) -> KnownText:
        """The text of the thread so far, ours and theirs, to recognise quotes in any format."""
        fingerprints = thread.fingerprints_before(mail.delivery_id)
        return mails.KnownText(
            self.thread_secrets()[0],
            thread.thread_id,
            sent=[one.words for one in fingerprints if one.by_us],
            received=[one.words for one in fingerprints if not one.by_us],
        )

    def _thread_by_token(self, parsed: ParsedMail, pairs: list[Pair]) -> Thread | None:
        thread_id = thread_tokens.find_thread([*parsed.recipients, parsed.full_text], self.thread_secrets())
        return self.threads.get(thread_id, pairs) if thread_id else None

    def _thread_by_link(self, opened: OpenedMail, pairs: list[Pair]) -> Thread | None:
        """Our replies carry the token in a link, which survives in HTML if headers and addresses are lost."""
        html = [opened.html()]
        thread_id = thread_tokens.find_thread(html, self.thread_secrets())
        if thread_id is None and (question_id := thread_tokens.find_question(html, self.thread_secrets())):
            question = self.questions.get(question_id)
            thread_id = question.thread_id if question is not None else None
        return self.threads.get(thread_id, pairs) if thread_id else None

    def _thread_by_headers(self, parsed: ParsedMail, pairs: list[Pair]) -> Thread | None:
        return self.threads.of_messages([*reversed(parsed.references[-20:]), *parsed.in_reply_to[:5]], pairs)

    def _chosen_pair(self, parsed: ParsedMail, pairs: list[Pair]) -> Pair | None:
        """`project@…` and `project+user@…` choose between the pairs of a sender; with one pair there is no choice."""
        for recipient in self._own_recipients(parsed):
            plain, tag = thread_tokens.without_tag(recipient.lower())
            project = plain.rpartition("@")[0]
            user = "" if thread_tokens.is_token(tag) else tag  # a token of an expired thread is not a user
            matching = [pair for pair in pairs if pair.project == project and user in ("", pair.user)]
            if len(matching) == 1:
                return matching[0]
        return pairs[0] if len(pairs) == 1 else None

    def _kept_mail(self, mail: RawMail, opened: OpenedMail, parsed: ParsedMail, address: str) -> _KeptMail | None:
        """The earlier mail of the same sender that this one completes with the name of a site."""
        texts = [*parsed.recipients, parsed.full_text, opened.html()]
        thread_id = thread_tokens.find_thread(texts, self.thread_secrets())
        answered = [*parsed.in_reply_to[:5], *reversed(parsed.references[-20:])]
        kept = self.threads.kept_mail(thread_id, address, answered)
        if kept is None:
            return None
        try:
            stored = self.s3.get_object(Bucket=mail.bucket, Key=kept.key)
        except self.s3.exceptions.ClientError as error:
            if error.response["Error"]["Code"] in ("NoSuchKey", "AccessDenied"):  # S3 denies what it may not list
                return None
            raise
        earlier = mails.open_mail(stored["Body"].read(), mail_domain=self.mail_domain)
        read = earlier.read()
        if read.sender is None or read.sender.address.lower() != address:
            return None
        stored_as = mail.model_copy(update={"mail_id": kept.key.rpartition("/")[2], "key": kept.key})
        return _KeptMail(kept.thread_id, stored_as, earlier, read)

    def _begin_thread(
        self, mail: RawMail, parsed: ParsedMail, message_id: str, pairs: list[Pair], kept: _KeptMail | None
    ) -> Thread:
        """Opens a thread. If its site is unclear, the mail is kept and its sender asked for the name."""
        pair = self._chosen_pair(parsed, pairs)
        if pair is None and kept is not None:
            named = mails.sites_named(parsed.text, self._site_names(pairs))
            matching = [one for one in pairs if one.project in named]
            pair = matching[0] if len(matching) == 1 else None
        if pair is None:
            thread_id = kept.thread_id if kept else self.threads.keep_mail(mail.key, _sender_of(parsed), message_id)
            addresses = self._addresses_of(pairs)
            raise _Refused(RefusalReason.AMBIGUOUS_PROJECT, addresses=addresses, thread_id=thread_id)
        return self.threads.open(pair, message_id)

    def _completed(self, parsed: ParsedMail, earlier: ParsedMail, pairs: list[Pair]) -> ParsedMail:
        """The request of the earlier mail, with the envelope and the further words of this one."""
        request = earlier.request
        if request.command is Command.EDIT and not mails.names_only(parsed.text, self._site_names(pairs)):
            words = f"{request.instruction}\n\n{parsed.text}".strip()
            request = request.model_copy(update={"instruction": words})
        envelope = ("message_id", "in_reply_to", "references", "subject", "to", "cc", "recipients")
        return earlier.model_copy(update={**{name: getattr(parsed, name) for name in envelope}, "request": request})

    def _site_names(self, pairs: list[Pair]) -> dict[str, tuple[str, ...]]:
        names: dict[str, tuple[str, ...]] = {}
        for project_id in {pair.project for pair in pairs}:
            with suppress(UnknownProjectError):
                project = self.projects.project(project_id)
                names[project_id] = (project_id, project.domain, project.title)
        return names

    def _addresses_of(self, pairs: list[Pair]) -> tuple[str, ...]:
        return tuple(f"{pair.project}+{pair.user}@{self.mail_domain}" for pair in pairs)

    def _own_recipients(self, parsed: ParsedMail) -> list[str]:
        """Our addresses in To and Cc. The delivering server can set other headers."""
        addresses = [recipient.address for recipient in (*parsed.to, *parsed.cc)]
        return [address for address in addresses if address.lower().endswith(f"@{self.mail_domain}")]

    def _envelope(self, parsed: ParsedMail, message_id: str) -> Envelope:
        return Envelope(
            sender=parsed.sender.address if parsed.sender else "",
            recipient=next(iter(self._own_recipients(parsed)), ""),
            subject=parsed.subject,
            message_id=message_id,
            references=_last_references(parsed),
        )

    def _refuse(self, mail: RawMail, parsed: ParsedMail | None, refused: _Refused) -> ParseResult:
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
                **{"language": _language(parsed), **refused.facts},
            )
        return ParseResult(decision=decision, reason=refused.reason, refusal=refusal)


def _sender_of(parsed: ParsedMail) -> str:
    if parsed.kind != mails.MailKind.NORMAL:
        raise _Refused(f"automatic.{parsed.kind.value}")
    if parsed.sender is None:
        raise _Refused("no_sender")
    return parsed.sender.address.lower()


def _language(parsed: ParsedMail) -> str:
    """The language of the mail; quoted text helps if the mail is too short."""
    return mails.language_of(parsed.text, parsed.subject, parsed.history_text)


def _asked_again(question: Question | None) -> dict[str, Any]:
    """The same question, in its language: "tak" is a yes in Polish only."""
    if question is None:
        return {}
    return {"question": reference_to(question), **({"language": lang} if (lang := question.about.language) else {})}


def _require_request(parsed: ParsedMail) -> None:
    request = parsed.request
    if parsed.encrypted and (not parsed.text or parsed.text.startswith(_ENCRYPTED_TEXT)):
        raise _Refused(RefusalReason.ENCRYPTED)
    content = request.instruction.strip() or parsed.forwarded_text or parsed.attachments
    if request.command == Command.EDIT and not content:
        raise _Refused(RefusalReason.EMPTY)
    if len(request.instruction) > limit("instruction_characters"):
        raise _Refused(RefusalReason.TOO_LONG)
    if _bytes_of_request(parsed) > limit("request_bytes"):
        raise _Refused(RefusalReason.TOO_LONG)


def _bytes_of_request(parsed: ParsedMail) -> int:
    return json_bytes(parsed.request.instruction) + json_bytes(_within_limit(parsed.forwarded_text))


def _history(parsed: ParsedMail) -> str:
    """As much of the earlier mails as fits into the execution."""
    return cut(parsed.history_text[: limit("history_characters")], limit("request_bytes") - _bytes_of_request(parsed))


def _removed(parsed: ParsedMail) -> str:
    """As much of the removed text as fits into the execution."""
    left = limit("request_bytes") - _bytes_of_request(parsed) - json_bytes(_history(parsed))
    return cut(parsed.removed_text[: limit("removed_characters")], left)


def _last_references(parsed: ParsedMail) -> tuple[str, ...]:
    last: list[str] = []
    left = limit("reference_bytes")
    for reference in reversed(parsed.references[-20:]):
        left -= json_bytes(reference)
        if left < 0:
            break
        last.insert(0, reference)
    return tuple(last)


def _near_command(parsed: ParsedMail) -> Command | None:
    """The command that the mail misspells. With material it is an edit about that material."""
    if parsed.request.command is not Command.EDIT or parsed.forwarded_text or parsed.attachments:
        return None
    return mails.near_command(parsed.request.instruction)


def _within_limit(forwarded: str) -> str:
    """A forwarded chain may be long, and its newest mails come first. The agent sees that the rest is missing."""
    most = limit("instruction_characters")
    return forwarded if len(forwarded) <= most else forwarded[: most - len(_REST_IS_CUT)] + _REST_IS_CUT


def _attachment_part(mail: RawMail, pair: Pair, attachment: AttachmentInfo) -> AttachmentPart:
    content_id = attachment.content_id or ""
    return AttachmentPart(
        bucket=mail.bucket,
        key=attachment_part_key(mail.mail_id, attachment.index),
        pair=pair,
        name=attachment.safe_name,
        content_type=attachment.content_type,
        content_id=content_id if 0 < json_bytes(content_id) <= LONGEST_CONTENT_ID else None,
        inline=attachment.inline,
        shown_as=attachment.shown_as,
    )
