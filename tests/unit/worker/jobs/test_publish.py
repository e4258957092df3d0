"""Publish and unpublish with real git and a bucket in memory."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.support.world import PAIR, THREAD, World
from tests.unit.worker.small_site import FIRST, PAGE, SmallSite, failing_build, job_run, lose_lease, run_job
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Approval, Job
from webordinary.contract.messages.outcome import ChangedPage, Outcome
from webordinary.contract.names import branch_of, preview_prefix
from webordinary.contract.outcomes import Command, Failure, PageChange, Result
from webordinary.contract.thread_tokens import pair_prefix
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary.tables.ownership import OwnershipLostError
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.deploy.live_site import LiveSite
from webordinary_worker.deploy.preview import Preview
from webordinary_worker.jobs.pair_tools import PairTools

OTHER = "b" * 26
OWN = pair_prefix(PAIR.key) + "a" * 18
BOB = Pair(project=PAIR.project, user="bob")
BOBS = pair_prefix(BOB.key) + "b" * 18
LIVE = "bakery/live/"


class Public:
    """A project with its live site and the workers that publish to it."""

    def __init__(self, site: SmallSite, world: World) -> None:
        self.site = site
        self.world = world
        self.bucket = world.names.bucket("sites")
        world.s3.create_bucket(Bucket=self.bucket, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
        self._jobs = iter(range(1, 100))
        self._built = iter(range(1, 100))
        self._kept: PairTools | None = None
        site.build = self._build

    def _build(self, tree: Path) -> Path:
        return shutil.copytree(tree, self.site.remote.with_name(f"built-{next(self._built)}"))

    @property
    def kept_worker(self) -> PairTools:
        """One worker for several jobs of the pair."""
        if self._kept is None:
            self._kept = self.worker()
        return self._kept

    def worker(self, pair: Pair = PAIR, fence: int = 1, *, editor: bool = False) -> PairTools:
        """A new worker, with an empty disk."""
        tools = self.site.worker()
        s3, names = self.world.s3, self.world.names
        users = {"users": ("ada", "bob"), "editor_ids": (pair.user,) if editor else ()}
        return replace(
            tools,
            s3=s3,
            project=tools.project.model_copy(update=users),
            preview=lambda thread: Preview(s3, names, pair.project, thread, fence),
            live=LiveSite(s3, names, pair, fence, self.world.timing, self.world.clock),
        )

    def job(self, command: Command = Command.PUBLISH, thread: str = THREAD, **more: object) -> Job:
        return self.world.job(f"mail-{next(self._jobs)}", thread, command=command, instruction="", **more)

    def publish(self, thread: str = THREAD) -> Outcome:
        return run_job(self.job(thread=thread), self.kept_worker)

    def unpublish(self) -> Outcome:
        return run_job(self.job(Command.UNPUBLISH), self.kept_worker)

    def change(self, text: str, path: str = PAGE, thread: str = THREAD, message: str = "A change") -> str:
        """Pushes a change to the thread's branch, and shows it on the preview."""
        commit = self.site.push_as_developer(path, text, message, branch_of(thread))
        build, self.site.build = self.site.build, self._build
        run_job(self.job(Command.BUILD, thread), self.kept_worker)
        self.site.build = build
        return commit

    def live_files(self) -> dict[str, str]:
        listed = self.world.s3.list_objects_v2(Bucket=self.bucket, Prefix=LIVE).get("Contents", [])
        return {
            entry["Key"].removeprefix(LIVE): self.world.s3.get_object(Bucket=self.bucket, Key=entry["Key"])["Body"]
            .read()
            .decode()
            for entry in listed
        }

    def main(self, path: str = PAGE) -> str:
        return self.site.git("show", f"main:{path}", cwd=self.site.remote)

    def subjects(self) -> list[str]:
        return self.site.git("log", "--first-parent", "--format=%s", "main", cwd=self.site.remote).splitlines()


def steps(last: int) -> list[Any]:
    """The number of checks of the lease until the worker crashes. make test crashes it at every third."""
    return [step if step % 3 == 1 else pytest.param(step, marks=pytest.mark.exhaustive) for step in range(1, last + 1)]


@pytest.fixture
def public(site: SmallSite, world: World) -> Public:
    return Public(site, world)


