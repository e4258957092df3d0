"""relay_callback: accepts reports of the running fence only; repeated and late reports change nothing."""

import json
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from tests.support.world import PAIR, World
from webordinary.aws.tracing import WorkerTraces
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.outcome import Outcome, Usage
from webordinary.contract.messages.report import ReportKind, UnreadableReport, WorkerReport
from webordinary.contract.outcomes import Failure
from webordinary.protocol.senders import Senders
from webordinary.steps.relay_callback import RelayCallback, RelayResult
from webordinary.tables.budgets import Account, MonthAccount

DONE = Outcome(state="done", summary="Changed the hours.")


def report(world: World, fence: int, outcome: Outcome | None = DONE, job_id: str = "mail-1") -> WorkerReport:
    kind = ReportKind.FINISHED if outcome else ReportKind.HEARTBEAT
    return WorkerReport(
        kind=kind, pair=PAIR, job_id=job_id, fence=fence, container_id="w", sent_at=world.clock(), outcome=outcome
    )


def relayed(relay: RelayCallback, sent: WorkerReport, sender_id: str | None = None) -> RelayResult:
    return relay.run(sent.wire_text(), sent.pair.key, sender_id)


def run_job(world: World, fence: int = 1) -> None:
    world.jobs.record(world.job(), "token")
    for _ in range(fence):
        world.ownership.claim(PAIR, "w")
    world.jobs.start(PAIR, "mail-1", fence)


def test_finished_report_ends_the_task(world: World) -> None:
    run_job(world)

    assert relayed(world.relay, report(world, fence=1)) == RelayResult.SETTLED
    assert world.task_tokens.ends == [("token", "success")]


def test_failed_job_fails_the_task_with_its_error_name(world: World) -> None:
    run_job(world)

    relayed(world.relay, report(world, 1, Outcome(state="failed", failure=Failure.BUILD_FAILED)))

    assert world.task_tokens.ends == [("token", "JobFailed")]


def test_largest_outcome_fits_into_the_task_that_it_ends(world: World) -> None:
    files = tuple(f"src/content/{'long-name-' * 8}{number:04}.md" for number in range(4000))
    for number, state in enumerate(("done", "failed"), start=1):
        world.jobs.record(world.job(f"mail-{number}"), f"token-{number}")
        world.jobs.start(PAIR, f"mail-{number}", world.ownership.claim(PAIR, "w").fence)
        outcome = Outcome(state=state, detail="x" * 4000, changed_files=files, clashes=("y" * 500,) * 100)
        relayed(world.relay, report(world, number, outcome, f"mail-{number}"))

    assert world.task_tokens.ends == [("token-1", "success"), ("token-2", "JobFailed")]


def test_repeated_report_ends_the_task_once(world: World) -> None:
    run_job(world)

    relayed(world.relay, report(world, fence=1))
    relayed(world.relay, report(world, fence=1))

    assert world.task_tokens.ends == [("token", "success")]


def test_redelivered_report_settles_a_final_job(world: World) -> None:
    run_job(world)
    world.jobs.finish(PAIR, "mail-1", 1, DONE)  # the first relay died at this point

    assert relayed(world.relay, report(world, fence=1)) == RelayResult.SETTLED
    assert world.task_tokens.ends == [("token", "success")]


def test_stale_worker_cannot_finish_the_job_of_its_successor(world: World) -> None:
    run_job(world, fence=1)
    world.jobs.start(PAIR, "mail-1", world.ownership.claim(PAIR, "w").fence)

    assert relayed(world.relay, report(world, fence=1)) == RelayResult.DROPPED
    assert world.jobs.get(PAIR, "mail-1").state == "running"
    assert world.task_tokens.ends == []


def test_stale_heartbeat_is_dropped(world: World) -> None:
    run_job(world, fence=2)

    assert relayed(world.relay, report(world, fence=1, outcome=None)) == RelayResult.DROPPED
    assert world.task_tokens.beats == []


def test_heartbeat_of_the_owner_is_sent_to_the_task(world: World) -> None:
    run_job(world)

    assert relayed(world.relay, report(world, fence=1, outcome=None)) == RelayResult.BEAT
    assert world.task_tokens.beats == ["token"]


def test_report_for_an_unknown_job_is_dropped(world: World) -> None:
    assert relayed(world.relay, report(world, fence=1, job_id="never-seen")) == RelayResult.DROPPED


def test_expired_task_token_is_not_retried(world: World) -> None:
    run_job(world)
    world.task_tokens.ends.append(("token", "timed out"))

    assert relayed(world.relay, report(world, fence=1)) == RelayResult.SETTLED
    assert world.jobs.get(PAIR, "mail-1").state == "done"


