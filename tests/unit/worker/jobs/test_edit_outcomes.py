"""The agent's statement, not its edits, decides the outcome: result, partial result, question or refusal."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.world import World
from tests.unit.worker.small_site import FIRST, PAGE, SmallSite, append_line, failing_build, run_job, tree_of
from webordinary.contract.messages.outcome import NotDone
from webordinary.contract.outcomes import Failure, Result
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.agent.statement import Statement, StatementKind, statement_schema
from webordinary_worker.failures import BuildFailedError
from webordinary_worker.jobs.pair_tools import PairTools


def stating(kind: StatementKind, *, edits: bool = True, **more: Any) -> Callable[[str, Path], AgentResult]:
    """An agent that edits the page and makes this statement."""

    def agent(prompt: str, tree: Path) -> AgentResult:
        if edits:
            append_line(prompt, tree)
        return AgentResult(session_id="one", statement=Statement(kind=kind, **{"language": "de", **more}))

    return agent


def unchanged(site: SmallSite, tools: PairTools) -> bool:
    return site.subjects() == [] and site.preview_page is None and (tree_of(tools).folder / PAGE).read_text() == FIRST


def test_result_has_the_agents_summary_and_language(site: SmallSite, tools: PairTools, world: World) -> None:
    site.agent = stating(StatementKind.RESULT, summary="Die Zeiten stehen da.")

    outcome = run_job(world.job(), tools)

    assert (outcome.result, outcome.summary, outcome.language) == (Result.CHANGED, "Die Zeiten stehen da.", "de")


def test_partial_result_lists_what_is_missing(site: SmallSite, tools: PairTools, world: World) -> None:
    missing = NotDone(what="The shop", why="There is none on this site.")
    site.agent = stating(StatementKind.PARTIAL, summary="The hours are new.", not_done=(missing,))

    outcome = run_job(world.job(), tools)

    assert (outcome.result, outcome.not_done) == (Result.PARTLY_CHANGED, (missing,))
    assert len(site.subjects()) == 1


def test_question_discards_the_agents_edits(site: SmallSite, tools: PairTools, world: World) -> None:
    site.agent = stating(StatementKind.QUESTION, question="Which of the two menus?")

    outcome = run_job(world.job(), tools)

    assert (outcome.state, outcome.result) == ("done", Result.ASKED)
    assert (outcome.question, outcome.summary) == ("Which of the two menus?", "")
    assert unchanged(site, tools)


def test_reply_to_a_question_resumes_the_session(site: SmallSite, tools: PairTools, world: World) -> None:
    site.agent = stating(StatementKind.QUESTION, question="Which?")
    run_job(world.job("mail-1"), tools)

    site.agent = append_line
    run_job(world.job("mail-2"), tools)

    assert [turn.session_id for turn in site.turns] == [None, "one"]
    assert len(site.sessions.stored) == 2


def test_empty_question_falls_back_to_the_summary(site: SmallSite, tools: PairTools, world: World) -> None:
    site.agent = stating(StatementKind.QUESTION, summary="The old or the new one?")

    assert run_job(world.job(), tools).question == "The old or the new one?"


def test_refusal_discards_edits_and_says_why(site: SmallSite, tools: PairTools, world: World) -> None:
    site.agent = stating(StatementKind.REFUSAL, summary="A shop needs a developer.")

    outcome = run_job(world.job(), tools)

    assert (outcome.failure, outcome.summary) == (Failure.AGENT_REFUSED, "A shop needs a developer.")
    assert unchanged(site, tools)


@pytest.mark.parametrize("kind", [StatementKind.QUESTION, StatementKind.REFUSAL])
def test_agent_that_does_not_repair_leaves_no_change(
    site: SmallSite, tools: PairTools, world: World, kind: StatementKind
) -> None:
    site.build = failing_build
    turns = iter(
        [stating(StatementKind.RESULT), stating(kind, edits=False, question="And now?", summary="It cannot be.")]
    )
    site.agent = lambda prompt, tree: next(turns)(prompt, tree)

    outcome = run_job(world.job(), tools)

    assert (outcome.result, outcome.failure) in [(Result.ASKED, None), (None, Failure.AGENT_REFUSED)]
    assert unchanged(site, tools)


def test_named_change_is_undone_and_later_ones_stay(site: SmallSite, tools: PairTools, world: World) -> None:
    other = "other.txt"

    def write_another_page(_prompt: str, tree: Path) -> AgentResult:
        (tree / other).write_text("new")
        return AgentResult(summary="There.")

    run_job(world.job("mail-1", instruction="second line"), tools)
    site.agent = write_another_page
    run_job(world.job("mail-2", instruction="another page"), tools)

    site.agent = stating(StatementKind.TAKE_BACK, edits=False, take_back=2)
    outcome = run_job(world.job("mail-3", instruction="Please undo the second line."), tools)

    assert "1. new\n2. second line" in site.turns[-1].prompt
    assert (outcome.result, outcome.subject) == (Result.UNDONE, "second line")
    assert (site.page(), site.page(other)) == (FIRST, "new")


@pytest.mark.parametrize("number", [0, 2, 7])
def test_undo_of_an_unknown_change_does_nothing(site: SmallSite, tools: PairTools, world: World, number: int) -> None:
    run_job(world.job("mail-1", instruction="second line"), tools)
    site.agent = stating(StatementKind.TAKE_BACK, take_back=number)

    assert run_job(world.job("mail-2"), tools).result == Result.NOTHING_TO_UNDO
    assert site.subjects() == ["second line"]


def test_next_worker_reports_an_undo_that_was_already_pushed(site: SmallSite, tools: PairTools, world: World) -> None:
    run_job(world.job("mail-1", instruction="second line"), tools)
    site.agent = stating(StatementKind.TAKE_BACK, edits=False, take_back=1)
    run_job(world.job("mail-2", instruction="Undo the second line."), tools)

    again = run_job(world.job("mail-2", instruction="Undo the second line."), site.worker())

    assert (again.result, again.subject) == (Result.UNDONE, "second line")
    assert len(site.turns) == 2


def test_missing_statement_falls_back_to_the_plain_summary(site: SmallSite, tools: PairTools, world: World) -> None:
    outcome = run_job(world.job(), tools)

    assert (outcome.result, outcome.summary, outcome.language) == (Result.CHANGED, "I added a line.", "")


def test_statement_schema_requires_every_field() -> None:
    schema = statement_schema()

    assert set(schema["required"]) == set(Statement.model_fields)
    assert schema["type"] == "object"
    assert {"oneOf", "allOf", "anyOf"}.isdisjoint(schema)


def test_first_change_is_compared_with_the_threads_base(
    site: SmallSite, tools: PairTools, world: World, tmp_path: Path
) -> None:
    site.is_new = True
    site.build = lambda tree: shutil.copytree(tree, tmp_path / f"built-{len(site.scratch)}")

    (page,) = run_job(world.job(instruction="second line"), tools).pages

    assert (page.before, page.after) == (FIRST, FIRST + "second line\n")


@pytest.mark.parametrize("error", [BuildFailedError(), JobCancelledError(CancelReason.INTERRUPTED)])
def test_base_that_does_not_build_only_costs_the_page_list(
    site: SmallSite, tools: PairTools, world: World, error: Exception
) -> None:
    site.is_new = True
    builds = iter([None, error])

    def build(tree: Path) -> Path:
        if problem := next(builds):
            raise problem
        return tree

    site.build = build
    outcome = run_job(world.job(instruction="second line"), tools)

    assert (outcome.state, outcome.result, outcome.more_pages) == ("done", Result.CHANGED, 2)
    assert site.subjects() == ["second line"]