def test_publish_merges_the_thread_and_makes_it_live(public: Public) -> None:
    public.change("new\n", message="New words")

    outcome = public.publish()

    assert (outcome.result, outcome.subject) == (Result.PUBLISHED, "New words")
    assert outcome.live_url == "https://bakery.sites.example.com/"
    assert (public.live_files(), public.main()) == ({PAGE: "new\n"}, "new\n")
    assert public.subjects() == ["Publish: New words", "The site"]


def test_two_threads_published_in_turn_are_both_live(public: Public) -> None:
    public.change("one\n", "one.txt")
    public.change("two\n", "two.txt", OTHER)

    public.publish()
    public.publish(OTHER)

    assert public.live_files() == {PAGE: FIRST, "one.txt": "one\n", "two.txt": "two\n"}


def test_thread_can_be_edited_and_published_again(public: Public) -> None:
    public.change("once\n")
    public.publish()
    public.change("twice\n", message="Once more")

    assert public.publish().result is Result.PUBLISHED
    assert public.live_files() == {PAGE: "twice\n"}


def test_publish_copies_the_preview_if_the_trees_are_equal(public: Public, site: SmallSite) -> None:
    run_job(public.world.job("mail-edit", OWN, instruction="second line"), public.worker())
    builds = site.builds

    assert public.publish(OWN).result is Result.PUBLISHED
    assert site.builds == builds
    assert public.live_files() == {PAGE: FIRST + "second line\n"}


@pytest.mark.parametrize("content", [b"Log in at evil.example\n", None], ids=["replaced", "removed"])
def test_preview_that_differs_from_its_record_is_not_published(
    public: Public, site: SmallSite, content: bytes | None
) -> None:
    run_job(public.world.job("mail-edit", OWN, instruction="second line"), public.worker())
    key = preview_prefix(PAIR.project, OWN) + PAGE
    if content is None:
        public.world.s3.delete_object(Bucket=public.bucket, Key=key)
    else:
        public.world.s3.put_object(Bucket=public.bucket, Key=key, Body=content)

    assert public.publish(OWN).result is Result.PUBLISHED

    assert site.clean[-1]
    assert public.live_files() == {PAGE: FIRST + "second line\n"}


def test_preview_changed_after_its_check_does_not_reach_the_released_files(public: Public) -> None:
    run_job(public.world.job("mail-edit", OWN, instruction="second line"), public.worker())
    tools, world, key = public.worker(), public.world, preview_prefix(PAIR.project, OWN) + PAGE
    publish = tools.live.publish

    def replace_preview(*given: Any, **more: Any) -> bool:
        world.s3.put_object(Bucket=public.bucket, Key=key, Body=b"Log in at evil.example\n")
        return publish(*given, **more)

    tools.live.publish = replace_preview  # type: ignore[method-assign]
    run_job(public.job(thread=OWN), tools)

    stored = [one["Key"] for one in world.s3.list_objects_v2(Bucket=public.bucket, Prefix="bakery/files/")["Contents"]]
    contents = {key: world.s3.get_object(Bucket=public.bucket, Key=key)["Body"].read() for key in stored}
    assert {key.rpartition("/")[2] for key in stored} == {sha256(one).hexdigest() for one in contents.values()}
    assert public.live_files() == {PAGE: FIRST + "second line\n"}


def test_preview_of_an_older_thread_is_not_copied(public: Public, site: SmallSite) -> None:
    """Every worker of the project may change it: its id does not begin with its pair."""
    run_job(public.world.job("mail-edit", instruction="second line"), public.worker())
    builds = site.builds

    public.publish()

    assert (site.builds, site.clean[-1]) == (builds + 1, True)


def test_publish_builds_if_the_main_branch_has_more(public: Public, site: SmallSite) -> None:
    run_job(public.world.job("mail-edit", instruction="second line"), public.worker())
    public.site.push_as_developer("more.txt", "more\n", "By hand", "main")
    builds = site.builds

    public.publish()

    assert site.builds == builds + 1
    assert public.live_files() == {PAGE: FIRST + "second line\n", "more.txt": "more\n"}
    assert site.clean[-1]


def test_publish_of_a_live_commit_says_so(public: Public) -> None:
    public.change("new\n")
    public.publish()

    assert public.publish().result is Result.ALREADY_LIVE
    assert len(public.subjects()) == 2


