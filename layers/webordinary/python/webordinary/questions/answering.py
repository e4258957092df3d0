"""Reads the mails that answer a question to a publisher.

A yes counts once, and only as a reply to the mail that asked. Every other accepted mail of a thread closes the
questions that were asked in it or about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webordinary import mail as mails
from webordinary.aws.clients import Clock, Secrets
from webordinary.contract import thread_tokens
from webordinary.contract.messages.parse import QuestionReference
from webordinary.contract.outcomes import Command, RefusalReason
from webordinary.sites.screenshots import is_own_picture
from webordinary.tables.questions import Question, Questions, QuestionState
from webordinary.tables.threads import Thread, Threads

if TYPE_CHECKING:
    from webordinary.contract.messages.base import Pair
    from webordinary.contract.messages.job import Approval
    from webordinary.contract.messages.mail import RawMail
    from webordinary.mail import AnswerKind, KnownText, OpenedMail, ParsedMail


@dataclass(frozen=True)
class AnswersToQuestions:
    threads: Threads
    questions: Questions
    secrets: Secrets
    clock: Clock

    def find(self, parsed: ParsedMail, pairs: list[Pair]) -> Question | None:
        """The question whose own mail this one answers, if the sender may answer it."""
        if thread_tokens.find_thread(parsed.recipients, self.secrets()) is not None:
            return None  # it answers a later mail
        question_id = thread_tokens.find_question(parsed.recipients, self.secrets())
        if question_id is None and len(parsed.in_reply_to) == 1:
            question_id = self.threads.question_of_message(parsed.in_reply_to[0], pairs)
        question = self.questions.get(question_id) if question_id else None
        return question if question is not None and question.pair in pairs else None

    def thread_of(self, question: Question | None, pairs: list[Pair]) -> Thread | None:
        return self.threads.get(question.thread_id, pairs) if question is not None else None

    def read(
        self,
        mail: RawMail,
        thread: Thread,
        opened: OpenedMail,
        parsed: ParsedMail,
        question: Question | None,
        known: KnownText | None,
    ) -> AnswerKind | RefusalReason:
        """What a mail answers, or why it gets a reply and becomes no job."""
        # The question of an older version had no token, so a yes cannot be assigned to its mail.
        is_old = thread.has_old_question and not thread.has_mails_before(mail.delivery_id)
        if question is None and not is_old:
            return mails.AnswerKind.OTHER
        answer, now = _reading_of(opened, parsed, thread.pair, question, known), self.clock()
        if question is None:
            is_answer = answer in (mails.AnswerKind.YES, mails.AnswerKind.UNCLEAR)
            return RefusalReason.APPROVAL_EXPIRED if is_answer else mails.AnswerKind.OTHER
        is_open = question.is_open_for(mail.delivery_id, now)
        if answer is mails.AnswerKind.NO and question.state is not QuestionState.ANSWERED:
            self.questions.close([question.question_id], mail.delivery_id)
            return RefusalReason.PUBLISH_DECLINED
        if answer is mails.AnswerKind.YES and now > question.until and not is_open:
            return RefusalReason.APPROVAL_EXPIRED
        if answer is mails.AnswerKind.UNCLEAR and is_open:
            return RefusalReason.ANSWER_UNCLEAR
        return answer

    def count(self, mail: RawMail, thread: Thread, answer: AnswerKind, question: Question | None) -> Approval | None:
        """Counts the answer of an accepted mail, and closes the other questions of its thread."""
        approval, others = None, thread.questions
        if question is not None and answer is mails.AnswerKind.YES:
            approval, others = question.about, others - {question.question_id}
            if not self.questions.answer(question.question_id, mail.delivery_id):
                approval = approval.model_copy(update={"commit": "", "tree": "", "release": None})
        self.questions.close(others, mail.delivery_id)
        self.threads.note_mail(thread, mail.mail_id)
        return approval


def reference_to(question: Question) -> QuestionReference:
    return QuestionReference(
        question_id=question.question_id, thread_id=question.thread_id, pair=question.pair, subject=question.subject
    )


def asks_to_unpublish(question: Question | None) -> bool:
    return question is not None and question.about.command is Command.UNPUBLISH


def _reading_of(
    opened: OpenedMail, parsed: ParsedMail, pair: Pair, question: Question | None, known: KnownText | None
) -> AnswerKind:
    """Reads a mail as an answer. Material, another subject, or a command to publish in other words makes it unclear."""
    asked_by = question.about.asked_by if question is not None else None
    people = [(parsed.sender.name, parsed.sender.address)] if parsed.sender is not None else []
    people += [("", asked_by.sender)] if asked_by is not None else []
    names = frozenset({pair.user}).union(*(mails.sender_names(name, address) for name, address in people))
    language = (question.about.language if question is not None else None) or ""
    answer, *others = (mails.read_answer(text, names, language) for text in opened.versions(known))
    added = (attachment for attachment in parsed.attachments if not attachment.decoration)
    is_forward = parsed.is_forward or bool(parsed.forwarded_text)  # the words of others
    has_material = is_forward or any(not is_own_picture(opened.content(attachment)) for attachment in added)
    if asks_to_unpublish(question) and parsed.request.command is not Command.EDIT:
        return mails.AnswerKind.OTHER  # "publish" is not a yes to that; a command is carried out as one
    if answer is mails.AnswerKind.YES and (set(others) - {answer} or not _has_its_subject(parsed, question)):
        return mails.AnswerKind.UNCLEAR
    is_plain = answer in (mails.AnswerKind.YES, mails.AnswerKind.NO)
    if (is_plain and has_material) or (answer is mails.AnswerKind.OTHER and parsed.request.command is Command.PUBLISH):
        return mails.AnswerKind.UNCLEAR
    return answer


def _has_its_subject(parsed: ParsedMail, question: Question | None) -> bool:
    asked = question.subject if question is not None else None
    return asked is None or mails.has_subject_of(parsed.subject, asked)
