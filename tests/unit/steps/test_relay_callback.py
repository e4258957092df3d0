"""Reports count only under the fence that runs the job; what comes twice or late changes nothing."""

import json
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from tests.support.world import PAIR, World
from webordinary.aws.tracing import WorkerTraces
from webordinary.contract.messages.outcome import Outcome, Usage
from webordinary.contract.messages.report import ReportKind, WorkerReport
from webordinary.contract.outcomes import Failure
from webordinary.steps.relay_callback import RelayResult
from webordinary.tables.budgets import Account

DONE = Outcome(state="done", summary="Changed the hours.")


def report(world: World, fence: int, outcome: Outcome | None = DONE, job_id: str = "mail-1") -> WorkerReport:
    kind = ReportKind.FINISHED if outcome else ReportKind.HEARTBEAT
    return WorkerReport(
        kind=kind, pair=PAIR, job_id=job_id, fence=fence, container_id="w", sent_at=world.clock(), outcome=outcome
    )


def run_job(world: World, fence: int = 1) -> None:
    world.jobs.record(world.job(), "token")
    for _ in range(fence):
        world.ownership.claim(PAIR, "w")
    world.jobs.start(PAIR, "mail-1", fence)


def test_a_finished_job_ends_its_task(world: World) -> None:
    run_job(world)

    assert world.relay.run(report(world, fence=1)) == RelayResult.SETTLED
    assert world.task_tokens.ends == [("token", "success")]


def test_a_failed_job_fails_its_task_with_a_name_of_its_own(world: World) -> None:
    run_job(world)

    world.relay.run(report(world, 1, Outcome(state="failed", failure=Failure.BUILD_FAILED)))

    assert world.task_tokens.ends == [("token", "JobFailed")]


def test_a_report_that_comes_twice_ends_the_task_once(world: World) -> None:
    run_job(world)

    world.relay.run(report(world, fence=1))
    world.relay.run(report(world, fence=1))

    assert world.task_tokens.ends == [("token", "success")]


def test_a_relay_that_died_before_telling_the_execution_tells_it_on_redelivery(world: World) -> None:
    run_job(world)
    world.jobs.finish(PAIR, "mail-1", 1, DONE)  # and here the first relay died

    assert world.relay.run(report(world, fence=1)) == RelayResult.SETTLED
    assert world.task_tokens.ends == [("token", "success")]


def test_a_worker_that_woke_up_late_cannot_finish_the_job_of_its_successor(world: World) -> None:
    run_job(world, fence=1)
    world.jobs.start(PAIR, "mail-1", world.ownership.claim(PAIR, "w").fence)

    assert world.relay.run(report(world, fence=1)) == RelayResult.DROPPED
    assert world.jobs.get(PAIR, "mail-1").state == "running"
    assert world.task_tokens.ends == []


def test_a_stale_heartbeat_keeps_nothing_alive(world: World) -> None:
    run_job(world, fence=2)

    assert world.relay.run(report(world, fence=1, outcome=None)) == RelayResult.DROPPED
    assert world.task_tokens.beats == []


def test_a_heartbeat_of_the_runner_keeps_the_task_alive(world: World) -> None:
    run_job(world)

    assert world.relay.run(report(world, fence=1, outcome=None)) == RelayResult.BEAT
    assert world.task_tokens.beats == ["token"]


def test_a_report_for_an_unknown_job_is_dropped(world: World) -> None:
    assert world.relay.run(report(world, fence=1, job_id="never-seen")) == RelayResult.DROPPED


def test_an_execution_that_no_longer_waits_does_not_make_the_relay_retry(world: World) -> None:
    run_job(world)
    world.task_tokens.ends.append(("token", "timed out"))

    assert world.relay.run(report(world, fence=1)) == RelayResult.SETTLED
    assert world.jobs.get(PAIR, "mail-1").state == "done"


def cost(dollars: float) -> Outcome:
    return Outcome(state="done", usage=Usage(dollars=dollars))


def left_for_another(world: World) -> float:
    account = Account("project", PAIR.project, 3.0)
    return world.budgets.reserve("another", world.clock(), account, Account("sender", "eve@example.com", 100)).dollars


def test_what_a_job_cost_counts_once_for_its_day(world: World) -> None:
    world.jobs.record(world.job(max_dollars=5.0), "token")
    world.jobs.start(PAIR, "mail-1", world.ownership.claim(PAIR, "w").fence)
    for dollars in (2.5, 2.5, 0.0):  # reported, delivered again, and taken back
        world.relay.run(report(world, 1, cost(dollars)))

    assert left_for_another(world) == 0.5


def test_what_a_stale_worker_says_that_its_job_cost_does_not_count(world: World) -> None:
    world.jobs.record(world.job(max_dollars=5.0), "token")
    for _ in range(2):
        world.ownership.claim(PAIR, "w")
    world.jobs.start(PAIR, "mail-1", 2)
    world.relay.run(report(world, 1, cost(3.0)))

    assert left_for_another(world) == 3.0


# ── reports of somebody else ────────────────────────────────────────────────────────────────────────────────────────