def test_thread_without_changes_publishes_nothing(public: Public) -> None:
    assert public.publish().result is Result.NOTHING_TO_PUBLISH
    assert (public.live_files(), public.subjects()) == ({}, ["The site"])


def test_merge_that_does_not_build_is_not_published(public: Public, site: SmallSite) -> None:
    public.change("new\n")
    site.push_as_developer("more.txt", "more\n", "By hand", "main")
    site.build = failing_build

    assert public.publish().failure is Failure.BUILD_FAILED
    assert (public.live_files(), public.subjects()) == ({}, ["By hand", "The site"])


def clash(public: Public) -> None:
    public.change("theirs\n", thread=OTHER, message="Their words")
    public.change("ours\n", message="Our words")
    public.publish(OTHER)


def test_agent_may_resolve_a_merge_conflict(public: Public, site: SmallSite) -> None:
    def resolve(_prompt: str, tree: Path) -> AgentResult:
        assert "<<<<<<<" in (tree / PAGE).read_text()
        (tree / PAGE).write_text("theirs and ours\n")
        return AgentResult(summary="Both are there.")

    clash(public)
    site.agent = resolve

    assert public.publish().result is Result.PUBLISHED
    assert public.live_files() == {PAGE: "theirs and ours\n"}
    assert "Their words" in site.turns[0].prompt


def resolve_nothing(_prompt: str, _tree: Path) -> AgentResult:
    return AgentResult(summary="They cannot both stay.")


def fail(_prompt: str, _tree: Path) -> AgentResult:
    return AgentResult(is_error=True)


def edit_too_much(_prompt: str, tree: Path) -> AgentResult:
    (tree / PAGE).write_text("settled\n")
    (tree / "other.txt").write_text("not asked for\n")
    return AgentResult()


@pytest.mark.parametrize("agent", [resolve_nothing, fail, edit_too_much])
def test_unresolved_merge_conflict_is_reported_and_changes_nothing(
    public: Public, site: SmallSite, agent: Callable[[str, Path], AgentResult]
) -> None:
    clash(public)
    site.agent = agent

    outcome = public.publish()

    assert (outcome.failure, outcome.clashes) == (Failure.PUBLISH_CONFLICT, ("Their words",))
    assert (public.live_files(), public.main(), len(site.turns)) == ({PAGE: "theirs\n"}, "theirs\n", 1)


def test_worker_without_its_lease_publishes_nothing(public: Public) -> None:
    public.change("new\n")

    with pytest.raises(OwnershipLostError):
        run_job(public.job(), public.worker(), lose_lease)
    assert (public.live_files(), public.subjects()) == ({}, ["The site"])


def lost_after(checks: int) -> Callable[[], None]:
    """A lease check that fails after this number of checks."""
    left = iter(range(checks))

    def check_lease() -> None:
        if next(left, None) is None:
            raise OwnershipLostError(PAIR, 1)

    return check_lease


@pytest.mark.parametrize("checks", steps(7))
def test_publish_that_crashed_at_any_step_is_completed_once(public: Public, checks: int) -> None:
    public.change("new\n")
    public.change("more\n", "more.txt")
    job = public.job()
    with suppress(OwnershipLostError):
        run_job(job, public.worker(), lost_after(checks))

    outcome = run_job(job, public.worker(fence=2))

    assert outcome.result is Result.PUBLISHED
    assert public.live_files() == {PAGE: "new\n", "more.txt": "more\n"}
    assert len(public.subjects()) == 2
    assert public.worker().live.read().number in (1, 2)


@pytest.mark.parametrize("checks", steps(6))
def test_unpublish_that_crashed_at_any_step_is_completed_once(public: Public, checks: int) -> None:
    public.change("one\n")
    public.publish()
    public.change("two\n")
    public.publish()
    job = public.job(Command.UNPUBLISH)
    with suppress(OwnershipLostError):
        run_job(job, public.worker(), lost_after(checks))

    outcome = run_job(job, public.worker(fence=2))

    assert (outcome.result, outcome.subject) == (Result.UNPUBLISHED, "A change")
    assert (public.live_files(), public.main(), len(public.subjects())) == ({PAGE: "one\n"}, "one\n", 4)


def test_repeated_publish_job_publishes_once(public: Public) -> None:
    public.change("new\n")
    job = public.job()

    outcomes = [run_job(job, public.worker()).result for _ in range(2)]

    assert outcomes == [Result.PUBLISHED, Result.PUBLISHED]
    assert (len(public.subjects()), public.worker().live.read().number) == (2, 1)


