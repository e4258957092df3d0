"""A small world in virtual time: mails, executions, functions and workers over shared tables and queues.

All decisions are made by shipped code: tables, steps, task tokens and the worker protocol. DynamoDB, SQS, ECS and
Step Functions are stand-ins in memory, and a job's work is a few sleeps.

Each step is one choice: an actor makes its next remote call, a process dies or pauses, a mail arrives, or an
asynchronous AWS event happens.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any, cast

from tests.model import promises
from tests.model.broker_connection import credentials_for
from tests.model.ecs import GRACE, NEVER, EcsStandIn
from tests.model.executions import Executions
from tests.model.faults import Faults
from tests.model.fixtures import FLEETS, INDEX_KEYS, KEYS, NAMES, PAIRS, START, TIMING, project_item
from tests.model.monitor import Monitor
from tests.model.processes import Process, Tables, start
from tests.model.queue_stand_in import QueueStandIn
from tests.model.scheduler import Actor, current_actor
from tests.model.table_stand_in import UnreliableTable
from tests.model.token_stand_in import TokenStandIn
from webordinary.aws.queues import Queues
from webordinary.protocol.policies import FleetSize
from webordinary.protocol.senders import Senders
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.steps.broker import Broker
from webordinary.steps.fleet import Fleet
from webordinary.steps.relay_callback import RelayCallback
from webordinary.steps.sweep.sweep import Sweep
from webordinary.tables.budgets import Budgets
from webordinary.tables.claim_rates import ClaimRates
from webordinary.tables.fleet_decisions import FleetDecisions
from webordinary.tables.idempotency import IdempotencyTable
from webordinary.tables.items import to_values
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.spending import Spending
from webordinary.tables.workers import WorkersTable

# Without faults the next run of the fleet starts a worker for a request if a slot is free.
LONGEST_REQUEST_WAIT = 2 * TIMING.sweep_seconds * 1000


class World:
    def __init__(self, seed: int, faults: Faults) -> None:
        self.random = Random(seed)  # noqa: S311 (a run must be repeatable)
        self.now = 0
        self.steps = 0
        self.sent_again = 0
        self.killed = 0
        self.faults = faults
        self.monitor = Monitor(NAMES, TIMING, PAIRS)
        self.processes: list[Process] = []
        self._functions: list[Actor] = []
        self._delayed: list[tuple[int, Callable[[], None]]] = []
        self._callers: list[tuple[Actor, Actor]] = []
        self._next_sweep = 0
        self._relay_again_at = 0
        self._requests_wait_since: int | None = None
        self.maximum, self.spare, self.policy = faults.size or self.random.choice(FLEETS)
        self._build()

    def _build(self) -> None:
        faults = self.faults
        self.table = UnreliableTable(KEYS, INDEX_KEYS)
        self.table.lagging = faults.index_lags
        self.table.fault, self.table.later = self._fault, self.later
        for pair in PAIRS:
            self.table.put_item(TableName=NAMES.table("project_configs"), Item=to_values(project_item(pair.project)))
        self.table.on_change = self.monitor.table_written
        self.queues = QueueStandIn(lambda: self.now, self.random)
        self.queues.duplicates = faults.duplicates
        self.queues.on_change = self.monitor.message_sent
        if faults.duplicates:
            # Harsher than AWS: the relay must handle reports in any order, not only duplicates.
            self.queues.out_of_order = frozenset({NAMES.queue("output")})
        if faults.dead_letters:
            self.queues.dead_letters = {
                NAMES.queue("unclaimed"): NAMES.queue("unclaimed_dead_letters"),
                **{NAMES.queue("input", pair): NAMES.queue("input_dead_letters") for pair in PAIRS},
            }
        self.task_tokens = TokenStandIn(lambda: self.now, TIMING.heartbeat_seconds * 1000)
        for client in (self.table, self.queues, self.task_tokens):
            client.before_call = self._before_call
        clock = self.clock(0)
        tables = self.tables(clock)
        tokens = TaskTokens(cast(Any, self.task_tokens), tables.jobs)
        checkpoints = IdempotencyTable(cast(Any, self.table), NAMES, clock)
        projects = ProjectConfigs(cast(Any, self.table), NAMES)
        self.jobs = tables.jobs
        self._reports = tables.queues
        budgets = Budgets(checkpoints, Spending(cast(Any, self.table), NAMES, clock))
        self._relay = RelayCallback(tables.jobs, tokens, Senders(tables.ownership), budgets, tables.queues)
        self._sweep = Sweep(
            jobs=tables.jobs,
            ownership=tables.ownership,
            worker_requests=tables.worker_requests,
            queues=tables.queues,
            tokens=tokens,
            checkpoints=checkpoints,
            projects=projects,
            relay=self._relay,
            clock=clock,
        )
        self.executions = Executions(self, tables, tokens, clock)
        self.ecs = EcsStandIn(self)
        self.ecs.before_call = self._before_call
        size = FleetSize(self.maximum, self.spare, self.policy, spot_weight=1)
        self._launches = 0
        self.broker = self._broker(tables, clock)
        self._fleet = Fleet(
            tables.workers,
            self._worker_requests(clock),
            tables.ownership,
            cast(Any, self.ecs),
            size,
            TIMING,
            clock,
            self._new_launch,
            claims=ClaimRates(cast(Any, self.table), NAMES),
            decisions=FleetDecisions(cast(Any, self.table), NAMES),
        )
        self.call_fleet()

    # ── steps and faults ─────────────────────────────────────────────────────────────────────────────────────────────

    def run(self, steps: int) -> None:
        """Runs that many steps with faults, then without faults until every mail is answered."""
        try:
            while self.steps < steps:
                self.step()
            self._stop_faults()
            self._wait_until_settled()
        finally:
            for actor in self._actors():
                actor.kill()

    def step(self) -> None:
        self.steps += 1
        self._inject_faults()
        self._advance_aws()
        runnable = [actor for actor in self._actors() if not actor.paused and actor.wakes_at <= self.now]
        if runnable:
            self._choose(runnable).step()
            self.now += self.random.randint(0, 150)
        else:
            self.now = max(self.now + 1, self._next_event())
        self.monitor.now = self.now
        self._remove_finished_processes()
        self.executions.advance()
        promises.require_one_owner(self)
        promises.require_maximum(self)
        if not self.faults.sweeps:
            promises.require_waiting_jobs_handled(self)

    def _inject_faults(self) -> None:
        self._kill_a_function()
        self._lose_a_message()
        if self._chance(self.faults.new_definition):
            self.ecs.definition = f"{self.ecs.definition}+"
        if self.processes and self._inject_worker_fault(self.random.choice(self.processes)):
            return
        if self._chance(self.faults.mail_arrives):
            self.executions.receive_mail(self.random.choice(PAIRS))

    def _inject_worker_fault(self, process: Process) -> bool:
        """Returns whether the fault is a mail that arrives while the worker leaves."""
        self._kill_or_pause_worker(process)
        leaving = process.host.leaving_pair
        if not (leaving and self._chance(self.faults.mail_meets_leaving_worker)):
            return False
        self.executions.receive_mail(leaving)
        process.actors[0].weight = 1  # gives the mail a chance to overtake the worker
        return True

    def _kill_or_pause_worker(self, process: Process) -> None:
        if process.is_paused:
            return  # else hardly any would resume
        faults, host = self.faults, process.host
        sending = any(actor.about_to == "send_message" for actor in process.actors)
        dies = max(faults.worker_dies, bool(host.opening_pair) * faults.worker_dies_opening_pair)
        if self._chance(max(dies, sending * faults.dies_before_sending)):
            self.monitor.note(f"{host.container_id} dies")
            self._end(process)
        elif self._chance(max(faults.worker_pauses, sending * faults.worker_pauses_before_sending)):
            process.pause(self.now, self.now + self.random.choice(faults.pauses))
            self.monitor.note(f"{host.container_id} pauses until {process.resumes_at / 1000}s")
        elif self._chance(faults.worker_hangs):
            process.pause(self.now, NEVER)
            self.monitor.note(f"{host.container_id} hangs")
        elif self._chance(faults.shutdown_requested):
            process.request_shutdown()
        for actor in process.actors:
            if actor.is_calling_as("renewal") and self._chance(faults.renewal_hangs):
                actor.hang(self.now + self.random.choice([20_000, 40_000, 50_000]))

    def _kill_a_function(self) -> None:
        if not self._functions:
            return
        actor = self.random.choice(self._functions)
        sending = actor.about_to == "send_message"
        dies = max(self.faults.function_dies, (actor.name == "broker" and not sending) * self.faults.broker_dies)
        if self._chance(max(dies, sending * self.faults.dies_before_sending)):
            self.monitor.note(f"{actor.name} dies")
            actor.kill()

    def _lose_a_message(self) -> None:
        """An input queue loses one of its messages, visible or in flight."""
        if not self._chance(self.faults.message_lost):
            return
        messages = self.queues.messages(NAMES.queue("input", self.random.choice(PAIRS)))
        if messages:
            lost = self.random.choice(messages)
            messages.remove(lost)
            self.monitor.note(f"a message is lost: {lost.body[:40]}")

    def _chance(self, chance: float) -> bool:
        return self.random.random() < chance

    def _advance_aws(self) -> None:
        for process in self.processes:
            for actor in process.actors:
                actor.paused = actor.paused and process.resumes_at > self.now
        if self._chance(0.2):
            self.table.catch_up()
        for item in self.table.items(NAMES.table("ownership")):
            # TTL deletion lags by up to hours on AWS, here by a few steps.
            if int(item["ttl"]["N"]) < (START.timestamp() + self.now / 1000) and self.random.random() < 0.02:
                self.table.remove(NAMES.table("ownership"), item)
        due = [copy for copy in self._delayed if copy[0] <= self.now]
        self._delayed = [copy for copy in self._delayed if copy[0] > self.now]
        for _, copy in due:
            copy()
        for caller, function in self._callers:
            if function.finished:
                caller.wakes_at = self.now
        self._callers = [call for call in self._callers if not call[1].finished]
        self._functions = [actor for actor in self._functions if not actor.finished]
        if self._chance(self.faults.relay_stalls):
            self._relay_again_at = self.now + self.random.choice([30_000, 90_000, 150_000])
        reports = self.queues.messages(NAMES.queue("output"))
        if reports and self.now >= self._relay_again_at and self._chance(0.3):
            self.invoke("relay", self._relay_one)
        if self.faults.sweeps and self.now >= self._next_sweep:
            self._next_sweep = self.now + TIMING.sweep_seconds * 1000
            self.invoke("sweep", self._sweep_once)
            self.invoke("fleet", self._fleet.run)  # on AWS one schedule starts both
        for task in self.ecs.due():
            task.running = True
            self.processes.append(start(self, task))

    def _sweep_once(self) -> None:
        done = self._sweep.run(self._has_time)
        self.sent_again += done.sent_again
        self.monitor.require(done.not_done + done.unreadable == 0, "the sweep skipped a record")

    def _has_time(self) -> bool:
        return self.random.random() >= self.faults.sweep_runs_out_of_time

    def _relay_one(self) -> None:
        received = self._reports.receive("output", wait_seconds=0, visibility_seconds=30)
        if received is not None:
            self._relay.run(received.body, received.group, received.sender_id)
            self._reports.delete("output", received)

    # ── processes ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _end(self, process: Process) -> None:
        """Ends the task; the ECS event invokes the fleet."""
        process.kill()
        self.processes.remove(process)
        self.ecs.end(process.host.container_id)
        self.call_fleet(process.host.container_id)

    def stop_task(self, task_id: str, reason: str) -> None:
        """StopTask: requests the shutdown of the process, or prevents its start."""
        found = [process for process in self.processes if process.host.container_id == task_id]
        if not found:
            self.ecs.end(task_id)
            return
        host = found[0].host
        busy = host.is_busy or task_id in self.monitor.pair_of_task
        healthy = not self.ecs.was_reported_unhealthy(task_id)
        self.monitor.require(not (busy and healthy), f"{task_id} was stopped while it was busy: {reason}")
        self.monitor.note(f"{task_id} is stopped: {reason}")
        found[0].request_shutdown()
        if self.faults.health_checks:
            self._delayed.append((self.now + GRACE, partial(self._kill, found[0])))

    def _kill(self, process: Process) -> None:
        """SIGKILL after the grace period."""
        if process in self.processes:
            self.monitor.note(f"{process.host.container_id} is killed")
            self.killed += 1
            self._end(process)

    def call_fleet(self, *tasks: str) -> None:
        """For a request or the end of a task: this run does not read the states of all tasks."""
        if not self._chance(self.faults.fleet_call_lost):
            self.invoke("fleet", partial(self._fleet.run, tasks=tasks))

    def later(self, call: Callable[[], object]) -> None:
        self._delayed.append((self.now + self.random.randint(100, 90_000), cast(Callable[[], None], call)))

    def _new_launch(self) -> str:
        self._launches += 1
        return f"launch-{self._launches}"

    def _remove_finished_processes(self) -> None:
        for process in list(self.processes):
            if process.actors[0].finished:
                self._end(process)
            else:
                process.actors[:] = [actor for actor in process.actors if not actor.finished]

    def tables(self, clock: Callable[[], datetime]) -> Tables:
        client = cast(Any, self.table)
        queues = Queues(cast(Any, self.queues), NAMES)
        return Tables(
            ownership=OwnershipTable(client, NAMES, TIMING, clock),
            jobs=JobsTable(client, NAMES, clock),
            worker_requests=self._worker_requests(clock, self.call_fleet),
            queues=queues,
            workers=WorkersTable(client, NAMES, TIMING, clock),
        )

    def _worker_requests(
        self, clock: Callable[[], datetime], on_sent: Callable[[], None] = lambda: None
    ) -> WorkerRequests:
        queues = Queues(cast(Any, self.queues), NAMES)
        client = cast(Any, self.table)
        is_fleet_full = WorkersTable(client, NAMES, TIMING, clock).is_full
        return WorkerRequests(
            client, queues, NAMES, TIMING, clock, self.random.random, on_sent, is_fleet_full=is_fleet_full
        )

    def _broker(self, tables: Tables, clock: Callable[[], datetime]) -> Broker:
        return Broker(
            workers=tables.workers,
            queues=tables.queues,
            jobs=tables.jobs,
            ownership=tables.ownership,
            worker_requests=tables.worker_requests,
            open_session=lambda pair, container_id: credentials_for(pair, container_id, self),
            timing=TIMING,
            clock=clock,
            monotonic=lambda: self.now / 1000,
            claims=ClaimRates(cast(Any, self.table), NAMES),
        )

    # ── scheduling ───────────────────────────────────────────────────────────────────────────────────────────────────

    def invoke(self, name: str, body: Callable[[], object]) -> Actor:
        actor = Actor(name, cast(Callable[[], None], body))
        actor.weight = self.random.choice([1, 4, 30])
        self._functions.append(actor)
        return actor

    def running(self, function: str) -> list[Actor]:
        return [actor for actor in self._functions if actor.name == function and not actor.finished]

    def call_back(self, caller: Actor, function: Actor) -> None:
        """Wakes the caller when the function has ended, with or without an error."""
        self._callers.append((caller, function))

    def sleep(self, milliseconds: int) -> None:
        """Called by an actor."""
        actor = current_actor()
        if actor is not None:
            actor.wakes_at = self.now + milliseconds
            actor.pause_before("sleep")

    def clock(self, skew: int) -> Callable[[], datetime]:
        return lambda: START + timedelta(milliseconds=self.now + skew)

    def _actors(self) -> list[Actor]:
        threads = [actor for process in self.processes for actor in process.actors]
        return [actor for actor in threads + self._functions if not actor.finished]

    def _choose(self, runnable: list[Actor]) -> Actor:
        """Weighted, and weights change: with equal chances no actor would make four calls while another waits."""
        actor = self.random.choices(runnable, [actor.weight for actor in runnable])[0]
        if self.random.random() < 0.3:
            actor.weight = self.random.choice([1, 4, 30])
        return actor

    def _before_call(self, call: str) -> None:
        actor = current_actor()
        if actor is not None:
            actor.pause_before(call)

    def _fault(self, request: dict[str, Any]) -> str:
        if self.random.random() < self.faults.answer_lost:
            return "answer lost"
        # A late copy of an owner's requeue is indistinguishable from a new one after the job has started again.
        values = request["ExpressionAttributeValues"]
        if ":min_fence" not in values and self.random.random() < self.faults.late_copies:
            return "late copy"
        return ""

    def _next_event(self) -> int:
        times = [actor.wakes_at for actor in self._actors() if not actor.paused]
        times += [process.resumes_at for process in self.processes if process.is_paused]
        times += [time for time, _ in self._delayed]
        times += [time for time in self.ecs.next_start() if time < NEVER]
        visible = self.queues.next_visible()
        times += [visible] if visible is not None else []
        times += [self._relay_again_at]
        times += [self._next_sweep] if self.faults.sweeps else []
        return min((time for time in times if time > self.now), default=self.now + 1_000)

    # ── the end of a run ─────────────────────────────────────────────────────────────────────────────────────────────

    def _require_requests_served(self) -> None:
        if not promises.requests_wait_with_free_slots(self):
            self._requests_wait_since = None
        elif self._requests_wait_since is None:
            self._requests_wait_since = self.now
        else:
            waited = self.now - self._requests_wait_since
            self.monitor.require(waited < LONGEST_REQUEST_WAIT, "a worker request waits although slots are free")

    def _stop_faults(self) -> None:
        self.faults = Faults(
            sweeps=self.faults.sweeps,
            shutdown_requested=0.0,
            mail_arrives=0.0,
            clock_beyond_margin=self.faults.clock_beyond_margin,
            health_checks=self.faults.health_checks,
        )
        self.queues.duplicates = 0.0
        for process in self.processes:
            if process.resumes_at < NEVER:  # hanging processes stay so
                process.resumes_at = 0

    def _wait_until_settled(self) -> None:
        patience = self.now + 3600 * 1000
        while promises.unsettled(self):
            self.monitor.require(self.now < patience, f"not settled: {promises.unsettled(self)}")
            self.step()
            self._require_requests_served()
        for mail in self.executions.mails:
            record = self.jobs.get(mail.job.pair, mail.job.job_id)
            answered = mail.answers == [record.outcome] and record.task_token is None
            self.monitor.require(
                answered, f"{mail.job.job_id}: outcome {record.outcome}, but answered with {mail.answers}"
            )