def cost(dollars: float) -> Outcome:
    return Outcome(state="done", usage=Usage(dollars=dollars))


def left_for_another(world: World) -> float:
    project, sender = Account("project", PAIR.project, 3.0), Account("sender", "eve@example.com", 100)
    return world.budgets.reserve("another", world.clock(), project, sender, MonthAccount(PAIR, 1000)).dollars


def reserve(world: World) -> None:
    project, sender = Account("project", PAIR.project, 3.0), Account("sender", "ada@example.com", 100)
    world.budgets.reserve("mail-1", world.clock(), project, sender, MonthAccount(PAIR, 1000))


def test_cost_of_a_job_counts_once(world: World) -> None:
    reserve(world)
    world.jobs.record(world.job(max_dollars=5.0), "token")
    world.jobs.start(PAIR, "mail-1", world.ownership.claim(PAIR, "w").fence)
    for dollars in (2.5, 2.5, 0.0):  # reported, delivered again, reported as zero
        relayed(world.relay, report(world, 1, cost(dollars)))

    assert left_for_another(world) == 0.5


def test_cost_in_a_stale_report_does_not_count(world: World) -> None:
    world.jobs.record(world.job(max_dollars=5.0), "token")
    for _ in range(2):
        world.ownership.claim(PAIR, "w")
    world.jobs.start(PAIR, "mail-1", 2)
    relayed(world.relay, report(world, 1, cost(3.0)))

    assert left_for_another(world) == 3.0


# ── foreign reports ─────────────────────────────────────────────────────────────────────────────────────────────────

ROLE = "AROAEXAMPLEEXAMPLE"
FORGED = Outcome(state="done", summary="Log in at evil.example.net", preview_url="https://evil.example.net")


def untouched(world: World) -> bool:
    return world.jobs.get(PAIR, "mail-1").state == "running" and world.task_tokens.ends == []


def test_report_of_a_worker_that_is_not_the_owner_is_dropped(world: World) -> None:
    run_job(world)
    forged = report(world, 1, FORGED).model_copy(update={"container_id": "attacker"})

    assert relayed(world.relay, forged) == RelayResult.DROPPED
    assert untouched(world)


@pytest.mark.parametrize(
    "sender", [f"{ROLE}:attacker", "AROAOTHER:w", ROLE, f"{ROLE}:", f"{ROLE}:w:w", "", None, "AIDAOPERATOR"]
)
def test_report_is_dropped_unless_sqs_names_the_owner_as_sender(world: World, sender: str | None) -> None:
    run_job(world)
    strict = replace(world.relay, senders=Senders(world.ownership, ROLE))

    assert relayed(strict, report(world, 1, FORGED), sender) == RelayResult.DROPPED
    assert untouched(world)


def test_forged_heartbeat_is_dropped(world: World) -> None:
    run_job(world)
    strict = replace(world.relay, senders=Senders(world.ownership, ROLE))

    assert relayed(strict, report(world, 1, outcome=None), f"{ROLE}:attacker") == RelayResult.DROPPED
    assert world.task_tokens.beats == []


def test_report_of_the_owner_passes_the_sender_check(world: World) -> None:
    run_job(world)
    strict = replace(world.relay, senders=Senders(world.ownership, ROLE))

    assert relayed(strict, report(world, 1), f"{ROLE}:w") == RelayResult.SETTLED


def test_report_of_a_former_owner_is_accepted_after_release(world: World) -> None:
    run_job(world)
    world.ownership.release_lease(world.ownership.inspect(PAIR))
    world.ownership.claim(PAIR, "its-successor")

    assert relayed(world.relay, report(world, fence=1)) == RelayResult.SETTLED


def test_report_of_an_owner_before_the_previous_is_dropped(world: World) -> None:
    run_job(world)
    for _ in range(2):
        world.ownership.claim(PAIR, "w")

    assert relayed(world.relay, report(world, fence=1)) == RelayResult.DROPPED
    assert untouched(world)


def test_without_a_worker_role_only_the_report_is_checked(world: World) -> None:
    """As on the emulator, where all messages have the same sender."""
    run_job(world)

    assert relayed(world.relay, report(world, 1), "AIDAIT2UOQQY3AUEKVGXU") == RelayResult.SETTLED