def test_interrupted_publish_is_all_or_nothing(public: Public, site: SmallSite) -> None:
    public.change("new\n")
    site.push_as_developer("more.txt", "more\n", "By hand", "main")
    run = job_run(public.job(), public.worker())

    def build(tree: Path) -> Path:
        run.cancel(CancelReason.INTERRUPTED)
        return tree

    site.build = build
    with pytest.raises(JobCancelledError):
        run.run()
    assert (public.live_files(), public.subjects()) == ({}, ["By hand", "The site"])


def test_two_publishes_at_once_are_both_live(public: Public, site: SmallSite) -> None:
    public.change("one\n", "one.txt")
    public.change("two\n", "two.txt", OTHER)
    site.push_as_developer("more.txt", "more\n", "By hand", "main")

    def build(tree: Path) -> Path:
        site.build = lambda tree: tree
        run_job(public.job(thread=OTHER), public.worker(BOB))
        return tree

    site.build = build

    assert public.publish().result is Result.PUBLISHED
    assert public.live_files() == {PAGE: FIRST, "one.txt": "one\n", "two.txt": "two\n", "more.txt": "more\n"}


def test_late_publish_does_not_replace_a_newer_commit(public: Public) -> None:
    """A worker pauses after its push, and another thread is published on top of it."""
    public.change("one\n", "one.txt")
    public.change("two\n", "two.txt", OTHER)
    late = public.job()
    with pytest.raises(OwnershipLostError):
        run_job(late, public.worker(), lost_after(1))
    run_job(public.job(thread=OTHER), public.worker(BOB))

    assert run_job(late, public.worker(fence=2)).result is Result.PUBLISHED
    assert public.live_files() == {PAGE: FIRST, "one.txt": "one\n", "two.txt": "two\n"}
    assert public.worker().live.read().number == 1


def test_unpublish_rolls_back_without_a_build(public: Public, site: SmallSite) -> None:
    public.change("one\n")
    public.publish()
    public.change("two\n")
    public.change("new page\n", "page-2.txt")
    public.publish()
    builds = site.builds

    outcome = public.unpublish()

    assert (outcome.result, outcome.subject, site.builds) == (Result.UNPUBLISHED, "A change", builds)
    assert (public.live_files(), public.main()) == ({PAGE: "one\n"}, "one\n")


def test_unpublish_twice_rolls_back_two_releases(public: Public) -> None:
    for text in ("one\n", "two\n", "three\n"):
        public.change(text)
        public.publish()

    results = [public.unpublish().result for _ in range(3)]

    assert results == [Result.UNPUBLISHED, Result.UNPUBLISHED, Result.NOTHING_TO_UNPUBLISH]
    assert public.live_files() == {PAGE: "one\n"}


def test_next_publish_does_not_restore_an_unpublished_thread(public: Public) -> None:
    public.change("one\n", "one.txt")
    public.publish()
    public.change("two\n", "two.txt", OTHER)
    public.publish(OTHER)
    public.unpublish()
    public.change("three\n", "three.txt")

    public.publish()

    assert public.live_files() == {PAGE: FIRST, "one.txt": "one\n", "three.txt": "three\n"}


def test_unpublished_thread_can_be_published_again(public: Public) -> None:
    public.change("one\n", "one.txt")
    public.publish()
    public.change("two\n", "two.txt", OTHER)
    public.publish(OTHER)
    public.unpublish()
    public.change("three\n", "three.txt", OTHER)

    outcome = public.publish(OTHER)

    assert outcome.result is Result.PUBLISHED
    assert public.live_files() == {PAGE: FIRST, "one.txt": "one\n", "two.txt": "two\n", "three.txt": "three\n"}


def test_republish_resolves_conflicts_before_merging_the_rest(public: Public, site: SmallSite) -> None:
    def resolve(_prompt: str, tree: Path) -> AgentResult:
        (tree / PAGE).write_text("by hand and ours\n")
        return AgentResult()

    public.change("one\n", "one.txt")
    public.publish()
    public.change("ours\n", thread=OTHER)
    public.publish(OTHER)
    public.unpublish()
    site.push_as_developer(PAGE, "by hand\n", "By hand", "main")
    public.change("three\n", "three.txt", OTHER)
    site.agent = resolve

    assert public.publish(OTHER).result is Result.PUBLISHED
    assert public.live_files() == {PAGE: "by hand and ours\n", "one.txt": "one\n", "three.txt": "three\n"}
    assert len(site.turns) == 1


