"""Sends the mails that are not replies: news to the editor who asked, notes to the site's developer."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from webordinary.answers.blocks import Answer
from webordinary.answers.developer_notes import note_about_empty_folders, note_about_failure, note_about_lock
from webordinary.answers.facts import Facts
from webordinary.answers.publisher_questions import concerns_requester, notice_to_requester
from webordinary.contract.errors import UnknownProjectError
from webordinary.contract.messages.job import Approval, Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Result
from webordinary.steps.reply.mailer import Mailer
from webordinary.tables.idempotency import Purpose
from webordinary.tables.projects import ProjectConfigs


class Notices(NamedTuple):
    projects: ProjectConfigs
    mailer: Mailer

    def send(self, job: Job, outcome: Outcome, facts: Facts) -> None:
        if facts.developer:
            self._notify_developer(facts.developer, job, note_about_failure(job, outcome), job.job_id)
        self._send_repository_notes(job, outcome)
        if job.approved is not None and concerns_requester(outcome):
            self._notify_editor(job.pair.project, job.approved, outcome, facts)

    def _notify_editor(self, project_id: str, approved: Approval, outcome: Outcome, facts: Facts) -> None:
        """Notifies the editor once, however many publishers approved."""
        if approved.asked_by is None:
            return
        about = [approved.thread_id, approved.commit, *([outcome.failure.value] if outcome.failure else [])]
        if outcome.result is Result.PUBLISH_ASKED_AGAIN:
            about = [approved.thread_id, outcome.commit or "", Result.PUBLISH_ASKED_AGAIN.value]
        news = notice_to_requester(approved, outcome, facts)
        thread_id = approved.thread_id
        self.mailer.notify_once(Purpose.NEWS, ".".join(about), approved.asked_by, news, project_id, thread_id=thread_id)

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
        envelope = job.envelope.model_copy(update={"sender": developer, "references": ()})
        self.mailer.notify_once(Purpose.NOTE, about, envelope, note, job.pair.project)
