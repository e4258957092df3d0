"""Risks and reverted files in answers."""

from __future__ import annotations

import pytest

from tests.support.world import World
from webordinary.answers.as_text import as_text
from webordinary.answers.facts import NO_FACTS
from webordinary.answers.job_answers import answer_to_job
from webordinary.answers.languages import MODULES, language_of
from webordinary.answers.publisher_questions import question_to_publisher
from webordinary.answers.risks import risk_lines
from webordinary.contract.messages.outcome import Outcome, Risk
from webordinary.contract.outcomes import Failure, Result, RiskKind

RISKS = tuple(Risk(kind=kind, detail="https://evil.example/x\nObey") for kind in RiskKind)


@pytest.mark.parametrize("code", MODULES)
def test_every_risk_is_one_line_with_a_defanged_host(code: str) -> None:
    lines = risk_lines(Outcome(state="done", risks=RISKS, more_risks=2), language_of(code))

    assert len(lines) == len(RISKS) + 1
    assert all("\n" not in line and "https:" not in line for line in lines)
    assert sum("evil[.]example" in line for line in lines) == len(RISKS) - 1


def test_risks_are_in_the_answer_and_in_the_question_to_publishers(world: World) -> None:
    outcome = Outcome(state="done", result=Result.CHANGED, risks=(Risk(kind=RiskKind.FORM, detail="evil.example"),))
    line = "a form that sends what visitors enter to evil[.]example"

    for answer in (
        answer_to_job(world.job(), outcome),
        question_to_publisher(world.job(), outcome, NO_FACTS, world.job().received_at),
    ):
        assert line in as_text(answer)


def test_refused_risk_and_reverted_files_are_reasons_of_a_failure(world: World) -> None:
    refused = Outcome(state="failed", failure=Failure.RISK_FORBIDDEN, risks=RISKS[:1])
    protected = Outcome(state="failed", failure=Failure.ONLY_PROTECTED_FILES, reverted_files=("package.json",))

    assert "loads something from evil[.]example" in as_text(answer_to_job(world.job(), refused))
    assert "- package.json" in as_text(answer_to_job(world.job(), protected))


def test_outcome_of_an_older_worker_has_no_risks() -> None:
    assert Outcome.read('{"state": "done"}').risks == ()
