"""The agent names a command, or answers a question about the site. Nothing that is live changes without a yes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.world import THREAD, World
from tests.unit.worker.jobs.test_publish import Public
from tests.unit.worker.small_site import FIRST, SmallSite, append_line, job_run, run_job
from webordinary.contract.messages.job import Approval, Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Command, EarlierFate, Failure, Result
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.agent.statement import NamedCommand, Statement, StatementKind, statement_schema
from webordinary_worker.jobs.pair_tools import PairTools

LATER = [NamedCommand.STATUS, NamedCommand.HELP, NamedCommand.STOP]


@pytest.fixture
def public(site: SmallSite, world: World) -> Public:
    return Public(site, world)


def naming(command: str, *, edits: bool = False, **more: Any) -> Callable[[str, Path], AgentResult]:
    kind = StatementKind.COMMAND if command else StatementKind.ANSWER
    statement = Statement(kind=kind, language="de", command=NamedCommand(command), **more)

    def agent(prompt: str, tree: Path) -> AgentResult:
        if edits:
            append_line(prompt, tree)
        return AgentResult(session_id="one", statement=statement)

    return agent


def mail(public: Public, text: str = "mach das live") -> Job:
    return public.job(Command.EDIT).model_copy(update={"instruction": text})


def understood(public: Public, command: str, *, editor: bool = False) -> Outcome:
    public.site.agent = naming(command)
    return run_job(mail(public), public.worker(editor=editor))


def yes(public: Public, asked: Outcome) -> Outcome:
    """The job of a yes to the question of this outcome."""
    assert asked.understood is not None
    about = Approval(
        thread_id=THREAD,
        command=asked.understood,
        commit=asked.commit or "",
        tree=asked.tree or "",
        release=asked.release,
    )
    return run_job(public.job(asked.understood, approved=about), public.worker())


def test_named_publish_asks_about_what_the_preview_shows(public: Public) -> None:
    commit = public.change("new")

    asked = understood(public, "publish")

    assert (asked.result, asked.understood, asked.commit) == (Result.NOTHING_CHANGED, Command.PUBLISH, commit)
    assert (asked.subject, asked.language) == ("A change", "de")
    assert asked.preview_url
    assert public.live_files() == {}


def test_yes_to_the_question_publishes_that_commit(public: Public) -> None:
    public.change("new")

    outcome = yes(public, understood(public, "publish"))

    assert outcome.result is Result.PUBLISHED
    assert public.main() == "new"


def test_yes_after_a_newer_change_asks_again(public: Public) -> None:
    public.change("new")
    asked = understood(public, "publish")
    public.change("newer")

    outcome = yes(public, asked)

    assert (outcome.result, public.main(), public.live_files()) == (Result.PUBLISH_ASKED_AGAIN, FIRST, {})


def test_named_publish_of_an_editor_asks_the_publishers(public: Public) -> None:
    public.change("new")

    asked = understood(public, "publish", editor=True)

    assert (asked.result, asked.understood) == (Result.PUBLISH_ASKED, None)


def test_named_publish_without_a_change_says_so(public: Public) -> None:
    assert understood(public, "publish").result is Result.NOTHING_TO_PUBLISH

    public.change("new")
    public.publish()
    assert understood(public, "publish").result is Result.ALREADY_LIVE


def test_named_unpublish_asks_and_a_yes_takes_the_release_off(public: Public) -> None:
    public.change("one")
    public.publish()
    public.change("two")
    public.publish()

    asked = understood(public, "unpublish")

    assert (asked.understood, asked.release, asked.subject) == (Command.UNPUBLISH, 2, "A change")
    assert "two" in public.live_files().values()
    assert yes(public, asked).result is Result.UNPUBLISHED
    assert "one" in public.live_files().values()


def test_yes_to_unpublish_asks_again_after_another_release(public: Public) -> None:
    public.change("one")
    public.publish()
    public.change("two")
    public.publish()
    asked = understood(public, "unpublish")
    public.change("three")
    public.publish()

    again = yes(public, asked)

    assert (again.understood, again.release) == (Command.UNPUBLISH, 3)
    assert "three" in public.live_files().values()


def test_named_unpublish_of_an_editor_is_refused(public: Public) -> None:
    assert understood(public, "unpublish", editor=True).failure is Failure.NOT_A_PUBLISHER


def test_named_undo_takes_back_the_last_change(site: SmallSite, tools: PairTools, world: World) -> None:
    run_job(world.job("mail-1", instruction="second line"), tools)
    site.agent = naming("undo")

    outcome = run_job(world.job("mail-2", instruction="Zurück damit, das war falsch"), tools)

    assert (outcome.result, outcome.subject, outcome.language) == (Result.UNDONE, "second line", "de")
    assert site.page() == FIRST


@pytest.mark.parametrize("command", LATER)
def test_command_without_a_worker_is_reported_and_nothing_is_built(
    site: SmallSite, tools: PairTools, world: World, command: NamedCommand
) -> None:
    site.agent = naming(command)

    outcome = run_job(world.job(instruction="Wie sieht es aus?"), tools)

    assert (outcome.result, outcome.understood) == (Result.NOTHING_CHANGED, Command(command))
    assert (site.subjects(), site.preview_page) == ([], None)
    assert outcome.for_execution().wire()["understood"] == command


def test_answer_changes_builds_and_deploys_nothing(site: SmallSite, tools: PairTools, world: World) -> None:
    built: list[Path] = []
    site.build = lambda tree: built.append(tree) or tree  # type: ignore[func-returns-value]
    site.agent = naming("", summary="Contact\nImprint")

    outcome = run_job(world.job(instruction="Which pages mention 555 0100?"), tools)

    assert (outcome.result, outcome.understood, outcome.summary) == (Result.NOTHING_CHANGED, None, "Contact\nImprint")
    assert (outcome.preview_url, outcome.commit, site.subjects(), site.preview_page) == (None, None, [], None)
    assert built == []


@pytest.mark.parametrize("command", ["publish", "stop", "undo", ""])
def test_agent_that_names_a_command_and_edits_has_made_a_change(
    site: SmallSite, tools: PairTools, world: World, command: str
) -> None:
    site.agent = naming(command, edits=True)

    outcome = run_job(world.job(instruction="second line"), tools)

    assert (outcome.result, outcome.understood) == (Result.CHANGED, None)
    assert len(site.subjects()) == 1


@pytest.mark.parametrize(
    "words", [{"instruction": "", "forwarded": "Put it live."}, {"instruction": "Put it live.", "is_forward": True}]
)
def test_forward_without_own_words_names_no_command(public: Public, words: dict[str, object]) -> None:
    public.change("new")
    public.site.agent = naming("publish", summary="The text asks to publish.")
    job = mail(public).model_copy(update=words)

    outcome = run_job(job, public.worker())

    assert (outcome.result, outcome.understood, outcome.commit) == (Result.NOTHING_CHANGED, None, None)
    assert public.live_files() == {}


def interrupted(site: SmallSite, tools: PairTools, world: World) -> None:
    """Leaves the partial work of an earlier mail."""
    run = job_run(world.job("mail-1", instruction="second line"), tools)

    def cancelled(prompt: str, tree: Path) -> AgentResult:
        append_line(prompt, tree)
        run.cancel(CancelReason.INTERRUPTED)
        return AgentResult(summary="Half of it.")

    site.agent = cancelled
    with pytest.raises(JobCancelledError):
        run.run()
    run.keep_partial_work()


@pytest.mark.parametrize(
    ("command", "fate"), [("", EarlierFate.SEPARATE), ("status", EarlierFate.SEPARATE), ("stop", EarlierFate.KEPT)]
)
def test_interrupted_work_is_not_lost_to_a_command_or_a_question(
    site: SmallSite, tools: PairTools, world: World, command: str, fate: EarlierFate
) -> None:
    interrupted(site, tools, world)
    site.agent = naming(command, summary="Two pages.")

    outcome = run_job(world.job("mail-2", instruction="And how is it going?"), tools)

    assert [(work.job_id, work.fate) for work in outcome.earlier] == [("mail-1", fate)]


def test_statement_of_an_older_agent_names_no_command() -> None:
    older = {"kind": "result", "language": "en", "title": "", "summary": "Done.", "question": "", "take_back": 0}

    result = AgentResult.model_validate({"statement": {**older, "not_done": []}})

    assert result.statement is not None
    assert result.statement.command is NamedCommand.NONE
    assert set(statement_schema()["required"]) == set(Statement.model_fields)
