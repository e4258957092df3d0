"""A small world in virtual time: mails, executions, functions and workers over shared tables and queues.

Everything that decides is the real code: the tables, claim requests, router, relay, sweeper and task tokens of the
domain package. What it runs on stands in: DynamoDB, SQS and task tokens in memory, workers reduced to their calls.

Each step is one choice: let an actor make its next remote call, let a process die or stop for a while, let a mail
come, or let something that AWS does in its own time happen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any, cast

from tests.model import promises
from tests.model.monitor import Monitor
from tests.model.queue_stand_in import QueueStandIn
from tests.model.scheduler import Actor
from tests.model.surroundings import INDEX_ORDER, KEYS, MARGIN, NAMES, PAIRS, START, TIMING
from tests.model.table_stand_in import UnreliableTable
from tests.model.token_stand_in import TokenStandIn
from tests.model.weather import Weather
from tests.model.workers import CORRECT, Habits, Tools, Worker
from webordinary.platform.messages import DispatchOrder, Envelope, Failure, Job, Outcome, Pair, WorkerReport
from webordinary.platform.queues import Queues
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.steps.dispatch import Dispatch
from webordinary.steps.relay_callback import RelayCallback
from webordinary.steps.sweep import Sweep
from webordinary.tables.claim_requests import ClaimRequests
from webordinary.tables.idempotency import IdempotencyTable
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import OwnershipTable


@dataclass
class Mail:
    """One mail and the execution that answers it."""

    job: Job
    token: str = ""
    tokens: int = 0
    dispatch: Actor | None = None
    reply: Actor | None = None
    answers: list[Outcome] = field(default_factory=list)


@dataclass
class Process:
    worker: Worker
    actor: Actor
    skew: int
    resumes_at: int = 0


class World:
    def __init__(
        self,
        seed: int,
        weather: Weather,
        habits: Habits = CORRECT,
        jobs_table: type[JobsTable] = JobsTable,
    ) -> None:
        self.random = Random(seed)  # noqa: S311 (a run must be repeatable)
        self.now = 0
        self.steps = 0
        self.weather = weather
        self.monitor = Monitor(NAMES, TIMING, PAIRS)
        self.mails: list[Mail] = []
        self.processes: list[Process] = []
        self._habits = habits
        self._jobs_table = jobs_table
        self._functions: list[Actor] = []
        self._late: list[tuple[int, Callable[[], None]]] = []
        self._next_sweep = 0
        self._relay_again_at = 0
        self._acting: Actor | None = None
        self._born = 0
        self._build()

    def _build(self) -> None:
        self.table = UnreliableTable(KEYS, INDEX_ORDER)
        self.table.lagging = self.weather.index_lags
        self.table.fault, self.table.later = self._fault, self._send_later
        self.table.watch = self.monitor.table_written
        self.queues = QueueStandIn(lambda: self.now, self.random)
        self.queues.duplicates = self.weather.duplicates
        self.queues.watch = self.monitor.message_sent
        if self.weather.duplicates:
            # Harsher than AWS: the relay must stand reports in any order, not only doubled ones.
            self.queues.out_of_order = frozenset({NAMES.queue("output")})
        if self.weather.dead_letters:
            self.queues.dead_letters = {
                NAMES.queue("unclaimed"): NAMES.queue("unclaimed_dead_letters"),
                **{NAMES.queue("input", pair): NAMES.queue("input_dead_letters", pair) for pair in PAIRS},
            }
        self.tokens = TokenStandIn(lambda: self.now, TIMING.heartbeat_seconds * 1000)
        for client in (self.table, self.queues, self.tokens):
            client.reach = self._reach
        clock = self._clock(0)
        tables = self._tables(clock)
        tokens = TaskTokens(cast(Any, self.tokens), tables.jobs)
        checkpoints = IdempotencyTable(cast(Any, self.table), NAMES, clock)
        self.jobs, self._in_order = tables.jobs, tables.queues
        self.dispatch = Dispatch(tables.jobs, tables.queues, tables.ownership, tables.claims, tokens)
        self.relay = RelayCallback(tables.jobs, tokens)
        self.sweep = Sweep(tables.jobs, tables.ownership, tables.claims, tables.queues, tokens, checkpoints, clock)
        for _ in range(3):
            self._hire()

    # ── what happens ────────────────────────────────────────────────────────────────────────────────────────────

    def run(self, steps: int) -> None:
        """Lets things happen for so many steps, then lets the storm pass and waits for every answer."""
        try:
            while self.steps < steps:
                self.step()
            self._storm_passes()
            self._wait_for_everybody()
        finally:
            for actor in [process.actor for process in self.processes] + self._functions:
                actor.kill()

    def step(self) -> None:
        self.steps += 1
        self._faults()
        self._aws_goes_on()
        runnable = [actor for actor in self._actors() if not actor.paused and actor.wakes_at <= self.now]
        if runnable:
            self._let(self._choose(runnable))
            self.now += self.random.randint(0, 150)
        else:
            self.now = max(self.now + 1, self._next_event())
        self.monitor.now = self.now
        self._executions_go_on()
        promises.require_one_owner(self)
        if not self.weather.sweeps:
            promises.require_nobody_forgotten(self)

    def _faults(self) -> None:
        weather, chance = self.weather, self.random.random
        process = self.random.choice(self.processes)
        if chance() < weather.worker_dies or (
            process.worker.settling_in and chance() < weather.worker_dies_settling_in
        ):
            self._die(process)
        elif chance() < self._pause_rate(process) and not process.actor.paused:
            process.actor.paused = True
            process.resumes_at = self.now + self.random.choice([500, 5_000, 40_000, 70_000, 150_000])
            self.monitor.note(f"{process.worker.container_id} stands still until {process.resumes_at / 1000}s")
        elif chance() < weather.told_to_leave:
            process.worker.told_to_leave = True
        if self._functions and chance() < weather.function_dies:
            actor = self.random.choice(self._functions)
            self.monitor.note(f"{actor.name} dies")
            actor.kill()
        if process.worker.leaving and chance() < weather.mail_meets_leaving_worker:
            self._mail_comes(process.worker.leaving)
            process.actor.haste = 1  # the mail overtakes the worker, as often as not
        elif chance() < weather.mail_comes:
            self._mail_comes(self.random.choice(PAIRS))

    def _pause_rate(self, process: Process) -> float:
        sending = process.actor.about_to == "send_message"
        return self.weather.worker_pauses_before_sending if sending else self.weather.worker_pauses

    def _aws_goes_on(self) -> None:
        for process in self.processes:
            process.actor.paused = process.actor.paused and process.resumes_at > self.now
        if self.random.random() < 0.2:
            self.table.catch_up()
        for item in self.table.items(NAMES.table("ownership")):
            # TTL deletion comes late, often by hours; here within steps.
            if int(item["ttl"]["N"]) < (START.timestamp() + self.now / 1000) and self.random.random() < 0.02:
                self.table.remove(NAMES.table("ownership"), item)
        due = [copy for copy in self._late if copy[0] <= self.now]
        self._late = [copy for copy in self._late if copy[0] > self.now]
        for _, copy in due:
            copy()
        self._functions = [actor for actor in self._functions if not actor.finished]
        if self.random.random() < self.weather.relay_stalls:
            self._relay_again_at = self.now + self.random.choice([30_000, 90_000, 150_000])
        if (
            self.now >= self._relay_again_at
            and self.queues.messages(NAMES.queue("output"))
            and self.random.random() < 0.3
        ):
            self._invoke("relay", self._relay_one)
        if self.weather.sweeps and self.now >= self._next_sweep:
            self._next_sweep = self.now + TIMING.sweep_seconds * 1000
            self._invoke("sweep", partial(self.sweep.run, self._has_time))

    def _has_time(self) -> bool:
        return self.random.random() >= self.weather.sweep_runs_out_of_time

    def _executions_go_on(self) -> None:
        for mail in self.mails:
            if mail.answers:
                continue
            if mail.reply is not None:
                if mail.reply.finished and mail.reply.crashed:
                    mail.reply = self._invoke("reply", partial(self._reply, mail))
            elif self.tokens.is_over(mail.token):
                mail.reply = self._invoke("reply", partial(self._reply, mail))
            elif mail.dispatch is None or (mail.dispatch.finished and mail.dispatch.crashed):
                self._dispatch(mail)

    # ── who acts ────────────────────────────────────────────────────────────────────────────────────────────────

    def _mail_comes(self, pair: Pair) -> None:
        if sum(mail.job.pair == pair and not mail.answers for mail in self.mails) >= self.weather.most_unanswered:
            return
        number = len(self.mails) + 1
        envelope = Envelope(
            sender="ada@example.com", recipient="edit@example.org", subject="", message_id=f"<{number}>"
        )
        job = Job(
            job_id=f"mail-{number}",
            pair=pair,
            thread_id=self.random.choice("abc") * 26,
            instruction="Please change the opening hours.",
            envelope=envelope,
            received_at=self._clock(0)(),
        )
        mail = Mail(job)
        self.mails.append(mail)
        self._dispatch(mail)

    def _dispatch(self, mail: Mail) -> None:
        if mail.token:
            self.tokens.abandon(mail.token)
        mail.tokens += 1
        mail.token = f"{mail.job.job_id}-token-{mail.tokens}"
        self.tokens.begin(mail.token)
        order = DispatchOrder(job=mail.job, task_token=mail.token)
        mail.dispatch = self._invoke("dispatch", partial(self.dispatch.run, order))

    def _reply(self, mail: Mail) -> None:
        """The end of an execution, as the reply function decides it: what the jobs table says, or now a failure."""
        unknown = Outcome(state="failed", failure=Failure.TIMED_OUT)
        record = self.jobs.get(mail.job.pair, mail.job.job_id)
        if not record.state.is_final:
            record = self.jobs.conclude(mail.job.pair, mail.job.job_id, unknown, nobody_waits=True)
        self.monitor.note(f"{mail.job.job_id}: answered, {record.state}")
        mail.answers.append(record.outcome or unknown)

    def _relay_one(self) -> None:
        queues = self._in_order
        received = queues.receive("output", wait_seconds=0, visibility_seconds=30)
        if received is not None:
            self.relay.run(WorkerReport.read(received.body))
            queues.delete("output", received)

    def _hire(self, container_id: str | None = None) -> None:
        self._born += 1
        container_id = container_id or f"worker-{self._born}"
        # Each clock is off by less than half the margin, so any two differ by less than the margin.
        skew = self.random.randint(-MARGIN // 2 + 1, MARGIN // 2 - 1)
        if self.weather.clock_beyond_margin and self.random.random() < 0.5:
            skew = self.random.choice([-90_000, -20_000, 20_000, 90_000])
        tools = self._tables(self._clock(skew))
        worker = Worker(container_id, tools, self._habits)
        self.processes.append(Process(worker, Actor(container_id, worker.live), skew))

    def _die(self, process: Process) -> None:
        self.monitor.note(f"{process.worker.container_id} dies")
        process.actor.kill()
        self.processes.remove(process)
        restarted_in_place = self.random.random() < 0.3
        self._hire(process.worker.container_id if restarted_in_place else None)

    def _tables(self, clock: Callable[[], datetime]) -> Tools:
        client = cast(Any, self.table)
        queues = Queues(cast(Any, self.queues), NAMES)
        return Tools(
            ownership=OwnershipTable(client, NAMES, TIMING, clock),
            jobs=self._jobs_table(client, NAMES, clock),
            claims=ClaimRequests(client, queues, NAMES, TIMING, clock, self.random.random),
            queues=queues,
            clock=clock,
            rest=self._rest,
            random=self.random,
            timing=TIMING,
            longest_rest=self.weather.longest_rest,
        )

    # ── how it runs ─────────────────────────────────────────────────────────────────────────────────────────────

    def _invoke(self, name: str, body: Callable[[], object]) -> Actor:
        actor = Actor(name, cast(Callable[[], None], body))
        actor.haste = self.random.choice([1, 4, 30])
        self._functions.append(actor)
        return actor

    def _actors(self) -> list[Actor]:
        return [process.actor for process in self.processes] + [a for a in self._functions if not a.finished]

    def _choose(self, runnable: list[Actor]) -> Actor:
        """Some are slow for a while: with equal chances nobody would ever do four things while another waits."""
        actor = self.random.choices(runnable, [actor.haste for actor in runnable])[0]
        if self.random.random() < 0.3:
            actor.haste = self.random.choice([1, 4, 30])
        return actor

    def _let(self, actor: Actor) -> None:
        self._acting = actor
        actor.step()
        self._acting = None

    def _reach(self, call: str) -> None:
        if self._acting is not None:
            self._acting.stop_before(call)

    def _rest(self, milliseconds: int) -> None:
        actor = self._acting
        if actor is not None:
            actor.wakes_at = self.now + milliseconds
            actor.stop_before("rest")

    def _clock(self, skew: int) -> Callable[[], datetime]:
        return lambda: START + timedelta(milliseconds=self.now + skew)

    def _fault(self, request: dict[str, Any]) -> str:
        if self.random.random() < self.weather.answer_lost:
            return "answer lost"
        # A runner's own put-back, repeated after it started the job again, cannot be told from a new one.
        if ":min_fence" not in request["ExpressionAttributeValues"] and self.random.random() < self.weather.late_copies:
            return "late copy"
        return ""

    def _send_later(self, copy: Callable[[], None]) -> None:
        self._late.append((self.now + self.random.randint(100, 90_000), copy))

    def _next_event(self) -> int:
        moments = [actor.wakes_at for actor in self._actors() if not actor.paused]
        moments += [process.resumes_at for process in self.processes if process.actor.paused]
        moments += [moment for moment, _ in self._late]
        visible = self.queues.next_visible()
        moments += [visible] if visible is not None else []
        moments += [self._relay_again_at]
        moments += [self._next_sweep] if self.weather.sweeps else []
        return min((moment for moment in moments if moment > self.now), default=self.now)

    # ── how it ends ─────────────────────────────────────────────────────────────────────────────────────────────

    def _storm_passes(self) -> None:
        self.weather = Weather(
            sweeps=self.weather.sweeps,
            told_to_leave=0.0,
            mail_comes=0.0,
            clock_beyond_margin=self.weather.clock_beyond_margin,
        )
        self.queues.duplicates = 0.0
        for process in self.processes:
            process.resumes_at = 0

    def _wait_for_everybody(self) -> None:
        patience = self.now + 2 * 3600 * 1000
        while promises.unsettled(self):
            self.monitor.require(self.now < patience, f"stranded: {promises.unsettled(self)}")
            self.step()
        for mail in self.mails:
            record = self.jobs.get(mail.job.pair, mail.job.job_id)
            answered = mail.answers == [record.outcome] and record.task_token is None
            self.monitor.require(answered, f"{mail.job.job_id}: ended {record.outcome}, answered {mail.answers}")
