"""Removes a project in an order that leaves no mail unanswered.

    reject new mail ──▶ end and answer open jobs ──▶ delete data ──▶ delete entry

Every step is idempotent: an interrupted removal is finished by running it again.
"""

from __future__ import annotations

from dataclasses import dataclass

from webordinary.contract.messages.base import Message
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Failure
from webordinary.tables.project_entries import ProjectEntry
from webordinary_ops.deployment import Deployment
from webordinary_ops.stored_data import DeletedCounts, StoredData

PROJECT_GONE = Outcome(state="failed", failure=Failure.PROJECT_GONE)


class RemovalReport(Message):
    project: str
    jobs_ended: int
    deleted: dict[str, DeletedCounts]
    site_files: int
    kept: tuple[str, ...]


@dataclass(frozen=True)
class Offboarding:
    deployment: Deployment
    project_id: str
    keep_previews: bool = False
    keep_site: bool = False

    def announcement(self) -> str:
        entry = self.deployment.entries.get(self.project_id)
        running = len(StoredData(self.deployment).open_jobs(entry.pairs()))
        previews = "kept" if self.keep_previews else "deleted"
        site = "kept" if self.keep_site else "deleted"
        return (
            f"Removes the project '{self.project_id}' ({entry.domain}). "
            f"Access ends for {', '.join(entry.users) or 'no users'}; {running} open jobs are ended and answered; "
            f"mails, attachments and threads are deleted; previews are {previews}; the live site is {site}."
        )

    def run(self) -> RemovalReport:
        entry = self._remove_senders(self.deployment.entries.get(self.project_id))
        ended = self._end_jobs(entry)
        data = StoredData(self.deployment)
        deleted = {pair.user: data.delete_pair(pair, keep_previews=self.keep_previews) for pair in entry.pairs()}
        site_files = 0 if self.keep_site else data.delete_site(self.project_id)
        for pair in entry.pairs():
            self.deployment.pair_queues.delete(pair)
        self.deployment.git_credentials.forget(self.project_id)
        self.deployment.model_profiles.delete(entry.model_profiles)
        self.deployment.pauses.resume(self.project_id)  # a new project of this name must not start paused
        self.deployment.entries.remove(entry)
        kept = [f"the repository {entry.repository} with its thread branches"]
        kept.append("what it cost, for 14 months")
        if self.keep_previews:
            kept.append("its previews")
        if self.keep_site:
            kept.append("the live site and its releases")
        return RemovalReport(
            project=self.project_id, jobs_ended=ended, deleted=deleted, site_files=site_files, kept=tuple(kept)
        )

    def _remove_senders(self, entry: ProjectEntry) -> ProjectEntry:
        """Removes all sender addresses, but keeps the users: their data is found by them."""
        if not entry.senders():
            return entry
        people = {user: person.model_copy(update={"addresses": ()}) for user, person in entry.people.items()}
        return self.deployment.entries.change(entry, entry.model_copy(update={"people": people}))

    def _end_jobs(self, entry: ProjectEntry) -> int:
        open_jobs = StoredData(self.deployment).open_jobs(entry.pairs())
        for record in open_jobs:
            self.deployment.tokens.conclude(record.job, PROJECT_GONE)
        return len(open_jobs)