def test_unpublish_keeps_later_pushes(public: Public, site: SmallSite) -> None:
    public.change("one\n", "one.txt")
    public.publish()
    public.change("two\n", "two.txt")
    public.publish()
    site.push_as_developer("by-hand.txt", "by hand\n", "By hand", "main")

    assert public.unpublish().result is Result.UNPUBLISHED
    assert public.live_files() == {PAGE: FIRST, "one.txt": "one\n", "by-hand.txt": "by hand\n"}


def test_unpublish_that_conflicts_rolls_back_the_live_site_only(public: Public, site: SmallSite) -> None:
    public.change("one\n")
    public.publish()
    public.change("two\n")
    public.publish()
    site.push_as_developer(PAGE, "two and by hand\n", "By hand", "main")

    outcome = public.unpublish()

    assert (outcome.result, outcome.subject) == (Result.UNPUBLISHED_FOR_NOW, "A change")
    assert (public.live_files(), public.main()) == ({PAGE: "one\n"}, "two and by hand\n")


def test_editors_publish_asks_a_publisher_and_changes_nothing(public: Public) -> None:
    commit = public.change("new\n", message="New words")

    outcome = run_job(public.job(), public.worker(editor=True))

    assert (outcome.result, outcome.commit, outcome.subject) == (Result.PUBLISH_ASKED, commit, "New words")
    assert (public.live_files(), public.subjects()) == ({}, ["The site"])


def test_editors_publish_of_an_undone_change_asks_no_publisher(public: Public) -> None:
    run_job(public.world.job("mail-edit", instruction="second line"), public.worker())
    run_job(public.world.job("mail-undo", command=Command.UNDO, instruction=""), public.worker())

    assert run_job(public.job(), public.worker(editor=True)).result is Result.NOTHING_TO_PUBLISH


def test_editor_cannot_unpublish(public: Public) -> None:
    public.change("new\n")
    public.publish()

    outcome = run_job(public.job(Command.UNPUBLISH), public.worker(editor=True))

    assert (outcome.failure, public.live_files()) == (Failure.NOT_A_PUBLISHER, {PAGE: "new\n"})


def approving(public: Public, commit: str) -> Job:
    """The job of a publisher's yes."""
    tree = public.site.git("rev-parse", f"{commit}^{{tree}}", cwd=public.site.remote).strip() if commit else ""
    return public.job(thread=OTHER, pair=BOB, approved=Approval(thread_id=THREAD, commit=commit, tree=tree))


def test_approval_publishes_the_head_of_the_thread(public: Public) -> None:
    commit = public.change("asked for\n")
    yes = approving(public, commit)

    outcomes = [run_job(job, public.worker(BOB)) for job in (yes, yes.model_copy(update={"job_id": "second-yes"}))]

    assert [outcome.result for outcome in outcomes] == [Result.PUBLISHED, Result.ALREADY_LIVE]
    assert public.live_files() == {PAGE: "asked for\n"}


def test_approval_of_an_earlier_commit_asks_about_the_present_one(public: Public) -> None:
    commit = public.change("asked for\n")
    newer = public.change("not yet asked for\n", message="Newer words")

    outcome = run_job(approving(public, commit), public.worker(BOB))

    assert (outcome.result, outcome.commit, outcome.subject) == (Result.PUBLISH_ASKED_AGAIN, newer, "Newer words")
    assert outcome.tree == public.site.git("rev-parse", f"{newer}^{{tree}}", cwd=public.site.remote).strip()
    assert outcome.preview_url is None  # screenshots would be of the thread of the job
    assert public.live_files() == {}
    assert run_job(approving(public, newer), public.worker(BOB)).result is Result.PUBLISHED
    assert public.live_files() == {PAGE: "not yet asked for\n"}


