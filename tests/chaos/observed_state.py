"""The state after a run: tables, queues, mailbox, git remotes and previews."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from local.runtime.events import Event, milestone
from local.stack.observed_state import deployed_page
from local.stack.stack import Stack
from tests.chaos.mail_streams import SentMail
from tests.chaos.plan import Plan, PlannedMail
from tests.chaos.tables import Tables
from webordinary.contract.errors import UnknownJobError
from webordinary.contract.messages.base import Pair
from webordinary.tables.jobs import JobRecord

SOURCE, PAGE = "src/pages/index.astro", "index.html"
JOB_TRAILER = "Webordinary-Job"


@dataclass(frozen=True)
class ObservedMail:
    """The result of one mail. `decisions` counts how often the relay ended its job."""

    mail: PlannedMail
    job_id: str = ""
    state: str = "never sent"
    is_final: bool = False
    is_settled: bool = False
    decisions: int = 0
    attempts: int = 0
    replies: int = 0
    commits: int = 0
    in_source: int = 0
    in_preview: int = 0
    has_preview_link: bool = False
    seconds: float | None = None


@dataclass(frozen=True)
class PairLease:
    pair: str
    container_id: str
    is_live: bool
    container_runs: bool


@dataclass(frozen=True)
class ObservedState:
    mails: tuple[ObservedMail, ...]
    queues: dict[str, int]
    leases: tuple[PairLease, ...]
    fences: dict[str, tuple[int, ...]]
    peak_workers: int = 0
    maximum: int = 0


@dataclass(frozen=True)
class Inspector:
    stack: Stack
    tables: Tables
    plan: Plan
    since: int

    def gather(self, sent: list[SentMail]) -> ObservedState:
        by_number = {found.mail.number: found for found in sent}
        return ObservedState(
            mails=tuple(
                self._mail(by_number[mail.number]) if mail.number in by_number else ObservedMail(mail)
                for mail in self.plan.mails
            ),
            queues=self.tables.messages_left(self._pairs()),
            leases=tuple(self._leases()),
            fences={pair.key: self._fences(pair) for pair in self._pairs()},
            peak_workers=self.stack.workers.peak,
            maximum=self.stack.settings.max_workers,
        )

    def pending_work(self) -> list[str]:
        """What is still in progress; empty when the system is idle."""
        pending = [f"{name} holds {count}" for name, count in self.tables.messages_left(self._pairs()).items()]
        pending += [f"{job.job_id} is {job.state}" for job in self.tables.jobs.open_jobs()]
        pending += [
            f"{lease.pair} is leased by the stopped worker {lease.container_id}"
            for lease in self._leases()
            if lease.is_live and not lease.container_runs
        ]
        return pending

    def _mail(self, sent: SentMail) -> ObservedMail:
        record, thread = self._record(sent), self._thread(sent)
        replies = self.stack.mailbox.replies_to(sent.message_id)
        of_job = self._events(sent)
        branch, project = f"thread-{thread}", sent.mail.writer.project
        remote = self.stack.remotes[project]
        pushed = branch in remote.branches()
        ids = (
            remote.git("log", f"--format=%(trailers:key={JOB_TRAILER},valueonly)", f"main..{branch}") if pushed else ""
        )
        link = record.outcome.preview_url if record and record.outcome else None
        return ObservedMail(
            mail=sent.mail,
            job_id=sent.job_id,
            state=record.state.value if record else "unknown",
            is_final=record is not None and record.state.is_final,
            is_settled=record is not None and record.task_token is None,
            decisions=sum(event.milestone == "job_ended" for event in of_job),
            attempts=sum(event.milestone == "agent_started" for event in of_job),
            replies=len(replies),
            commits=ids.split().count(sent.job_id),
            in_source=remote.show(branch, SOURCE).count(sent.mail.marker) if pushed else 0,
            in_preview=deployed_page(self.stack, project, thread, PAGE).count(sent.mail.marker),
            has_preview_link=link is not None and any(link in reply.text for reply in replies),
            seconds=_seconds(of_job),
        )

    def _record(self, sent: SentMail) -> JobRecord | None:
        try:
            return self.tables.jobs.get(sent.pair, sent.job_id)
        except UnknownJobError:
            return None

    def _thread(self, sent: SentMail) -> str:
        dispatched = [event for event in self._events(sent) if event.milestone == "job_dispatched"]
        return str(dispatched[0].fields["thread_id"]) if dispatched else "none"

    def _events(self, sent: SentMail) -> list[Event]:
        return self.stack.events.all(lambda event: event.job_id == sent.job_id, since=self.since)

    def _leases(self) -> list[PairLease]:
        running, now = self.stack.workers.task_ids(), datetime.now(UTC)
        records = [self.tables.ownership.inspect(pair) for pair in self._pairs()]
        return [
            PairLease(
                pair=record.pair.key,
                container_id=record.container_id,
                is_live=record.is_live(now, self.tables.ownership.clock_margin),
                container_runs=record.container_id in running,
            )
            for record in records
            if record.container_id is not None
        ]

    def _fences(self, pair: Pair) -> tuple[int, ...]:
        claims = self.stack.events.all(milestone("pair_claimed", pair=pair.key), since=self.since)
        return tuple(int(event.fields["fence"]) for event in claims)

    def _pairs(self) -> list[Pair]:
        return [Pair.from_key(key) for key in sorted({mail.writer.pair for mail in self.plan.mails})]


def _seconds(events: list[Event]) -> float | None:
    accepted = [event.at for event in events if event.milestone == "mail_accepted"]
    answered = [event.at for event in events if event.milestone == "reply_sent"]
    return answered[0] - accepted[0] if accepted and answered else None
