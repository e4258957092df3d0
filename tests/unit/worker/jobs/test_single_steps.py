"""The commands build, commit and push."""

from __future__ import annotations

from tests.support.world import World
from tests.unit.worker.small_site import (
    PAGE,
    PREVIEW,
    SmallSite,
    failing_build,
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


def test_commit_command_pushes_nothing(site: SmallSite, tools: PairTools, world: World) -> None:
    tree = tree_of(tools)
    (tree.folder / PAGE).write_text("kept\n")

    outcome = run_job(world.job(command=Command.COMMIT, instruction="Keep it"), tools)

    assert (outcome.result, outcome.changed_files, outcome.commit) == (Result.COMMITTED, (PAGE,), tree.head)
    assert tree.subject_of("HEAD") == "Keep it"
    assert site.subjects() == []


def test_commit_command_without_changes_makes_no_commit(tools: PairTools, world: World) -> None:
    assert run_job(world.job(command=Command.COMMIT), tools).result == Result.NOTHING_TO_COMMIT
    assert tree_of(tools).count_commits() == 0


def test_push_command_pushes_the_branch(site: SmallSite, tools: PairTools, world: World) -> None:
    (tree_of(tools).folder / PAGE).write_text("kept\n")
    run_job(world.job("mail-1", command=Command.COMMIT, instruction="Keep it"), tools)

    outcome = run_job(world.job("mail-2", command=Command.PUSH), tools)

    assert (outcome.result, outcome.commit) == (Result.PUSHED, site.head())
    assert site.subjects() == ["Keep it"]


def test_unknown_command_is_reported_as_unsupported(tools: PairTools, world: World) -> None:
    outcome = run_job(world.job(command=Command.HELP), tools)

    assert (outcome.state, outcome.failure) == ("failed", Failure.UNSUPPORTED)


def test_every_command_has_a_handler_or_needs_no_worker() -> None:
    (to_control,) = statemachine.render()["States"]["NeedsWorker"]["Choices"]
    without_a_worker = {Command(one["StringEquals"]) for one in to_control["Or"]}

    assert set(Command) - set(COMMANDS) == without_a_worker
