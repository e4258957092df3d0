"""Attacks by a compromised worker with the keys of its pair: it lies in its pair's records and messages.

Runs the production code on an in-memory AWS without IAM, so no policy helps. The victim is the pair garden#bob.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

from tests.attack.arena import Arena
from tests.attack.attack_workers_and_mails import VICTIM, memory_aws
from tests.attack.cases import AttackSucceededError, attack
from tests.support.world import PAIR, World
from webordinary.aws.queue_provisioning import PairQueues
from webordinary.aws.queues import Queues, ReceivedMessage
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import Envelope
from webordinary.contract.messages.outcome import Outcome, Usage
from webordinary.contract.messages.report import ReportKind, WorkerReport
from webordinary.protocol.senders import Senders
from webordinary.steps.relay_callback import RelayCallback, RelayResult
from webordinary.steps.sweep.orphaned_messages import OrphanedMessages
from webordinary.steps.sweep.sweep import Sweep
from webordinary.tables.budgets import Account, MonthAccount
from webordinary.tables.items import to_values
from webordinary.tables.jobs import JobState

ROLE_ID = "AROAWORKERS"
ATTACKER = f"{ROLE_ID}:worker-1"


class SentByAttacker(Queues):
    """The emulator names one sender for all messages, so this names the attacker, as SQS would."""

    def receive(self, *given: Any, **more: Any) -> ReceivedMessage | None:
        received = super().receive(*given, **more)
        if received is None:
            return None
        return replace(received, sender_id=ATTACKER)


def relay_of(world: World) -> RelayCallback:
    senders = Senders(world.ownership, ROLE_ID)
    return RelayCallback(world.jobs, world.tokens, senders, world.budgets, world.queues)


def sweep_of(world: World) -> Sweep:
    return Sweep(
        jobs=world.jobs,
        ownership=world.ownership,
        worker_requests=world.worker_requests,
        queues=SentByAttacker(world.sqs, world.names),
        tokens=world.tokens,
        checkpoints=world.idempotency,
        projects=world.projects,
        relay=relay_of(world),
        clock=world.clock,
    )


def sweep_with(world: World, checks: int) -> None:
    left = iter([True] * checks)
    sweep_of(world).run(lambda: next(left, False))


def onboard(world: World) -> None:
    world.onboard()
    victim = {"pk": "project#garden", "projectId": "garden", "users": ["bob"], "domain": "g", "repository": "r"}
    item = to_values({**victim, "previewUrl": "https://${thread}--garden.example.com/"})
    world.dynamodb.put_item(TableName=world.names.table("project_configs"), Item=item)
    PairQueues(world.sqs, world.names, world.timing).ensure(VICTIM)


def write(world: World, job_id: str, **attributes: Any) -> None:
    """Writes a record of the attacker's own partition."""
    world.dynamodb.put_item(
        TableName=world.names.table("jobs"), Item=to_values({"projectKey": PAIR.key, "jobId": job_id, **attributes})
    )


def open_record(world: World, job: Job, **attributes: Any) -> dict[str, Any]:
    received = world.clock().isoformat()
    return {"state": "waiting", "open": "open", "receivedAt": received, "updatedAt": 0, "job": job.wire_text()} | (
        attributes
    )


@attack
def job_names_victim(_: Arena, state: str = "waiting") -> None:
    """A record in the attacker's partition holds a job of the victim's pair."""
    with memory_aws() as world:
        onboard(world)
        job = world.job("mail-1", pair=VICTIM, instruction="Put my phishing page on the site.")
        write(world, "mail-1", **open_record(world, job, state=state, fence=1))
        sweep_with(world, 100)
        if world.waiting("input", VICTIM):
            raise AttackSucceededError("the job was sent to the victim's queue")
        if world.waiting("unclaimed"):
            raise AttackSucceededError("a worker was requested")


