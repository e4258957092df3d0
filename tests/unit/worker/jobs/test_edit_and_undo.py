"""Edit and undo: their effect on branch and preview, and changes that do not build."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.world import THREAD, World
from tests.unit.worker.small_site import (
    FIRST,
    PAGE,
    PREVIEW,
    SmallSite,
    append_line,
    build_failing_on,
    failing_build,
    run_job,
    tree_of,
    undo,
)
from webordinary.contract.messages.outcome import StaleLock
from webordinary.contract.names import branch_of
from webordinary.contract.outcomes import Failure, Result
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.jobs.attachments import PlacedAttachments
from webordinary_worker.jobs.pair_tools import PairTools

PHOTO = "public/uploads/shop.webp"


def put(tree: Path, path: str) -> None:
    (tree / path).parent.mkdir(parents=True, exist_ok=True)
    (tree / path).write_text("picture")


def test_edit_is_pushed_deployed_and_reported(site: SmallSite, tools: PairTools, world: World) -> None:
    outcome = run_job(world.job(instruction="second line"), tools)

    assert site.page() == site.preview_page == FIRST + "second line\n"
    assert site.subjects() == ["second line"]
    assert (outcome.state, outcome.result) == ("done", Result.CHANGED)
    assert (outcome.summary, outcome.subject) == ("I added a line.", "second line")
    assert (outcome.commit, outcome.branch) == (site.head(), branch_of(THREAD))
    assert (outcome.changed_files, outcome.preview_url) == ((PAGE,), PREVIEW)


def test_stale_lock_file_is_reported(site: SmallSite, tools: PairTools, world: World) -> None:
    site.stale_lock = "pnpm-lock.yaml"

    outcome = run_job(world.job(), tools)

    assert outcome.stale_lock == StaleLock(file="pnpm-lock.yaml", packages="c0ffee")


def test_preview_is_built_in_the_threads_folder(site: SmallSite, tools: PairTools, world: World) -> None:
    run_job(world.job(), tools)

    assert site.builds == 1


def test_edit_without_change_is_neither_built_nor_pushed(site: SmallSite, tools: PairTools, world: World) -> None:
    outcome = run_job(world.job(instruction="first line"), tools)

    assert (outcome.result, outcome.summary) == (Result.NOTHING_CHANGED, "It is already there.")
    assert (site.builds, site.subjects(), site.preview_page) == (0, [], None)


def test_unused_uploads_are_removed(site: SmallSite, tools: PairTools, world: World) -> None:
    site.placed = PlacedAttachments(uploads={PHOTO})

    def place_only(_prompt: str, tree: Path) -> AgentResult:
        put(tree, PHOTO)
        return AgentResult(summary="Where should it go?")

    site.agent = place_only
    outcome = run_job(world.job(), tools)

    assert outcome.result == Result.NOTHING_CHANGED
    assert site.subjects() == []
    assert not (tree_of(tools).folder / PHOTO).exists()


def test_used_uploads_are_committed(site: SmallSite, tools: PairTools, world: World) -> None:
    site.placed = PlacedAttachments(uploads={PHOTO})

    def show(prompt: str, tree: Path) -> AgentResult:
        put(tree, PHOTO)
        return append_line(prompt, tree)

    site.agent = show

    assert set(run_job(world.job(instruction="see uploads/shop.webp"), tools).changed_files) == {PHOTO, PAGE}


@pytest.mark.parametrize("shown", ["uploads/one.webp", "public/uploads/one.webp"])
def test_only_pictures_that_a_page_shows_are_published(
    site: SmallSite, tools: PairTools, world: World, shown: str
) -> None:
    pictures = [f"public/uploads/{name}.webp" for name in ("one", "two", "three")]
    site.placed = PlacedAttachments(uploads={*pictures})

    def show_one(prompt: str, tree: Path) -> AgentResult:
        for picture in pictures:
            put(tree, picture)
        return append_line(prompt, tree)

    deployed: list[list[str]] = []
    site.agent = show_one
    site.deploy = lambda built: deployed.append([path.name for path in built.rglob("*.webp")])

    assert set(run_job(world.job(instruction=shown), tools).changed_files) == {pictures[0], PAGE}
    assert deployed == [["one.webp"]]


def test_edit_starts_from_commits_pushed_by_others(site: SmallSite, tools: PairTools, world: World) -> None:
    run_job(world.job("mail-1", instruction="second line"), tools)
    site.push_as_developer(PAGE, FIRST + "second line\nby a developer\n")

    run_job(world.job("mail-2", instruction="third line"), tools)

    assert site.page() == FIRST + "second line\nby a developer\nthird line\n"


def test_leftovers_of_a_dead_job_are_not_committed(tools: PairTools, world: World) -> None:
    (tree_of(tools).folder / "left.txt").write_text("half a thought")

    assert run_job(world.job(), tools).changed_files == (PAGE,)


def test_rebased_push_is_built_again_before_deploy(site: SmallSite, tools: PairTools, world: World) -> None:
    built: list[list[str]] = []

    def build(tree: Path) -> Path:
        built.append(sorted(path.name for path in tree.iterdir()))
        if len(built) == 1:
            site.push_as_developer("other.txt", "theirs")
        return tree

    site.build = build
    run_job(world.job(), tools)

    assert built == [[PAGE], ["other.txt", PAGE]]


def test_agent_works_in_a_fresh_copy_of_the_tree(site: SmallSite, tools: PairTools, world: World) -> None:
    copies: list[tuple[Path, set[str]]] = []

    def record_copy(prompt: str, tree: Path) -> AgentResult:
        copies.append((tree, {path.name for path in tree.iterdir()}))
        return append_line(prompt, tree)

    site.agent = record_copy
    run_job(world.job("mail-1", instruction="second line"), tools)
    (copies[0][0] / "left.txt").write_text("written between two jobs")
    run_job(world.job("mail-2", instruction="third line"), tools)

    assert copies == [(tools.workspace.thread_folder(THREAD) / "agent/tree", {PAGE})] * 2
    assert site.page() == FIRST + "second line\nthird line\n"


def test_build_output_is_removed_after_the_job(site: SmallSite, tools: PairTools, world: World) -> None:
    run_job(world.job(), tools)

    assert [scratch.exists() for scratch in site.scratch] == [False]


def test_transcript_is_stored_after_the_push(site: SmallSite, tools: PairTools, world: World) -> None:
    stored_at_deploy: list[str] = []
    site.deploy = lambda _site: stored_at_deploy.extend(site.sessions.stored)

    run_job(world.job(), tools)

    assert (stored_at_deploy, site.sessions.stored) == ([], [THREAD])


def test_long_agent_summary_is_truncated(site: SmallSite, tools: PairTools, world: World) -> None:
    site.agent = lambda *_: AgentResult(summary=" " + "word " * 2000)

    summary = run_job(world.job(), tools).summary

    assert len(summary) == 4000
    assert summary.startswith("word")


def test_agent_repairs_a_change_that_does_not_build(site: SmallSite, tools: PairTools, world: World) -> None:
    site.build = build_failing_on("broken")

    def repair(prompt: str, tree: Path) -> AgentResult:
        if "<mail>" in prompt:
            return append_line(prompt, tree)
        (tree / PAGE).write_text(FIRST + "whole line\n")
        return AgentResult(summary="Now it builds.")

    site.agent = repair
    outcome = run_job(world.job(instruction="broken line"), tools)

    assert site.page() == site.preview_page == FIRST + "whole line\n"
    assert outcome.summary == "Now it builds."
    assert "page.txt:2 is wrong" in site.turns[1].prompt


def test_change_that_cannot_be_repaired_is_discarded(site: SmallSite, tools: PairTools, world: World) -> None:
    site.build = failing_build
    site.agent = lambda prompt, tree: append_line(prompt, tree) if "<mail>" in prompt else AgentResult()

    outcome = run_job(world.job(), tools)

    assert (outcome.state, outcome.failure) == ("failed", Failure.BUILD_FAILED)
    assert outcome.detail == "page.txt:2 is wrong"
    assert (tree_of(tools).folder / PAGE).read_text() == FIRST
    assert (site.subjects(), site.preview_page, len(site.turns)) == ([], None, 2)


def test_failed_repair_discards_the_change(site: SmallSite, tools: PairTools, world: World) -> None:
    site.build = failing_build
    site.agent = lambda prompt, tree: (
        append_line(prompt, tree) if "<mail>" in prompt else AgentResult(is_error=True, summary="Overloaded")
    )

    outcome = run_job(world.job(), tools)

    assert (outcome.failure, outcome.detail) == (Failure.AGENT_FAILED, "Overloaded")
    assert (tree_of(tools).folder / PAGE).read_text() == FIRST


def test_repair_that_reverts_everything_changes_nothing(site: SmallSite, tools: PairTools, world: World) -> None:
    site.build = build_failing_on("broken")

    def give_up(prompt: str, tree: Path) -> AgentResult:
        if "<mail>" in prompt:
            return append_line(prompt, tree)
        (tree / PAGE).write_text(FIRST)
        return AgentResult(summary="It cannot be done.")

    site.agent = give_up
    outcome = run_job(world.job(instruction="broken line"), tools)

    assert (outcome.result, outcome.summary) == (Result.NOTHING_CHANGED, "It cannot be done.")
    assert site.subjects() == []


def test_undo_reverts_the_last_change(site: SmallSite, tools: PairTools, world: World) -> None:
    run_job(world.job("mail-1", instruction="second line"), tools)
    run_job(world.job("mail-2", instruction="third line"), tools)

    outcome = run_job(undo(world), tools)

    assert site.page() == site.preview_page == FIRST + "second line\n"
    assert (outcome.result, outcome.subject) == (Result.UNDONE, "third line")
    assert (outcome.changed_files, outcome.preview_url) == ((PAGE,), PREVIEW)
    assert outcome.commit == site.head()
    assert site.subjects()[0] == "Undo: third line"


def test_second_undo_reverts_the_change_before(site: SmallSite, tools: PairTools, world: World) -> None:
    run_job(world.job("mail-1", instruction="second line"), tools)
    run_job(world.job("mail-2", instruction="third line"), tools)
    run_job(undo(world, "mail-3"), tools)

    outcome = run_job(undo(world, "mail-4"), tools)

    assert (outcome.subject, site.page()) == ("second line", FIRST)


def test_undo_without_changes_does_nothing(site: SmallSite, tools: PairTools, world: World) -> None:
    assert run_job(undo(world), tools).result == Result.NOTHING_TO_UNDO
    assert (site.subjects(), site.builds) == ([], 0)


def test_undo_that_does_not_build_is_discarded(site: SmallSite, tools: PairTools, world: World) -> None:
    run_job(world.job("mail-1", instruction="second line"), tools)
    site.build = failing_build

    outcome = run_job(undo(world), tools)

    assert (outcome.failure, outcome.detail) == (Failure.BUILD_FAILED, "page.txt:2 is wrong")
    assert (tree_of(tools).folder / PAGE).read_text() == FIRST + "second line\n"
    assert tree_of(tools).changed_files() == ()
    assert site.subjects() == ["second line"]


def test_undo_of_lines_changed_since_is_a_conflict(site: SmallSite, tools: PairTools, world: World) -> None:
    run_job(world.job("mail-1", instruction="second line"), tools)
    rewritten = FIRST + "second line, rewritten\n"
    site.push_as_developer(PAGE, rewritten, "Not to be undone\n\nWebordinary-Undoes: something")

    outcome = run_job(undo(world), tools)

    assert outcome.failure == Failure.CONFLICT
    assert (tree_of(tools).folder / PAGE).read_text() == site.page() == rewritten
    assert tree_of(tools).changed_files() == ()