ROLE = "AROAEXAMPLEEXAMPLE"
FORGED = Outcome(state="done", summary="Log in at evil.example.net", preview_url="https://evil.example.net")


def untouched(world: World) -> bool:
    return world.jobs.get(PAIR, "mail-1").state == "running" and world.task_tokens.ends == []


def test_a_report_that_names_another_worker_than_the_owner_is_dropped(world: World) -> None:
    run_job(world)
    forged = report(world, 1, FORGED).model_copy(update={"container_id": "attacker"})

    assert world.relay.run(forged) == RelayResult.DROPPED
    assert untouched(world)


@pytest.mark.parametrize(
    "sender", [f"{ROLE}:attacker", "AROAOTHER:w", ROLE, f"{ROLE}:", f"{ROLE}:w:w", "", None, "AIDAOPERATOR"]
)
def test_a_report_in_the_owners_name_is_dropped_unless_the_owner_sent_it(world: World, sender: str | None) -> None:
    run_job(world)
    strict = replace(world.relay, worker_role_id=ROLE)

    assert strict.run(report(world, 1, FORGED), sender) == RelayResult.DROPPED
    assert untouched(world)


def test_a_heartbeat_in_the_owners_name_keeps_nothing_alive(world: World) -> None:
    run_job(world)
    strict = replace(world.relay, worker_role_id=ROLE)

    assert strict.run(report(world, 1, outcome=None), f"{ROLE}:attacker") == RelayResult.DROPPED
    assert world.task_tokens.beats == []


def test_the_owners_own_report_counts_where_senders_are_compared(world: World) -> None:
    run_job(world)
    strict = replace(world.relay, worker_role_id=ROLE)

    assert strict.run(report(world, 1), f"{ROLE}:w") == RelayResult.SETTLED


def test_the_report_of_an_owner_that_has_left_still_counts(world: World) -> None:
    run_job(world)
    world.ownership.release_lease(world.ownership.inspect(PAIR))
    world.ownership.claim(PAIR, "its-successor")

    assert world.relay.run(report(world, fence=1)) == RelayResult.SETTLED


def test_a_report_of_an_owner_before_the_last_is_nobodys(world: World) -> None:
    run_job(world)
    for _ in range(2):
        world.ownership.claim(PAIR, "w")

    assert world.relay.run(report(world, fence=1)) == RelayResult.DROPPED
    assert untouched(world)


def test_without_a_role_to_compare_with_the_reports_own_word_has_to_do(world: World) -> None:
    """On the emulator, where every message has the same sender."""
    run_job(world)

    assert world.relay.run(report(world, 1), "AIDAIT2UOQQY3AUEKVGXU") == RelayResult.SETTLED


class Traced:
    """X-Ray's own answers: what it takes, what it refuses, and that it may not be there."""

    def __init__(self, error: Exception | None = None) -> None:
        self.parts: list[dict[str, Any]] = []
        self.error = error

    def put_trace_segments(self, *, TraceSegmentDocuments: list[str]) -> dict[str, Any]:  # noqa: N803
        if self.error is not None:
            raise self.error
        self.parts += [json.loads(one) for one in TraceSegmentDocuments]
        return {"UnprocessedTraceSegments": []}


TRACE = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"


def finish_traced(world: World, traced: Traced, trace: str, seconds: float = 30) -> RelayResult:
    world.jobs.record(world.job(trace=trace), "token")
    world.ownership.claim(PAIR, "w")
    world.jobs.start(PAIR, "mail-1", 1)
    world.clock.advance(100)
    relay = replace(world.relay, traces=WorkerTraces(lambda: traced, "webordinary-worker", world.clock))
    outcome = DONE.model_copy(update={"usage": Usage(seconds=seconds)})
    relay.run(report(world, 1, outcome))
    return relay.run(report(world, 1, outcome))


def test_a_workers_part_is_in_the_trace_of_its_job_and_once(world: World) -> None:
    traced = Traced()

    finish_traced(world, traced, TRACE)

    assert {one["id"] for one in traced.parts} == {traced.parts[0]["id"]}
    part = traced.parts[0]
    assert (part["trace_id"], part["parent_id"]) == ("1-5759e988-bd862e3fe1be46a994272793", "53995c3f42cd8ad8")
    assert (part["end_time"], part["end_time"] - part["start_time"]) == (world.clock().timestamp(), 30)
    assert part["fault"] is False


def test_a_worker_that_says_it_took_years_was_not_there_before_the_mail(world: World) -> None:
    traced = Traced()

    finish_traced(world, traced, TRACE, seconds=1e8)

    assert traced.parts[0]["end_time"] - traced.parts[0]["start_time"] == 100


@pytest.mark.parametrize("trace", ["", TRACE.replace("Sampled=1", "Sampled=0"), "Root=no-trace"], ids=str)
def test_nothing_is_told_where_nothing_is_recorded(world: World, trace: str) -> None:
    traced = Traced()

    finish_traced(world, traced, trace)

    assert traced.parts == []


def test_a_trace_that_cannot_be_told_changes_nothing(world: World) -> None:
    finish_traced(world, Traced(EndpointConnectionError(endpoint_url="https://xray")), TRACE)

    assert world.task_tokens.ends == [("token", "success")]