def test_approval_of_an_undone_change_publishes_nothing(public: Public) -> None:
    """Bait and switch: the preview looks harmless again when the publisher says yes."""
    run_job(public.world.job("mail-edit", instruction="evil line"), public.worker())
    asked = run_job(public.job(), public.worker(editor=True))
    run_job(public.world.job("mail-undo", command=Command.UNDO, instruction=""), public.worker())

    outcome = run_job(approving(public, asked.commit or ""), public.worker(BOB))

    assert (outcome.failure, outcome.commit) == (Failure.APPROVAL_OUTDATED, None)
    assert (public.live_files(), public.subjects()) == ({}, ["The site"])


def test_approval_with_another_tree_publishes_nothing(public: Public) -> None:
    commit = public.change("asked for\n")
    yes = public.job(thread=OTHER, approved=Approval(thread_id=THREAD, commit=commit, tree="0" * 40))

    assert run_job(yes, public.worker(BOB)).result is Result.PUBLISH_ASKED_AGAIN
    assert public.live_files() == {}


def test_approval_without_a_commit_asks_again(public: Public) -> None:
    commit = public.change("asked for\n")

    outcome = run_job(approving(public, ""), public.worker(BOB))

    assert (outcome.result, outcome.commit) == (Result.PUBLISH_ASKED_AGAIN, commit)
    assert public.live_files() == {}


def test_late_approval_of_a_live_thread_says_that_it_is_live(public: Public) -> None:
    public.change("asked for\n")
    public.publish()

    assert run_job(approving(public, ""), public.worker(BOB)).result is Result.ALREADY_LIVE


def test_late_approval_of_an_unpublished_thread_asks_again(public: Public) -> None:
    public.change("one\n", thread=OTHER)
    public.publish(OTHER)
    commit = public.change("asked for\n", "two.txt")
    assert run_job(approving(public, commit), public.worker(BOB)).result is Result.PUBLISHED
    public.unpublish()

    outcome = run_job(approving(public, ""), public.worker(BOB))

    assert (outcome.result, outcome.commit) == (Result.PUBLISH_ASKED_AGAIN, commit)
    assert public.live_files() == {PAGE: "one\n"}


def test_head_that_moves_while_another_push_wins_is_not_published(public: Public, site: SmallSite) -> None:
    commit = public.change("asked for\n")

    def build(tree: Path) -> Path:
        site.build = lambda tree: tree
        public.change("not yet asked for\n")
        site.push_as_developer("more.txt", "more\n", "By hand", "main")
        return tree

    site.build = build

    assert run_job(approving(public, commit), public.worker(BOB)).result is Result.PUBLISH_ASKED_AGAIN
    assert public.live_files() == {}


@pytest.mark.parametrize("checks", steps(7))
def test_crashed_approval_is_completed_even_if_the_head_has_moved(public: Public, checks: int) -> None:
    yes = approving(public, public.change("asked for\n"))
    with suppress(OwnershipLostError):
        run_job(yes, public.worker(BOB), lost_after(checks))
    was_pushed = len(public.subjects()) == 2
    public.change("not yet asked for\n")

    outcome = run_job(yes, public.worker(BOB, fence=2))

    assert outcome.result is (Result.PUBLISHED if was_pushed else Result.PUBLISH_ASKED_AGAIN)
    assert public.live_files() == ({PAGE: "asked for\n"} if was_pushed else {})


def test_approval_of_a_person_who_may_not_publish_any_more_is_refused(public: Public) -> None:
    yes = approving(public, public.change("asked for\n"))

    assert run_job(yes, public.worker(BOB, editor=True)).failure is Failure.NOT_A_PUBLISHER
    assert public.live_files() == {}


def test_approval_of_a_foreign_commit_publishes_nothing(public: Public) -> None:
    public.change("asked for\n")
    foreign = public.change("foreign\n", thread="c" * 26)

    assert run_job(approving(public, foreign), public.worker(BOB)).result is Result.PUBLISH_ASKED_AGAIN
    assert public.live_files() == {}


def test_question_names_the_pages_that_the_thread_changes(public: Public) -> None:
    public.site.push_as_developer("public/hours.html", "<p>Open from 9 am</p>", "A page", "main")
    public.site.push_as_developer("public/other.html", "<p>Another page</p>", "Another page", "main")
    public.site.agent = lambda _prompt, tree: write_page(tree, "<p>Open from 10 am</p>")
    run_job(public.world.job("mail-edit", instruction="Open from 10."), public.worker())
    run_job(public.job(thread=OTHER), public.worker())

    asked = run_job(public.job(), public.worker(editor=True))

    (page,) = asked.pages
    assert (page.path, page.before, page.after) == ("public/hours.html", "Open from 9 am", "Open from 10 am")
    assert asked.tree == public.site.git("rev-parse", f"{asked.commit}^{{tree}}", cwd=public.site.remote).strip()