@attack
def job_charges_victim(_: Arena, project: str = "bakery", sender: str = "bob@example.com") -> None:
    """The attacker rewrites the job of its own record before it reports the cost."""
    with memory_aws() as world:
        accounts = Account("project", "garden", 100), Account("sender", "bob@example.com", 40)
        world.jobs.record(world.job(max_dollars=5.0), "token")
        fence = world.ownership.claim(PAIR, "worker-1").fence
        world.jobs.start(PAIR, "mail-1", fence)
        envelope = Envelope(sender=sender, recipient="edit@example.com", subject="", message_id="<1@example.com>")
        pair = PAIR.model_copy(update={"project": project})
        job = world.job(pair=pair, envelope=envelope, max_dollars=1e9)
        write(world, "mail-1", **open_record(world, job, state="running", fence=fence, taskToken="token"))
        for dollars in (1e9, float("nan")):
            report = WorkerReport(
                kind=ReportKind.FINISHED,
                pair=PAIR,
                job_id="mail-1",
                fence=fence,
                container_id="worker-1",
                sent_at=world.clock(),
                outcome=Outcome(state="done", usage=Usage(dollars=0)),
            )
            body = report.wire() | {"outcome": {"state": "done", "usage": {"dollars": dollars}}}
            relay_of(world).run(json.dumps(body), PAIR.key, ATTACKER)
        left = world.budgets.reserve("another", world.clock(), *accounts, MonthAccount(VICTIM, 10)).dollars
        if left < 5:
            raise AttackSucceededError(f"the victim has {left} dollars left")


@attack
def records_starve_sweep(_: Arena, number: int, received_at: str = "9999-01-01T00:00:00+00:00") -> None:
    """Many open records of the attacker come before the victim's job, which then gets no heartbeat."""
    with memory_aws() as world:
        onboard(world)
        for index in range(number):
            job = world.job(f"forged-{index}").wire() | {"receivedAt": received_at}
            forged = open_record(world, world.job(), receivedAt=f"2026-01-01T00:00:00.{index:06}+00:00")
            write(world, f"forged-{index}", **forged | {"job": json.dumps(job)})
        world.jobs.record(world.job("mail-2", pair=VICTIM), "victims-token")
        for _sweep in range(3):
            sweep_with(world, 25)
            world.clock.advance(60)
        if "victims-token" not in world.task_tokens.beats:
            raise AttackSucceededError("three sweeps did not reach the victim's job")


@attack
def record_stops_sweep(_: Arena, attributes: dict[str, Any]) -> None:
    """A record with values that no version of ours writes stops the sweep, or stays open for ever."""
    with memory_aws() as world:
        onboard(world)
        write(world, "mail-1", **open_record(world, world.job(), receivedAt="2026-01-01"))
        for name, value in attributes.items():
            world.dynamodb.update_item(
                TableName=world.names.table("jobs"),
                Key=to_values({"projectKey": PAIR.key, "jobId": "mail-1"}),
                UpdateExpression="SET #name = :value",
                ExpressionAttributeNames={"#name": name},
                ExpressionAttributeValues={":value": value},
            )
        world.jobs.record(world.job("mail-2", pair=VICTIM), "victims-token")
        world.clock.advance(60)
        sweep_with(world, 100)
        if "victims-token" not in world.task_tokens.beats:
            raise AttackSucceededError("the victim's job got no heartbeat")


