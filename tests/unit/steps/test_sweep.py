"""sweep: recovers from lost messages and dead workers, and repeats nothing."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.support.world import PAIR, World
from webordinary.aws.parallel import in_threads
from webordinary.aws.queue_provisioning import PairQueues
from webordinary.aws.queues import Queues, ReceivedMessage
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Outcome, Usage
from webordinary.contract.messages.ownership import WorkerRequest
from webordinary.contract.messages.report import ReportKind, WorkerReport
from webordinary.contract.outcomes import Failure
from webordinary.protocol.senders import Senders
from webordinary.steps.sweep.quiet_queues import QuietQueues
from webordinary.steps.sweep.run import SHARE as TASK_SHARE
from webordinary.steps.sweep.sweep import LOST_AFTER, Sweep, SweepResult
from webordinary.steps.sweep.turns import SHARE
from webordinary.tables.budgets import Account, MonthAccount
from webordinary.tables.items import to_values
from webordinary.tables.sweep_notes import SweepNote, SweepNotes

GONE = Pair(project="gone", user="bob")


@pytest.fixture(autouse=True)
def onboarded(world: World) -> None:
    world.onboard()


def sweep(world: World, checks: int = 1000, **parts: Any) -> SweepResult:
    """Runs a sweep that has time for this many checks."""
    left = iter([True] * checks)
    step = replace(_sweep_of(world), **parts)
    return step.run(lambda: next(left, False))


def _sweep_of(world: World) -> Sweep:
    return Sweep(
        jobs=world.jobs,
        ownership=world.ownership,
        worker_requests=world.worker_requests,
        queues=world.queues,
        tokens=world.tokens,
        checkpoints=world.idempotency,
        projects=world.projects,
        relay=world.relay,
        clock=world.clock,
    )


def after_the_lease(world: World) -> None:
    world.clock.advance(world.timing.lease_seconds + world.timing.clock_margin_seconds + 1)


def test_waiting_job_with_a_lost_worker_request_gets_another(world: World) -> None:
    world.jobs.record(world.job(), "token")

    assert sweep(world).claims == 1
    assert [WorkerRequest.read(body).job_id for body in world.waiting("unclaimed")] == ["mail-1"]


def test_sweep_notes_what_it_did_for_operators(world: World) -> None:
    notes = SweepNotes(world.idempotency)
    assert notes.last() is None
    sweep(world)
    assert notes.last() == SweepNote(ended_at=world.clock(), complete=True)
    world.dispatch(world.job())
    world.ownership.claim(PAIR, "task-1")
    world.jobs.start(PAIR, "mail-1", 1)
    after_the_lease(world)

    sweep(world)

    assert notes.last() == SweepNote(ended_at=world.clock(), complete=True, repaired=1)


def test_sweep_without_its_note_still_repairs(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("throttled")

    world.jobs.record(world.job(), "token")
    monkeypatch.setattr(SweepNotes, "store", fail)

    done = sweep(world)

    assert (done.beats, done.not_done) == (1, 1)


def test_sweep_sends_heartbeats_for_a_waiting_job(world: World) -> None:
    world.jobs.record(world.job(), "token")

    sweep(world)

    assert world.task_tokens.beats == ["token"]


def test_two_sweeps_request_one_worker(world: World) -> None:
    world.jobs.record(world.job(), "token")

    sweep(world)
    sweep(world)

    assert len(world.waiting("unclaimed")) == 1


def test_running_job_of_a_live_owner_is_not_changed(world: World) -> None:
    fence = world.ownership.claim(PAIR, "worker-a").fence
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", fence)

    result = sweep(world)

    assert (result.requeued, result.claims, result.beats) == (0, 0, 0)


def test_job_of_a_dead_owner_is_requeued_and_sent_again(world: World) -> None:
    fence = world.ownership.claim(PAIR, "worker-a").fence
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", fence)
    after_the_lease(world)

    assert sweep(world).requeued == 1
    assert world.jobs.get(PAIR, "mail-1").state == "waiting"
    assert [Job.read(body).job_id for body in world.waiting("input", PAIR)] == ["mail-1"]
    assert len(world.waiting("unclaimed")) == 1


def test_final_job_with_a_waiting_execution_is_settled(world: World) -> None:
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", 1)
    world.jobs.finish(PAIR, "mail-1", 1, Outcome(state="done"))
    world.clock.advance(60)

    assert sweep(world).settled == 1
    assert world.task_tokens.ends == [("token", "success")]
    assert sweep(world).looked_at == 0


def test_dead_letter_ends_its_job(world: World) -> None:
    world.dispatch(world.job())
    (body,) = world.waiting("input", PAIR)
    world.queues.send_in_order("input_dead_letters", Job.read(body), group=PAIR.key, deduplication_id="dead", pair=PAIR)

    assert sweep(world).dead_letters == 1
    assert world.jobs.get(PAIR, "mail-1").state == "failed"
    assert world.task_tokens.ends == [("token", "JobFailed")]


def test_dead_letter_report_is_relayed_again(world: World) -> None:
    world.ownership.claim(PAIR, "worker-a")
    accounts = (Account("project", PAIR.project, 3.0), Account("sender", "ada@example.com", 3.0))
    world.budgets.reserve("mail-1", world.clock(), *accounts, MonthAccount(PAIR, 1000))
    world.jobs.record(world.job(max_dollars=1.0), "token")
    world.jobs.start(PAIR, "mail-1", 1)
    finished = WorkerReport(
        kind=ReportKind.FINISHED,
        pair=PAIR,
        job_id="mail-1",
        fence=1,
        container_id="worker-a",
        sent_at=world.clock(),
        outcome=Outcome(state="done", usage=Usage(dollars=0.5)),
    )
    world.queues.send_in_order("output_dead_letters", finished, group=PAIR.key, deduplication_id="dead")

    sweep(world)

    assert world.task_tokens.ends == [("token", "success")]
    assert world.spending.of_month(PAIR.project, "2026-01").dollars == 0.5


def test_dead_worker_request_is_dropped(world: World) -> None:
    world.queues.send("unclaimed_dead_letters", WorkerRequest(pair=PAIR, job_id="mail-1", requested_at=world.clock()))

    assert sweep(world).dead_letters == 1
    assert world.waiting("unclaimed_dead_letters") == []


def test_job_is_ended_when_the_breaker_is_open(world: World) -> None:
    world.jobs.record(world.job(), "token")
    for _ in range(world.timing.claim_breaker_failures):
        sweep(world)
        world.clock.advance(world.timing.claim_backoff_max_seconds - 1)

    assert sweep(world).given_up == 1
    assert world.task_tokens.ends == [("token", "JobFailed")]


def test_sweep_without_time_is_incomplete(world: World) -> None:
    world.jobs.record(world.job(), "token")

    assert sweep(world, checks=0).complete is False


def test_sweep_continues_at_the_checkpoint(world: World) -> None:
    for number in range(4):
        world.jobs.record(world.job(f"mail-{number}"), f"token-{number}")
        world.clock.advance(1)

    first, second, third = sweep(world, checks=3), sweep(world), sweep(world)

    assert (first.looked_at, second.looked_at, third.looked_at) == (3, 1, 4)
    assert world.task_tokens.beats[:4] == ["token-0", "token-1", "token-2", "token-3"]


# ── quiet queues ────────────────────────────────────────────────────────────────────────────────────────────────────


def quiet_queues_of(world: World, number: int) -> QuietQueues:
    """The queues of so many pairs that have been quiet for long. A job of another pair waits."""
    pair_queues = PairQueues(world.sqs, world.names, world.timing)
    for index in range(number):
        pair = Pair(project=f"quiet-{index}", user="ada")
        pair_queues.ensure(pair)
        world.ownership.release_lease(world.ownership.claim(pair, "worker-a"))
    world.clock.advance(world.timing.quiet_seconds + 1)
    world.jobs.record(world.job(), "token")
    return QuietQueues(
        pair_queues, world.queues, world.jobs, world.ownership, world.idempotency, world.timing, world.clock
    )


def test_quiet_queues_are_deleted_by_a_sweep_without_time_for_jobs(world: World) -> None:
    result = sweep(world, checks=0, quiet=quiet_queues_of(world, 2))

    assert (result.complete, result.looked_at, result.quiet_queues) == (False, 0, 2)


def test_quiet_queues_take_only_their_share_of_a_sweep(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = quiet_queues_of(world, 4)
    monkeypatch.setattr(quiet.pair_queues, "delete", lambda _: world.clock.advance(TASK_SHARE.total_seconds() / 2))

    result = sweep(world, quiet=quiet)

    assert (result.complete, result.looked_at, result.quiet_queues) == (True, 1, 2)


# ── isolation of tenants ────────────────────────────────────────────────────────────────────────────────────────────


def write_record(world: World, job_id: str, **changes: str) -> None:
    """Writes the record of a waiting job as another version might."""
    world.jobs.record(world.job(job_id), f"token of {job_id}")
    for field, value in changes.items():
        world.dynamodb.update_item(
            TableName=world.names.table("jobs"),
            Key=to_values({"projectKey": PAIR.key, "jobId": job_id}),
            UpdateExpression="SET #field = :value",
            ExpressionAttributeNames={"#field": field},
            ExpressionAttributeValues=to_values({":value": value}),
        )
    world.clock.advance(1)


@pytest.mark.parametrize("changes", [{"job": "{}"}, {"job": '{"command": "fly"}'}, {"state": "levitating"}])
def test_unreadable_record_does_not_affect_other_jobs(world: World, changes: dict[str, str]) -> None:
    write_record(world, "mail-1", **changes)
    write_record(world, "mail-2")

    result = sweep(world)

    assert (result.looked_at, result.unreadable, result.complete) == (2, 1, True)
    assert world.task_tokens.beats == ["token of mail-2"]


def test_checkpoint_moves_past_unreadable_records(world: World) -> None:
    write_record(world, "mail-1", job="{}")
    write_record(world, "mail-2")

    first, second = sweep(world, checks=1), sweep(world)

    assert (first.looked_at, first.unreadable) == (1, 1)
    assert (second.looked_at, second.unreadable) == (1, 0)
    assert world.task_tokens.beats == ["token of mail-2"]


def test_job_with_an_unknown_field_is_swept(world: World) -> None:
    job = {**world.job().wire(), "mood": "cheerful"}
    write_record(world, "mail-1", job=json.dumps(job))

    assert sweep(world).unreadable == 0
    assert world.task_tokens.beats == ["token of mail-1"]


def test_job_of_a_removed_project_is_ended(world: World) -> None:
    world.jobs.record(world.job("of-a-removed-project", pair=GONE), "token of the removed")
    world.clock.advance(1)
    world.jobs.record(world.job("mail-2"), "token of mail-2")

    result = sweep(world)

    assert result.project_gone == 1
    assert world.jobs.get(GONE, "of-a-removed-project").outcome == Outcome(state="failed", failure=Failure.PROJECT_GONE)
    assert world.task_tokens.ends == [("token of the removed", "JobFailed")]
    assert world.task_tokens.beats == ["token of mail-2"]


def test_job_of_a_removed_user_is_ended(world: World) -> None:
    world.jobs.record(world.job(pair=Pair(project="bakery", user="eve")), "token")

    assert sweep(world).project_gone == 1


def test_failure_of_one_job_does_not_affect_others(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    beat = world.tokens.beat
    world.jobs.record(world.job("mail-1"), "unlucky")
    world.clock.advance(1)
    world.jobs.record(world.job("mail-2"), "lucky")

    def sometimes(self: object, record: object) -> bool:
        if getattr(record, "task_token", None) == "unlucky":
            raise ZeroDivisionError
        return beat(record)  # type: ignore[arg-type]

    monkeypatch.setattr(type(world.tokens), "beat", sometimes)

    result = sweep(world)

    assert (result.looked_at, result.not_done) == (2, 1)
    assert world.task_tokens.beats == ["lucky"]


def test_record_that_names_another_pair_is_ended(world: World) -> None:
    bob = Pair(project="bakery", user="bob")
    write_record(world, "mail-1", job=world.job(pair=bob).wire_text())

    assert (sweep(world).forged, sweep(world).looked_at) == (1, 0)
    assert (world.waiting("unclaimed"), world.waiting("input", PAIR)) == ([], [])


def test_final_record_without_an_outcome_ends_its_execution(world: World) -> None:
    write_record(world, "mail-1", state="done")
    world.clock.advance(60)

    assert (sweep(world).settled, sweep(world).looked_at) == (1, 0)
    assert world.task_tokens.ends == [("token of mail-1", "JobFailed")]


def test_checkpoint_is_the_place_in_the_index(world: World) -> None:
    late = world.job("mail-1").wire() | {"receivedAt": "9999-01-01T00:00:00+00:00"}
    write_record(world, "mail-1", job=json.dumps(late))
    write_record(world, "mail-2")

    sweep(world, checks=1)
    sweep(world)

    assert "token of mail-2" in world.task_tokens.beats


def many_jobs(world: World, number: int) -> None:
    for index in range(number):
        world.jobs.record(world.job(f"mail-{index:02}"), f"token-{index:02}")
        world.clock.advance(1)


def test_pair_with_many_jobs_does_not_delay_others(world: World) -> None:
    many_jobs(world, 30)
    bob = Pair(project="garden", user="bob")
    world.jobs.record(world.job("of-bob", pair=bob), "token-of-bob")

    sweep(world, checks=SHARE + 1)

    assert world.task_tokens.ends == [("token-of-bob", "JobFailed")]  # its project is unknown here


def test_all_jobs_of_a_pair_get_heartbeats_within_a_few_sweeps(world: World) -> None:
    many_jobs(world, 40)

    for _ in range(5):
        sweep(world, checks=2 * SHARE)
        world.clock.advance(60)

    assert set(world.task_tokens.beats) == {f"token-{index:02}" for index in range(40)}


def test_sweep_in_threads_checks_every_job_once_and_those_of_a_pair_in_order(world: World) -> None:
    pairs = [PAIR, *(Pair(project=f"site-{index}", user="ada") for index in range(12))]
    for pair in pairs:
        item = {"pk": f"project#{pair.project}", "projectId": pair.project, "users": [pair.user]}
        world.dynamodb.put_item(TableName=world.names.table("project_configs"), Item=to_values(item))
        for index in range(3):
            world.jobs.record(world.job(f"{pair.project}-{index}", pair=pair), f"{pair.project}-{index}")
            world.clock.advance(1)  # the index has no order for jobs of the same time
    world.clock.advance(LOST_AFTER.total_seconds() + 1)
    fleet_calls: list[bool] = []
    world.worker_requests._on_sent = lambda: fleet_calls.append(True)

    creating = Queues(world.sqs, world.names, PairQueues(world.sqs, world.names, world.timing).ensure)

    result = sweep(world, run_all=in_threads(8), batch=100, queues=creating)

    assert (result.looked_at, result.beats, result.claims, result.not_done) == (39, 39, 13, 0)
    assert sorted(world.task_tokens.beats) == sorted(f"{pair.project}-{index}" for pair in pairs for index in range(3))
    assert len(world.waiting("unclaimed")) == 13
    assert fleet_calls == [True]
    assert [Job.read(body).job_id for body in world.waiting("input", PAIR)] == ["bakery-0"]  # a sent message counts


class SentBy(Queues):
    """The emulator names one sender for all messages; this one names another, as SQS would."""

    sender_id = ""

    def receive(self, *given: Any, **more: Any) -> ReceivedMessage | None:
        received = super().receive(*given, **more)
        return replace(received, sender_id=self.sender_id) if received else None


@pytest.mark.parametrize(("sender_id", "state"), [("AROA:attacker", "waiting"), ("AROA:worker-a", "failed")])
def test_dead_letter_of_a_worker_of_another_pair_is_dropped(world: World, sender_id: str, state: str) -> None:
    world.ownership.claim(PAIR, "worker-a")
    world.jobs.record(world.job(), "token")
    world.queues.send_in_order("input_dead_letters", world.job(), group=PAIR.key, deduplication_id="dead")
    queues = SentBy(world.sqs, world.names)
    queues.sender_id = sender_id

    sweep(world, queues=queues, relay=replace(world.relay, senders=Senders(world.ownership, "AROA")))

    assert world.jobs.get(PAIR, "mail-1").state == state


def test_unreadable_dead_letter_ends_its_job_by_id(world: World) -> None:
    world.dispatch(world.job())
    (body,) = world.waiting("input", PAIR)
    world.sqs.send_message(
        QueueUrl=world.queues.url("input_dead_letters", PAIR),
        MessageBody=json.dumps({**json.loads(body), "command": "fly"}),
        MessageGroupId=PAIR.key,
        MessageDeduplicationId="dead",
    )

    sweep(world)

    assert world.jobs.get(PAIR, "mail-1").outcome == Outcome(state="failed", failure=Failure.INTERNAL)
    assert world.waiting("input_dead_letters", PAIR) == []


def test_report_of_a_newer_version_stays_in_the_dead_letter_queue(world: World) -> None:
    url = world.queues.url("output_dead_letters")
    world.ownership.claim(PAIR, "worker-a")
    world.relay.run('{"kind": "sang"}', PAIR.key, "AROA:worker-a")

    sweep(world)

    answer = world.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["ApproximateNumberOfMessagesNotVisible"])
    assert answer["Attributes"]["ApproximateNumberOfMessagesNotVisible"] == "1"


# ── lost messages ───────────────────────────────────────────────────────────────────────────────────────────────────


def after_a_while(world: World) -> None:
    world.clock.advance(LOST_AFTER.total_seconds() + 1)


def test_waiting_job_with_a_lost_message_is_sent_again(world: World) -> None:
    world.dispatch(world.job())
    world.waiting("input", PAIR)  # deletes it
    after_a_while(world)

    assert [sweep(world).sent_again, sweep(world).sent_again] == [1, 0]
    assert [Job.read(body).job_id for body in world.waiting("input", PAIR)] == ["mail-1"]


@pytest.mark.parametrize("in_flight", [False, True])
def test_job_with_a_message_in_the_queue_is_not_sent_again(world: World, in_flight: bool) -> None:
    world.ownership.claim(PAIR, "worker-a")
    world.dispatch(world.job())
    if in_flight:
        world.queues.receive("input", wait_seconds=0, visibility_seconds=300, pair=PAIR)
    world.clock.advance(30)
    world.ownership.renew(world.ownership.inspect(PAIR))
    after_a_while(world)

    assert sweep(world).sent_again == 0


def test_job_being_dispatched_is_not_sent_again(world: World) -> None:
    world.jobs.record(world.job(), "token")

    assert sweep(world).sent_again == 0
