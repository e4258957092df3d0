"""Removes a project in order, so that nobody who wrote is left without an answer.

    no new mail ──▶ what is under way ended and answered ──▶ data deleted ──▶ entry deleted

Every step can be done again: a removal that was cut short is taken up by calling it once more.
"""

from __future__ import annotations

from dataclasses import dataclass

from webordinary.contract.messages.base import Message
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Failure
from webordinary.tables.project_entries import ProjectEntry
from webordinary_ops.deployment import Deployment
from webordinary_ops.traces import DeletedCounts, StoredData

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
        site = "stays" if self.keep_site else "is taken down"
        return (
            f"Removes the project '{self.project_id}' ({entry.domain}). "
            f"{', '.join(entry.users) or 'Nobody'} can write to it no more; {running} jobs are ended and answered; "
            f"mails, attachments and conversations are deleted; previews are {previews}; the live site {site}."
        )

    def run(self) -> RemovalReport:
        entry = self._without_senders(self.deployment.entries.get(self.project_id))
        ended = self._end_jobs(entry)
        traces = StoredData(self.deployment)
        deleted = {pair.user: traces.delete_pair(pair, keep_previews=self.keep_previews) for pair in entry.pairs()}
        site_files = 0 if self.keep_site else traces.delete_site(self.project_id)
        for pair in entry.pairs():
            self.deployment.pair_queues.delete(pair)
        self.deployment.git_credentials.forget(self.project_id)
        self.deployment.pauses.resume(self.project_id)  # or a later project of its name would be paused
        self.deployment.entries.remove(entry)
        kept = [f"the repository {entry.repository} with the branches of its conversations"]
        if self.keep_previews:
            kept.append("its previews")
        if self.keep_site:
            kept.append("the live site and its releases")
        return RemovalReport(
            project=self.project_id, jobs_ended=ended, deleted=deleted, site_files=site_files, kept=tuple(kept)
        )

    def _without_senders(self, entry: ProjectEntry) -> ProjectEntry:
        """No address writes for it from now on. Its people stay, because their data is found by them."""
        if not entry.senders():
            return entry
        people = {user: person.model_copy(update={"addresses": ()}) for user, person in entry.people.items()}
        return self.deployment.entries.change(entry, entry.model_copy(update={"people": people}))

    def _end_jobs(self, entry: ProjectEntry) -> int:
        open_jobs = StoredData(self.deployment).open_jobs(entry.pairs())
        for record in open_jobs:
            self.deployment.tokens.conclude(record.job, PROJECT_GONE)
        return len(open_jobs)
