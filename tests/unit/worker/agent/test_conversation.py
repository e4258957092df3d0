"""A job's turns with the agent: results, costs and failures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.world import World
from tests.unit.worker.small_site import (
    FIRST,
    PAGE,
    SmallSite,
    append_line,
    failing_build,
    run_job,
    tree_of,
)
from webordinary.contract.messages.mail import Attachment
from webordinary.contract.outcomes import Command, Failure
from webordinary_worker.agent.conversation import is_small
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.agent.transcripts import Session
from webordinary_worker.jobs.job_run import JobRun
from webordinary_worker.jobs.pair_tools import PairTools
from webordinary_worker.proxies.model_api import ModelTrouble


def test_failed_turn_discards_the_agents_edits(site: SmallSite, tools: PairTools, world: World) -> None:
    def fail(prompt: str, tree: Path) -> AgentResult:
        append_line(prompt, tree)
        return AgentResult(is_error=True, summary="Overloaded")

    site.agent = fail
    outcome = run_job(world.job(), tools)

    assert (outcome.failure, outcome.detail, outcome.summary) == (Failure.AGENT_FAILED, "Overloaded", "")
    assert (tree_of(tools).folder / PAGE).read_text() == FIRST
    assert site.subjects() == []


def test_session_is_resumed_with_its_cost_so_far(site: SmallSite, tools: PairTools, world: World) -> None:
    site.sessions.known = Session("one", 0.5)
    site.agent = lambda *_: AgentResult(
        session_id="one", session_dollars=0.75, input_tokens=10, output_tokens=3, dollars=0.25, summary="Fine."
    )

    usage = run_job(world.job(), tools).usage

    assert [(turn.session_id, turn.spent) for turn in site.turns] == [("one", 0.5)]
    assert (usage.dollars, usage.input_tokens, usage.output_tokens) == (0.25, 10, 3)
    assert site.sessions.known == Session("one", 0.75)


def test_session_that_cannot_be_resumed_is_replaced_by_a_new_one(
    site: SmallSite, tools: PairTools, world: World
) -> None:
    site.sessions.known = Session("gone", 0.5)
    answers = iter([AgentResult(is_error=True, dollars=0.04), AgentResult(session_id="new", dollars=0.06)])
    site.agent = lambda *_: next(answers)

    outcome = run_job(world.job(), tools)

    assert [turn.session_id for turn in site.turns] == ["gone", None]
    assert (outcome.state, outcome.usage.dollars, site.sessions.forgotten) == ("done", 0.1, 1)


def test_failed_turn_of_a_resumed_session_is_not_retried(site: SmallSite, tools: PairTools, world: World) -> None:
    site.sessions.known = Session("one", 0.5)
    site.agent = lambda *_: AgentResult(is_error=True, session_id="one")

    run_job(world.job(), tools)

    assert (len(site.turns), site.sessions.forgotten) == (1, 0)


def test_cost_so_far_includes_the_current_turn_and_never_falls(site: SmallSite, tools: PairTools, world: World) -> None:
    run = JobRun(world.job(), lambda: tools, lambda: None)
    agent: Any = tools.agent
    seen = [run.dollars_so_far()]

    def turn(*_: object) -> AgentResult:
        for agent.turn_dollars in (0.1, 0.25, 0.0):  # 0: the turn has ended and is not counted yet
            seen.append(run.dollars_so_far())
        return AgentResult(session_id="one", dollars=0.25, summary="Fine.")

    site.agent = turn
    outcome = run.run()

    assert [*seen, run.dollars_so_far()] == [0.0, 0.1, 0.25, 0.25, 0.25]
    assert outcome.usage.dollars == 0.25


def test_bill_counts_every_turn(site: SmallSite, tools: PairTools, world: World) -> None:
    site.build = failing_build
    turns = iter([(1, 0.2), (2, 0.3)])

    def expensive(prompt: str, tree: Path) -> AgentResult:
        tokens, dollars = next(turns)
        if "<mail>" in prompt:
            append_line(prompt, tree)
        return AgentResult(session_id="one", dollars=dollars, input_tokens=tokens, output_tokens=10 * tokens)

    site.agent = expensive
    usage = run_job(world.job(), tools).usage

    assert (usage.dollars, usage.input_tokens, usage.output_tokens) == (0.5, 3, 30)


def test_bill_ignores_the_agents_own_cost(site: SmallSite, tools: PairTools, world: World) -> None:
    site.agent = lambda *_: AgentResult(session_id="one", session_dollars=0.1)

    assert run_job(world.job(), tools).usage.dollars == 0.0


def test_exhausted_budget_fails_the_job_without_change(site: SmallSite, tools: PairTools, world: World) -> None:
    def spend(prompt: str, tree: Path) -> AgentResult:
        append_line(prompt, tree)
        return AgentResult(is_error=True, over_budget=True, dollars=5.0)

    site.agent = spend
    outcome = run_job(world.job(), tools)

    assert (outcome.failure, outcome.usage.dollars, site.subjects()) == (Failure.BUDGET_SPENT, 5.0, [])


@pytest.mark.parametrize(
    ("trouble", "failure"),
    [(ModelTrouble.BUSY, Failure.MODEL_BUSY), (ModelTrouble.UNAVAILABLE, Failure.MODEL_UNAVAILABLE)],
)
def test_trouble_of_the_model_fails_the_job_and_keeps_the_session(
    site: SmallSite, tools: PairTools, world: World, trouble: ModelTrouble, failure: Failure
) -> None:
    site.sessions.known = Session("one", 0.5)

    def fail(prompt: str, tree: Path) -> AgentResult:
        append_line(prompt, tree)
        return AgentResult(is_error=True, summary="API Error").model_copy(update={"trouble": trouble})

    site.agent = fail
    outcome = run_job(world.job(), tools)

    assert (outcome.failure, outcome.detail, site.subjects()) == (failure, "", [])
    assert (len(site.turns), site.sessions.forgotten) == (1, 0)


def test_agent_cannot_report_trouble_of_the_model() -> None:
    assert AgentResult.model_validate_json('{"trouble": "unavailable"}').trouble is None


@pytest.mark.parametrize(("words", "small"), [(1, True), (200, False)])
def test_short_request_is_small(site: SmallSite, tools: PairTools, world: World, words: int, small: bool) -> None:
    run_job(world.job(instruction="word " * words), tools)

    assert [turn.small for turn in site.turns] == [small]


def test_request_with_an_attachment_is_not_small(world: World) -> None:
    assert not is_small(world.job(attachments=(Attachment(name="photo.jpg", key="k"),)))


def test_later_turn_gets_the_jobs_cost_so_far(site: SmallSite, tools: PairTools, world: World) -> None:
    site.build = failing_build
    site.agent = lambda prompt, tree: append_line(prompt, tree).model_copy(update={"dollars": 0.2})

    with pytest.raises(IndexError):  # the repair's prompt has no mail
        run_job(world.job(), tools)
    assert [turn.job_dollars for turn in site.turns] == [0.0, 0.2]


def test_usage_seconds_count_from_the_start_of_the_job(tools: PairTools, world: World) -> None:
    seconds = iter(range(100))

    run = JobRun(world.job(command=Command.HELP), lambda: tools, lambda: None, monotonic=lambda: next(seconds))
    outcome = run.run()

    assert outcome.usage.seconds == 1


def test_next_agent_is_prepared_with_the_current_tree(site: SmallSite, tools: PairTools, world: World) -> None:
    site.sessions.known = Session("one", 0.5)

    assert run_job(world.job(), tools).state == "done"

    assert site.started_homes == [tools.workspace.thread_folder(world.job().thread_id) / "agent"]
    assert site.ready == [("one", (tree_of(tools).folder / PAGE).read_text())]


def test_failure_to_prepare_the_next_agent_does_not_fail_the_job(
    site: SmallSite, tools: PairTools, world: World
) -> None:
    def fail(**_: object) -> None:
        raise OSError("no more processes")

    site.sessions.known = Session("one", 0.5)
    tools.agent.prepare_next = fail  # type: ignore[method-assign]

    assert run_job(world.job(), tools).state == "done"
