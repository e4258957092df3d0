"""Records questions before their mails are sent: about an editor's request, or about the sender's own."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from webordinary.answers.languages import language_of
from webordinary.contract import thread_tokens
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Approval, Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Command
from webordinary.contract.sizes import cut
from webordinary.contract.values import limit
from webordinary.tables.questions import Question, Questions
from webordinary.tables.threads import Threads


class QuestionRecorder(NamedTuple):
    questions: Questions
    threads: Threads
    now: datetime

    def ask(self, job: Job, publisher: Pair, outcome: Outcome) -> Question:
        """Asks a publisher about the thread of an editor's job, in a new thread."""
        about = Approval(
            thread_id=job.thread_id,
            commit=outcome.commit or "",
            tree=outcome.tree or "",
            subject=_subject_of(outcome),
            asked_by=job.envelope,
            shown=outcome.digest_of_question(),
            language=language_of(job.language).code,
        )
        return self._record(job, publisher, self.threads.open_for_question(publisher).thread_id, about)

    def ask_sender(self, job: Job, outcome: Outcome) -> Question:
        """Asks the sender, who may publish, about what the agent understood."""
        about = Approval(
            thread_id=job.thread_id,
            command=outcome.understood or Command.PUBLISH,
            commit=outcome.commit or "",
            tree=outcome.tree or "",
            release=outcome.release,
            subject=_subject_of(outcome),
            language=language_of(outcome.language, job.language).code,
        )
        return self._record(job, job.pair, job.thread_id, about)

    def ask_again(self, job: Job, answered: Approval, outcome: Outcome) -> Question:
        """Asks the publisher of a job about the present state of the thread that an answered question was about."""
        present = {
            "commit": outcome.commit or "",
            "tree": outcome.tree or "",
            "subject": _subject_of(outcome),
            "shown": outcome.digest_of_question(),
            "is_checked": outcome.preview_url is not None,
        }
        return self._record(job, job.pair, job.thread_id, answered.model_copy(update=present))

    def _record(self, job: Job, publisher: Pair, thread_id: str, about: Approval) -> Question:
        question_id = thread_tokens.question_id(job.job_id, publisher.user)
        until = self.now + timedelta(days=limit("approval_days"))
        subject = job.envelope.subject  # its mail gets the same
        question = self.questions.ask(Question(question_id, publisher, thread_id, about, until, subject=subject))
        threads = sorted({question.thread_id, about.thread_id})
        named = [self.threads.add_question(one, question.question_id, job) for one in threads]
        if not all(named):
            # A mail came while the job ran. The question is about the past; a yes asks again.
            self.questions.close([question.question_id], job.job_id)
        return question


def _subject_of(outcome: Outcome) -> str:
    # The approval becomes a part of an execution's input.
    return cut(outcome.subject, limit("phrase_characters"))