def asked_by_an_editor(public: Public) -> Outcome:
    """What the worker of an honest editor reports: the thread changes a page and adds a script."""
    public.site.push_as_developer("public/hours.html", "<p>Open from 9 am</p>", "A page", "main")
    evil = '<p>Open from 10 am</p><script src="https://evil.example/x.js"></script>'
    public.site.agent = lambda _prompt, tree: write_page(tree, evil)
    run_job(public.world.job("mail-edit", OWN, instruction="Open from 10."), public.worker())
    return run_job(public.job(thread=OWN), public.worker(editor=True))


def yes_to(public: Public, thread_id: str, asked: Outcome, **more: Any) -> Job:
    """The job of a publisher's yes to what an editor's worker let the question show."""
    about = Approval(
        thread_id=thread_id,
        commit=asked.commit or "",
        tree=asked.tree or "",
        asked_by=public.job().envelope,
        shown=asked.digest_of_question(),
        **more,
    )
    return public.job(thread=BOBS, pair=BOB, approved=about)


def test_yes_to_what_an_editor_asked_publishes_what_the_question_showed(public: Public) -> None:
    asked = asked_by_an_editor(public)

    assert ([page.path for page in asked.pages], len(asked.risks)) == (["public/hours.html"], 1)
    assert run_job(yes_to(public, OWN, asked), public.worker(BOB)).result is Result.PUBLISHED
    assert "evil.example" in public.live_files()["public/hours.html"]


HARMLESS = ChangedPage(path="public/hours.html", change=PageChange.CHANGED, before="9 am", after="10 am")


@pytest.mark.parametrize(
    "forged",
    [{"risks": ()}, {"pages": ()}, {"pages": (HARMLESS,)}, {"more_pages": 3}],
    ids=["hidden risk", "hidden page", "other words", "number of pages"],
)
def test_yes_to_what_an_editors_worker_forged_asks_again(public: Public, forged: dict[str, Any]) -> None:
    asked = asked_by_an_editor(public)

    again = run_job(yes_to(public, OWN, asked.model_copy(update=forged)), public.worker(BOB))

    assert (again.result, public.live_files()) == (Result.PUBLISH_ASKED_AGAIN, {})
    assert (again.commit, again.pages, again.risks) == (asked.commit, asked.pages, asked.risks)
    assert again.subject == asked.subject


def test_question_about_a_clean_build_links_a_preview_that_editors_cannot_change(public: Public) -> None:
    asked = asked_by_an_editor(public)
    forged = asked.model_copy(update={"risks": ()})

    again = run_job(yes_to(public, OWN, forged), public.worker(BOB))

    assert again.preview_url == f"https://{BOBS}--bakery.preview.example.com/"
    key = preview_prefix(PAIR.project, BOBS) + "public/hours.html"
    shown = public.world.s3.get_object(Bucket=public.bucket, Key=key)["Body"].read().decode()
    assert run_job(yes_to(public, OWN, again, is_checked=True), public.worker(BOB)).result is Result.PUBLISHED
    assert public.live_files()["public/hours.html"] == shown


def test_yes_does_not_believe_the_preview_of_an_editor(public: Public) -> None:
    """The editor's worker deploys another site than it pushed, and asks about that."""
    public.site.push_as_developer("public/hours.html", "<p>Open from 9 am</p>", "A page", "main")
    public.site.agent = lambda _prompt, tree: write_page(tree, "<p>Send your money to Eve</p>")
    run_job(public.world.job("mail-edit", OWN, instruction="Open from 10."), public.worker())
    harmless = b"<p>Open from 10 am</p>"
    preview = public.worker().preview(OWN)
    record = preview.read()
    assert record is not None
    files = {**(record.files or {}), "public/hours.html": sha256(harmless).hexdigest()}
    forged = record.model_copy(update={"files": files}).wire_text()
    for key, body in ((preview_prefix(PAIR.project, OWN) + "public/hours.html", harmless), (preview._record, forged)):
        public.world.s3.put_object(Bucket=public.bucket, Key=key, Body=body)
    asked = run_job(public.job(thread=OWN), public.worker(editor=True))
    assert [page.after for page in asked.pages] == ["Open from 10 am"]

    again = run_job(yes_to(public, OWN, asked), public.worker(BOB))

    assert (again.result, public.live_files()) == (Result.PUBLISH_ASKED_AGAIN, {})
    assert [page.after for page in again.pages] == ["Send your money to Eve"]