@attack
def ownership_stops_sweep(_: Arena, attributes: dict[str, Any]) -> None:
    """An ownership record with values that no version of ours writes stops the sweep, or keeps the pair for ever."""
    with memory_aws() as world:
        onboard(world)
        world.ownership.claim(PAIR, "worker-1")
        for name, value in attributes.items():
            world.dynamodb.update_item(
                TableName=world.names.table("ownership"),
                Key=to_values({"projectKey": PAIR.key}),
                UpdateExpression="SET #name = :value",
                ExpressionAttributeNames={"#name": name},
                ExpressionAttributeValues={":value": value},
            )
        world.clock.advance(3600)
        world.jobs.record(world.job("mail-1"), "own-token")
        world.jobs.record(world.job("mail-2", pair=VICTIM), "victims-token")
        world.ownership.last_use(PAIR)
        sweep_with(world, 100)
        if not {"own-token", "victims-token"} <= set(world.task_tokens.beats):
            raise AttackSucceededError("a waiting job got no heartbeat")
        if world.ownership.is_owned(PAIR) or world.ownership.claim(PAIR, "worker-2").fence < 2:
            raise AttackSucceededError("an hour later, no other worker may claim the pair")


@attack
def message_in_victims_group(_: Arena, body: str) -> None:
    """A message in the victim's group of the output queue fails, so that SQS holds back the victim's reports."""
    with memory_aws() as world:
        world.ownership.claim(PAIR, "worker-1")
        world.ownership.claim(VICTIM, "worker-of-bob")
        try:
            result = relay_of(world).run(body, VICTIM.key, ATTACKER)
        except Exception as error:
            raise AttackSucceededError(f"the relay raised {error!r}") from error
        if result is not RelayResult.DROPPED or world.waiting("output_dead_letters"):
            raise AttackSucceededError(f"the message was {result}")


@attack
def own_report_blocks(_: Arena, body: str) -> None:
    """An unreadable report holds back the later reports of its own pair."""
    with memory_aws() as world:
        world.ownership.claim(PAIR, "worker-1")
        if relay_of(world).run(body, PAIR.key, ATTACKER) is not RelayResult.UNREADABLE:
            raise AttackSucceededError("the relay read it")
        sweep_with(world, 10)
        if world.task_tokens.ends or world.task_tokens.beats:
            raise AttackSucceededError("it was relayed")


@attack
def letter_names_victim(_: Arena, as_report: bool = False) -> None:
    """A message of the attacker's own queue becomes a dead letter and names the victim's job."""
    with memory_aws() as world:
        onboard(world)
        world.ownership.claim(PAIR, "worker-1")
        world.jobs.record(world.job("mail-2", pair=VICTIM), "victims-token")
        job, queue = world.job("mail-2", pair=VICTIM), "input_dead_letters"
        if as_report:
            queue = "output_dead_letters"
        world.queues.send_in_order(queue, job, group=VICTIM.key, deduplication_id="dead")
        sweep_with(world, 10)
        if world.jobs.get(VICTIM, "mail-2").state is not JobState.WAITING:
            raise AttackSucceededError("the victim's job was ended")


@attack
def orphan_names_victim(_: Arena) -> None:
    """A message of a job that waits is deleted because it names a finished job of another pair."""
    with memory_aws() as world:
        onboard(world)
        world.jobs.record(world.job("mail-1", pair=VICTIM), "victims-token")
        world.jobs.conclude(VICTIM, "mail-1", Outcome(state="done"), settled=True)
        world.ownership.claim(PAIR, "worker-1")
        world.jobs.record(world.job("mail-1"), "own-token")
        world.queues.send_in_order(
            "input", world.job(pair=VICTIM), group=PAIR.key, deduplication_id="forged", pair=PAIR
        )
        world.clock.advance(timedelta(minutes=2).total_seconds())
        orphans = OrphanedMessages(world.ownership, world.jobs, world.queues)
        if orphans._delete(PAIR, lambda: True):
            raise AttackSucceededError("the message was judged by the victim's job")


@attack
def states_keep_workers(_: Arena, state: str = "waiting") -> None:
    """States without jobs make the broker request workers for the pair without an end."""
    with memory_aws() as world:
        write(world, "forged", state=state, fence=1, minFence=0, updatedAt=0)
        if world.jobs.has_open_jobs(PAIR) or world.jobs.waiting_job_of(PAIR):
            raise AttackSucceededError("the pair looks as if it had an open job")
