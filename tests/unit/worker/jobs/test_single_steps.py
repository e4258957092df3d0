"""The commands build, commit and push."""

from __future__ import annotations

from tests.support.world import World
from tests.unit.worker.small_site import (
    FIRST,
    PAGE,
    PREVIEW,
    SmallSite,
    failing_build,
    interrupt,
    run_job,
    tree_of,
)
from tools import statemachine
from webordinary.contract.outcomes import Command, Failure, Result
from webordinary_worker.jobs.commands import COMMANDS
from webordinary_worker.jobs.pair_tools import PairTools


def test_build_command_deploys_the_pushed_tree(site: SmallSite, tools: PairTools, world: World) -> None:
    tree_of(tools)
    site.push_as_developer(PAGE, "theirs\n")

    outcome = run_job(world.job(command=Command.BUILD), tools)

    assert site.preview_page == "theirs\n"
    assert (outcome.result, outcome.preview_url) == (Result.BUILT, PREVIEW)


def test_failed_build_command_deploys_nothing(site: SmallSite, tools: PairTools, world: World) -> None:
    site.build = failing_build

    assert run_job(world.job(command=Command.BUILD), tools).failure == Failure.BUILD_FAILED
    assert site.preview_page is None


def test_commit_command_makes_a_change_of_partial_work(site: SmallSite, tools: PairTools, world: World) -> None:
    interrupt(world.job("mail-1", instruction="second line"), site)

    outcome = run_job(world.job("mail-2", command=Command.COMMIT), tools)

    assert (outcome.result, [work.subject for work in outcome.earlier]) == (Result.COMMITTED, ["second line"])
    assert site.preview_page == site.page() == FIRST + "second line\n"


def test_commit_command_ignores_leftovers_of_a_dead_job(site: SmallSite, tools: PairTools, world: World) -> None:
    (tree_of(tools).folder / PAGE).write_text("half a thought\n")

    assert run_job(world.job(command=Command.COMMIT), tools).result == Result.NOTHING_TO_COMMIT
    assert site.page() == FIRST


def test_push_command_shows_what_it_pushes(site: SmallSite, tools: PairTools, world: World) -> None:
    site.push_as_developer(PAGE, "theirs\n")

    outcome = run_job(world.job("mail-2", command=Command.PUSH), tools)

    assert (outcome.result, outcome.commit) == (Result.PUSHED, site.head())
    assert site.preview_page == "theirs\n"


def test_unknown_command_is_reported_as_unsupported(tools: PairTools, world: World) -> None:
    outcome = run_job(world.job(command=Command.HELP), tools)

    assert (outcome.state, outcome.failure) == ("failed", Failure.UNSUPPORTED)


def test_every_command_has_a_handler_or_needs_no_worker() -> None:
    (to_control,) = statemachine.render()["States"]["NeedsWorker"]["Choices"]
    without_a_worker = {Command(one["StringEquals"]) for one in to_control["Or"]}

    assert set(Command) - set(COMMANDS) == without_a_worker