class Traced:
    """A fake X-Ray that accepts, rejects or fails."""

    def __init__(self, error: Exception | None = None) -> None:
        self.segments: list[dict[str, Any]] = []
        self.error = error

    def put_trace_segments(self, *, TraceSegmentDocuments: list[str]) -> dict[str, Any]:  # noqa: N803
        if self.error is not None:
            raise self.error
        self.segments += [json.loads(one) for one in TraceSegmentDocuments]
        return {"UnprocessedTraceSegments": []}


TRACE = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"


def finish_traced(world: World, traced: Traced, trace: str, seconds: float = 30) -> RelayResult:
    world.jobs.record(world.job(trace=trace), "token")
    world.ownership.claim(PAIR, "w")
    world.jobs.start(PAIR, "mail-1", 1)
    world.clock.advance(100)
    relay = replace(world.relay, traces=WorkerTraces(lambda: traced, "webordinary-worker", world.clock))
    outcome = DONE.model_copy(update={"usage": Usage(seconds=seconds)})
    relayed(relay, report(world, 1, outcome))
    return relayed(relay, report(world, 1, outcome))


def test_repeated_report_writes_one_trace_segment(world: World) -> None:
    traced = Traced()

    finish_traced(world, traced, TRACE)

    assert {one["id"] for one in traced.segments} == {traced.segments[0]["id"]}
    part = traced.segments[0]
    assert (part["trace_id"], part["parent_id"]) == ("1-5759e988-bd862e3fe1be46a994272793", "53995c3f42cd8ad8")
    assert (part["end_time"], part["end_time"] - part["start_time"]) == (world.clock().timestamp(), 30)
    assert part["fault"] is False


def test_trace_segment_starts_after_the_mail_arrived(world: World) -> None:
    traced = Traced()

    finish_traced(world, traced, TRACE, seconds=1e8)

    assert traced.segments[0]["end_time"] - traced.segments[0]["start_time"] == 100


@pytest.mark.parametrize("trace", ["", TRACE.replace("Sampled=1", "Sampled=0"), "Root=no-trace"], ids=str)
def test_no_trace_segment_without_a_sampled_trace(world: World, trace: str) -> None:
    traced = Traced()

    finish_traced(world, traced, trace)

    assert traced.segments == []


def test_failed_trace_segment_does_not_affect_the_report(world: World) -> None:
    finish_traced(world, Traced(EndpointConnectionError(endpoint_url="https://xray")), TRACE)

    assert world.task_tokens.ends == [("token", "success")]


# ── messages as they arrive ─────────────────────────────────────────────────────────────────────────────────────────


def strict(world: World) -> RelayCallback:
    return replace(world.relay, senders=Senders(world.ownership, ROLE))


@pytest.mark.parametrize("group", [PAIR.key, "garden#bob", "no pair", ""])
@pytest.mark.parametrize("body", ["{", "", '{"kind": "sang"}', "[]"])
def test_unreadable_message_in_another_pairs_group_is_dropped(world: World, group: str, body: str) -> None:
    run_job(world)

    assert strict(world).run(body, group, f"{ROLE}:attacker") == RelayResult.DROPPED
    assert world.waiting("output_dead_letters") == []


def test_unreadable_report_of_an_owner_moves_to_the_dead_letters(world: World) -> None:
    run_job(world)

    for _ in range(2):  # delivered again
        assert strict(world).run("{", PAIR.key, f"{ROLE}:w") == RelayResult.UNREADABLE
    (letter,) = world.waiting("output_dead_letters")
    assert UnreadableReport.read(letter) == UnreadableReport(body="{", group=PAIR.key, sender_id=f"{ROLE}:w")


def test_report_in_the_group_of_its_pair_is_relayed(world: World) -> None:
    run_job(world)

    result = strict(world).run(report(world, 1).wire_text(), PAIR.key, f"{ROLE}:w")

    assert result == RelayResult.SETTLED


def test_report_for_another_pair_than_its_group_is_dropped(world: World) -> None:
    run_job(world)
    bob = Pair(project="garden", user="bob")
    world.ownership.claim(bob, "w")
    body = report(world, 1).model_copy(update={"pair": bob}).wire_text()

    assert strict(world).run(body, PAIR.key, f"{ROLE}:w") == RelayResult.DROPPED


@pytest.mark.parametrize("number", ["NaN", "Infinity"])
def test_report_with_a_cost_that_is_no_number_is_unreadable(world: World, number: str) -> None:
    run_job(world)
    body = report(world, 1).wire_text().replace('"dollars":0.0', f'"dollars":{number}')

    assert strict(world).run(body, PAIR.key, f"{ROLE}:w") == RelayResult.UNREADABLE