def test_yes_of_a_second_publisher_builds_nothing(public: Public, site: SmallSite) -> None:
    asked = asked_by_an_editor(public)
    run_job(yes_to(public, OWN, asked), public.worker(BOB))
    builds = site.builds

    assert run_job(yes_to(public, OWN, asked), public.worker(BOB)).result is Result.ALREADY_LIVE
    assert site.builds == builds


def test_yes_builds_the_commit_and_its_base_once(public: Public, site: SmallSite) -> None:
    asked = asked_by_an_editor(public)
    builds = site.builds

    run_job(yes_to(public, OWN, asked), public.worker(BOB))

    assert site.clean[builds:] == [True, False]


def test_question_names_no_pages_if_the_preview_shows_another_state(public: Public) -> None:
    run_job(public.world.job("mail-edit", instruction="second line"), public.worker())
    public.change("pushed by hand\n")

    assert run_job(public.job(), public.worker(editor=True)).pages == ()


def write_page(tree: Path, text: str) -> AgentResult:
    (tree / "public/hours.html").write_text(text)
    return AgentResult(summary="Done.")


def test_publish_shows_what_the_preview_does_not_show_before(public: Public, site: SmallSite) -> None:
    site.push_as_developer(PAGE, "unseen\n")

    shown = public.publish()
    assert (shown.result, public.live_files()) == (Result.PREVIEW_CHANGED, {})

    assert public.publish().result is Result.PUBLISHED
    assert public.live_files() == {PAGE: "unseen\n"}


def test_repeated_publish_does_not_take_its_own_deployment_for_a_look(public: Public, site: SmallSite) -> None:
    site.push_as_developer(PAGE, "unseen\n")
    job = public.job()

    results = [run_job(job, public.worker()).result for _ in range(2)]

    assert (results, public.live_files()) == ([Result.PREVIEW_CHANGED] * 2, {})


def test_publish_of_a_thread_that_was_taken_off_twice_restores_all_of_it(public: Public) -> None:
    public.change("handover\n", "handover.txt", OTHER)
    public.publish(OTHER)
    public.change("one\n", "one.txt")
    public.publish()
    public.change("two\n", "two.txt")
    public.publish()
    public.unpublish()
    public.unpublish()

    assert public.publish().result is Result.PUBLISHED
    assert {"one.txt", "two.txt"} <= set(public.live_files())


def test_publish_after_unpublish_for_now_is_live_again(public: Public, site: SmallSite) -> None:
    public.change("one\n")
    public.publish()
    public.change("two\n")
    public.publish()
    site.push_as_developer(PAGE, "two and by hand\n", "By hand", "main")
    assert public.unpublish().result is Result.UNPUBLISHED_FOR_NOW

    assert public.publish().result is Result.PUBLISHED
    assert public.live_files() == {PAGE: "two and by hand\n"}


def test_undone_change_that_was_taken_off_has_nothing_to_publish(public: Public) -> None:
    public.change("handover\n", "handover.txt", OTHER)
    public.publish(OTHER)
    run_job(public.job(Command.EDIT).model_copy(update={"instruction": "one"}), public.worker())
    public.publish()
    public.unpublish()

    undone = run_job(public.job(Command.UNDO), public.worker())

    assert (undone.result, undone.still_live) == (Result.UNDONE, False)
    assert public.publish().result is Result.NOTHING_TO_PUBLISH
    assert public.live_files() == {PAGE: FIRST, "handover.txt": "handover\n"}


def test_undo_of_a_live_change_says_that_it_is_still_live(public: Public) -> None:
    run_job(public.job(Command.EDIT).model_copy(update={"instruction": "one"}), public.worker())
    public.publish()

    undone = run_job(public.job(Command.UNDO), public.worker())

    assert (undone.result, undone.still_live) == (Result.UNDONE, True)
    assert public.publish().result is Result.PUBLISHED
    assert public.live_files() == {PAGE: FIRST}
