"""Many pairs in virtual time: shipped tables and steps on the model's stand-ins, which count every call."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any, cast

from tests.model.fixtures import INDEX_KEYS, KEYS, NAMES, START
from tests.model.queue_stand_in import QueueStandIn
from tests.model.table_stand_in import TableStandIn
from tests.model.token_stand_in import TokenStandIn
from webordinary.aws.ecs_tasks import Launch, TaskNotStartedError, TaskState
from webordinary.aws.queues import Queues
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.broker import BrokerAction, BrokerAnswer, BrokerRequest, PairCredentials
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import Envelope
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import WorkerRequest
from webordinary.contract.settings import Timing
from webordinary.protocol.policies import FleetSize
from webordinary.protocol.senders import Senders
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.steps.broker import Broker
from webordinary.steps.fleet import Fleet, FleetResult
from webordinary.steps.relay_callback import RelayCallback
from webordinary.steps.sweep.sweep import Sweep, SweepResult
from webordinary.tables.budgets import Budgets
from webordinary.tables.claim_rates import ClaimRates
from webordinary.tables.idempotency import IdempotencyTable
from webordinary.tables.items import to_values
from webordinary.tables.jobs import JobsTable, JobState
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.pauses import Pauses
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.spending import Spending
from webordinary.tables.workers import Assignment, Phase, WorkersTable

TIMING = Timing.model_validate({})
SWEEP_MILLISECONDS = 55_000  # its time-out, without the reserve


@dataclass
class TasksThatStart:
    """A launch is one task, which runs until it is ended."""

    calls: Counter[str]
    definition: str = "workers:1"
    started: dict[str, Launch] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    limit: int | None = None  # of tasks that run at the same time

    def run(self, launch: Launch) -> str:
        self.calls["run_task"] += 1
        if self.limit is not None and len(self.started) - len(self.ended) >= self.limit:
            raise TaskNotStartedError(launch, "the quota of vCPUs is reached")
        self.started[f"task-{launch.launch_id}"] = launch
        return f"task-{launch.launch_id}"

    def stop(self, task_id: str, _reason: str) -> None:
        self.ended.add(task_id)

    def states(self, task_ids: Any) -> dict[str, TaskState]:
        return {one: TaskState.ENDED if one in self.ended else TaskState.RUNNING for one in task_ids}


@dataclass
class Visit:
    """A worker and the job that it runs."""

    task_id: str
    launch: Launch
    job: Job
    ends_at: int


class BigWorld:
    def __init__(self, maximum: int = 0, milliseconds_per_call: int = 0) -> None:
        self.now = 0
        self.calls: Counter[str] = Counter()
        self.fleet_calls = 0
        self._milliseconds_per_call = milliseconds_per_call
        self.table = TableStandIn(KEYS, INDEX_KEYS)
        self.table.page_size = 50_000
        self.queue_service = QueueStandIn(lambda: self.now, Random(1))  # noqa: S311 (repeatable)
        self.tokens = TokenStandIn(lambda: self.now, TIMING.heartbeat_seconds * 1000)
        client: Any = self.table
        self.jobs = JobsTable(client, NAMES, self.clock)
        self.ownership = OwnershipTable(client, NAMES, TIMING, self.clock)
        self.workers = WorkersTable(client, NAMES, TIMING, self.clock)
        self.pauses = Pauses(client, NAMES, self.clock)
        self.queues = Queues(cast(Any, self.queue_service), NAMES)
        self.worker_requests = WorkerRequests(
            client,
            self.queues,
            NAMES,
            TIMING,
            self.clock,
            lambda: 0.0,
            on_sent=self._call_fleet,
            is_paused=self.pauses.is_paused,
            is_fleet_full=self.workers.is_full,
        )
        self.tasks = TasksThatStart(self.calls)
        self.size = FleetSize(maximum)
        self.visits: list[Visit] = []
        self._launches = 0
        for service in (self.table, self.queue_service, self.tokens):
            cast(Any, service).before_call = self._count

    def clock(self) -> datetime:
        return START + timedelta(milliseconds=self.now)

    def wait(self, seconds: float) -> None:
        self.now += int(seconds * 1000)

    def _count(self, call: str) -> None:
        self.calls[call] += 1
        self.now += self._milliseconds_per_call

    def _call_fleet(self) -> None:
        self.fleet_calls += 1

    def _new_launch(self) -> str:
        self._launches += 1
        return f"{self._launches:05}"

    def pause(self) -> None:
        self.table.put_item(TableName=NAMES.table("project_configs"), Item=to_values({"pk": "pause"}))

    def resume(self) -> None:
        self.table.delete_item(TableName=NAMES.table("project_configs"), Key=to_values({"pk": "pause"}))

    # ── mails and functions ─────────────────────────────────────────────────────────────────────────────────────

    def receive_mails(self, number: int) -> None:
        """One waiting job for each of so many pairs, each with a project of its own."""
        configs = NAMES.table("project_configs")
        for index in range(number):
            pair = pair_of(index)
            item = {"pk": f"project#{pair.project}", "projectId": pair.project, "users": [pair.user]}
            self.table.put_item(TableName=configs, Item=to_values(item))
            self._receive(job_of(pair, self.clock() + timedelta(microseconds=index)))
        self.calls.clear()

    def receive_burst(self, pair: Pair, number: int) -> list[str]:
        """So many mails of one pair within a second. Returns the ids of their jobs."""
        jobs = [job_of(pair, self.clock() + timedelta(milliseconds=index), f"burst-{index}") for index in range(number)]
        for job in jobs:
            self._receive(job)
        return [job.job_id for job in jobs]

    def _receive(self, job: Job) -> None:
        self.tokens.begin(job.job_id)
        self.jobs.record(job, job.job_id)
        self.queues.send_in_order("input", job, group=job.pair.key, deduplication_id=job.job_id, pair=job.pair)

    def sweep(self, milliseconds: int = SWEEP_MILLISECONDS) -> SweepResult:
        ends_at = self.now + milliseconds
        client: Any = self.table
        tokens = TaskTokens(cast(Any, self.tokens), self.jobs)
        checkpoints = IdempotencyTable(client, NAMES, self.clock)
        budgets = Budgets(checkpoints, Spending(client, NAMES, self.clock))
        step = Sweep(
            jobs=self.jobs,
            ownership=self.ownership,
            worker_requests=self.worker_requests,
            queues=self.queues,
            tokens=tokens,
            checkpoints=checkpoints,
            projects=ProjectConfigs(client, NAMES),
            relay=RelayCallback(self.jobs, tokens, Senders(self.ownership), budgets, self.queues),
            clock=self.clock,
            pauses=self.pauses,
            batch=100,
        )
        return step.run(lambda: self.now < ends_at)

    def fleet(self) -> FleetResult:
        step = Fleet(
            self.workers,
            self.worker_requests,
            self.ownership,
            cast(Any, self.tasks),
            self.size,
            TIMING,
            self.clock,
            self._new_launch,
        )
        return step.run()

    def ask_broker(self, action: BrokerAction) -> BrokerAnswer:
        """A call of the first started worker."""
        task_id, launch = next(iter(self.tasks.started.items()))
        client: Any = self.table
        step = Broker(
            workers=self.workers,
            queues=self.queues,
            jobs=self.jobs,
            ownership=self.ownership,
            worker_requests=self.worker_requests,
            open_session=self._credentials_of,
            timing=TIMING,
            is_paused=self.pauses.is_paused,
            clock=self.clock,
            monotonic=lambda: self.now / 1000,
            claims=ClaimRates(client, NAMES),
        )
        request = BrokerRequest(ask=action, slot=launch.slot, launch_id=launch.launch_id)
        return step.run(request, task_id, f"call-{action}")

    def _credentials_of(self, pair: Pair, _task_id: str) -> PairCredentials:
        ends_at = self.clock() + timedelta(hours=1)
        return PairCredentials(access_key_id="key", secret_access_key="", session_token=pair.key, expires_at=ends_at)

    # ── workers ─────────────────────────────────────────────────────────────────────────────────────────────────

    def serve(self, job_seconds: float) -> int:
        """Every started worker takes a pair and runs its job; those whose job is over report it and leave."""
        finished = [visit for visit in self.visits if visit.ends_at <= self.now]
        self.visits = [visit for visit in self.visits if visit.ends_at > self.now]
        for visit in finished:
            self._finish(visit)
        busy = {visit.task_id for visit in self.visits} | self.tasks.ended
        for task_id, launch in self.tasks.started.items():
            if task_id not in busy and not self._take(task_id, launch, job_seconds):
                break
        return len(finished)

    def _next_request(self) -> WorkerRequest | None:
        """Drops requests of pairs that were served meanwhile, as the broker does."""
        while received := self.queues.receive("unclaimed", wait_seconds=0, visibility_seconds=60):
            self.queues.delete("unclaimed", received)
            request = WorkerRequest.read(received.body)
            if self.jobs.get(request.pair, request.job_id).state is JobState.WAITING:
                return request
        return None

    def _take(self, task_id: str, launch: Launch, job_seconds: float) -> bool:
        """False if no pair waits."""
        entry, request = self.workers.entry(launch.slot), self._next_request()
        if entry is None or request is None:
            return False
        fence = self.ownership.claim(request.pair, task_id).fence
        idle = self.workers.move(entry, task_id, Phase.IDLE, "register", None)
        self.workers.move(idle, task_id, Phase.BUSY, "claim", Assignment(request.pair, request.job_id))
        self.worker_requests.clear(request.pair)
        job = self.jobs.start(request.pair, request.job_id, fence).job
        self.visits.append(Visit(task_id, launch, job, self.now + int(job_seconds * 1000)))
        return True

    def _finish(self, visit: Visit) -> None:
        pair, job_id = visit.job.pair, visit.job.job_id
        owner = self.ownership.inspect(pair)
        record = self.jobs.finish(pair, job_id, owner.fence, Outcome(state="done"))
        TaskTokens(cast(Any, self.tokens), self.jobs).settle(record)
        self.ownership.release_lease(owner)
        entry = self.workers.entry(visit.launch.slot)
        if entry is not None:
            self.workers.move(entry, visit.task_id, Phase.GONE, "gone", None)
        self.tasks.ended.add(visit.task_id)

    def renew_leases(self) -> None:
        for visit in self.visits:
            self.ownership.renew(self.ownership.inspect(visit.job.pair))


def pair_of(index: int) -> Pair:
    return Pair(project=f"site-{index}", user="ada")


def job_of(pair: Pair, received_at: datetime, job_id: str = "") -> Job:
    job_id = job_id or f"mail-of-{pair.project}"
    envelope = Envelope(sender="ada@example.com", recipient="edit@example.org", subject="", message_id=f"<{job_id}>")
    return Job(
        job_id=job_id, pair=pair, thread_id="a" * 26, instruction="Please.", envelope=envelope, received_at=received_at
    )
