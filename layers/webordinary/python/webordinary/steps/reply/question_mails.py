"""Sends questions: to publishers about an editor's request, to a sender about a command that the agent found."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from webordinary.answers.facts import Facts
from webordinary.answers.publisher_questions import question_asked_again, question_to_publisher
from webordinary.answers.sender_questions import question_to_sender, question_to_sender_again
from webordinary.aws.clients import Clock
from webordinary.contract.errors import UnknownProjectError
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.reply import ReplyReceipt
from webordinary.contract.outcomes import Command, Failure, Result
from webordinary.questions.asking import QuestionRecorder
from webordinary.sites.screenshots import ScreenshotKind
from webordinary.steps.reply.mailer import Mailer
from webordinary.tables.conversation_records import NotedReply
from webordinary.tables.idempotency import Purpose
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.questions import Questions
from webordinary.tables.threads import Thread, Threads

ASKED_FIRST = (Command.PUBLISH, Command.UNPUBLISH)  # if the agent found them in a mail


class QuestionMails(NamedTuple):
    questions: Questions
    threads: Threads
    projects: ProjectConfigs
    mailer: Mailer
    clock: Clock

    def ask(self, job: Job, outcome: Outcome, facts: Facts, pictures: Mapping[ScreenshotKind, bytes]) -> None:
        """Asks each publisher in a new thread, before the reply that mentions them."""
        if outcome.result is not Result.PUBLISH_ASKED or not outcome.commit:
            return
        with suppress(UnknownProjectError):
            project = self.projects.project(job.pair.project)
            for user, address in sorted(project.publisher_addresses.items()):
                question = self._recorder().ask(job, Pair(project=job.pair.project, user=user), outcome)
                self.mailer.send_once(
                    f"{user}-{job.job_id}"[:80],
                    job.envelope.model_copy(update={"sender": address, "references": ()}),
                    question_to_publisher(job, outcome, facts, question.until),
                    Thread(question.thread_id, question.pair),
                    Purpose.QUESTION,
                    pictures=pictures,
                    question_id=question.question_id,
                )

    def ask_again(
        self, job: Job, outcome: Outcome, facts: Facts, pictures: Mapping[ScreenshotKind, bytes]
    ) -> ReplyReceipt | None:
        """Replies to a yes whose question no longer counts with the question about the present state."""
        if outcome.result is not Result.PUBLISH_ASKED_AGAIN or not outcome.commit or job.approved is None:
            return None
        question = self._recorder().ask_again(job, job.approved, outcome)
        is_own = job.approved.asked_by is None
        again = question_to_sender_again if is_own else question_asked_again
        answer = again(job, question.about, outcome, facts, question.until)
        thread = Thread(job.thread_id, job.pair)
        noted, asked = NotedReply.of_job(job, outcome), question.question_id
        return self.mailer.send_once(
            job.job_id, job.envelope, answer, thread, pictures=pictures, question_id=asked, noted=noted
        )

    def ask_sender(
        self, job: Job, outcome: Outcome, facts: Facts, pictures: Mapping[ScreenshotKind, bytes]
    ) -> ReplyReceipt | None:
        """Replies with a question, if the agent found a command that changes the live site."""
        if outcome.understood not in ASKED_FIRST:
            return None
        question = self._recorder().ask_sender(job, outcome)
        answer = question_to_sender(job, outcome, facts, question.until)
        thread, question_id = Thread(job.thread_id, job.pair), question.question_id
        return self.mailer.send_once(
            job.job_id, job.envelope, answer, thread, pictures=pictures, question_id=question_id
        )

    def permitted(self, job: Job, outcome: Outcome) -> Outcome:
        """A worker reports that its user is to be asked. Whether the user may answer is decided here."""
        if outcome.understood not in ASKED_FIRST:
            return outcome
        with suppress(UnknownProjectError):
            if self.projects.project(job.pair.project).can_publish(job.pair.user):
                return outcome
        return Outcome(state="failed", failure=Failure.NOT_A_PUBLISHER, language=outcome.language)

    def _recorder(self) -> QuestionRecorder:
        return QuestionRecorder(self.questions, self.threads, self.clock())
