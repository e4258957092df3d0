"""The git history of a build: what it contains, and that it is isolated."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.small_astro import SmallAstro
from tests.support.world import World
from tests.unit.worker.small_site import PAGE, SmallSite, run_job, tree_of
from webordinary_worker.git.build_history import History
from webordinary_worker.git.thread_tree import ThreadTree
from webordinary_worker.site.build.builder import SiteBuilder

# Git calls of sites during a build: Starlight, the usual plugin for dates, and footers with a version.
READS_GIT = """
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
const git = (...args) => execFileSync("git", args, { encoding: "utf8" }).trim();
export default ({ outDir }) => {
  const answers = {
    date: git("log", "-1", "--format=%s", "--", "page.txt"),
    other: git("log", "-1", "--format=%s", "--", "other.txt"),
    first: git("log", "--follow", "--diff-filter=A", "--format=%s", "--", "other.txt"),
    all: git("log", "--format=t:%s", "--name-status", "--", "."),
    dirty: git("status", "--porcelain", "--untracked-files=no"),
    branches: git("branch", "--all"),
    remotes: git("remote", "--verbose"),
    settings: git("config", "--list"),
    top: git("rev-parse", "--show-prefix"),
  };
  writeFileSync(new URL("index.html", outDir), JSON.stringify(answers));
};
"""
# A build that turns its git folder into one that would run a program.
TAMPERS = """
import { appendFileSync, mkdirSync, writeFileSync, chmodSync, rmSync } from "node:fs";
export default ({ outDir }) => {
  const program = `#!/bin/sh\\ntouch ${process.env.TRACE}\\n`;
  mkdirSync(".git/hooks", { recursive: true });
  for (const hook of ["pre-commit", "post-checkout", "post-index-change", "reference-transaction"]) {
    writeFileSync(`.git/hooks/${hook}`, program);
    chmodSync(`.git/hooks/${hook}`, 0o755);
  }
  writeFileSync("spy", program);
  chmodSync("spy", 0o755);
  appendFileSync(".git/config", `[core]\\n\\tfsmonitor = ${process.cwd()}/spy\\n`);
  rmSync(".git/objects", { recursive: true });
  writeFileSync(new URL("index.html", outDir), "spoiled");
};
"""


@pytest.fixture
def site(tmp_path: Path) -> SmallSite:
    site = SmallSite(tmp_path)
    folder = site.clone()
    files = {"behaviour.mjs": READS_GIT, "package.json": "{}", "package-lock.json": "{}", "other.txt": "other\n"}
    for name, text in files.items():
        (folder / name).write_text(text)
    commit(site, folder, "The other page")
    site.git("push", "--quiet", str(site.remote), "HEAD:main", cwd=folder)
    commit(site, folder, "Of another conversation")
    site.git("push", "--quiet", str(site.remote), "HEAD:thread-elsewhere", cwd=folder)
    return site


def commit(site: SmallSite, folder: Path, subject: str) -> None:
    site.git("add", "--all", cwd=folder)
    site.git("commit", "--quiet", "--allow-empty", "-m", subject, cwd=folder)


@pytest.fixture
def tree(site: SmallSite) -> ThreadTree:
    return tree_of(site.worker())


@pytest.fixture
def bench(tmp_path: Path) -> SmallAstro:
    folder = tmp_path / "bench"
    folder.mkdir()
    return SmallAstro(folder)


def build(bench: SmallAstro, builder: SiteBuilder, tree: ThreadTree, history: History | None) -> str:
    return (bench.build(tree.folder, builder, history=history).folder / "index.html").read_text()


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_build_sees_authors_and_dates_of_changes(bench: SmallAstro, builder: SiteBuilder, tree: ThreadTree) -> None:
    page = build(bench, builder, tree, tree.history())

    assert '"date":"The site","other":"The other page","first":"The other page"' in page
    assert '"all":"t:The other page\\n\\nA\\tbehaviour.mjs\\nA\\tother.txt' in page
    assert '"dirty":""' in page


def test_uncommitted_change_counts_as_changed_now(
    bench: SmallAstro, builder: SiteBuilder, tree: ThreadTree, world: World, site: SmallSite
) -> None:
    head = tree.head
    (tree.folder / PAGE).write_text("edited\n")

    page = build(bench, builder, tree, tree.history())

    assert '"date":"Not committed yet","other":"The other page","first":"The other page"' in page
    assert '"dirty":""' in page
    assert tree.head == head
    assert tree.changed_files() == (PAGE,)


def test_next_build_sees_newer_commits(bench: SmallAstro, builder: SiteBuilder, tree: ThreadTree) -> None:
    (tree.folder / PAGE).write_text("edited\n")
    build(bench, builder, tree, tree.history())
    tree.commit("Edited by mail")

    page = build(bench, builder, tree, tree.history())

    assert '"date":"Edited by mail","other":"The other page"' in page
    assert "Not committed yet" not in page


def test_history_has_no_remote_other_branch_or_credential(
    bench: SmallAstro, builder: SiteBuilder, tree: ThreadTree, site: SmallSite
) -> None:
    page = build(bench, builder, tree, tree.history())
    copy = bench.folder / "build/tree"

    assert '"branches":"* main","remotes":""' in page
    assert str(site.remote) not in page
    assert '"settings":"core.repositoryformatversion=0' in page  # no setting of the machine
    assert "Of another conversation" not in git(copy, "log", "--all", "--format=%s")
    texts = [path.read_bytes() for path in (copy / ".git").rglob("*") if path.is_file()]
    assert not [text for text in texts if str(site.remote).encode() in text]
    kinds = git(copy, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype)").split()
    assert set(kinds) == {"commit", "tree"}


def test_changes_to_the_builds_git_folder_run_nothing_and_are_discarded(
    bench: SmallAstro, tree: ThreadTree, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "trace"
    builder = bench.builder()
    (tree.folder / "behaviour.mjs").write_text(TAMPERS.replace("${process.env.TRACE}", str(trace)))
    try:
        assert build(bench, builder, tree, tree.history()) == "spoiled"
        tree.discard_changes()
        (tree.folder / PAGE).write_text("edited\n")
        commit = tree.commit("Edited by mail")
        assert tree.push() == commit

        page = build(bench, builder, tree, tree.history())
    finally:
        builder.end()

    assert '"date":"Edited by mail"' in page
    assert not trace.exists()
    assert not (bench.folder / "build/tree/.git/hooks").exists()


def test_build_without_history_gets_empty_answers_from_git(
    bench: SmallAstro, builder: SiteBuilder, tree: ThreadTree
) -> None:
    page = build(bench, builder, tree, None)

    assert '"date":"","other":"","first":"","all":""' in page


def test_build_succeeds_if_the_history_cannot_be_written(
    bench: SmallAstro, builder: SiteBuilder, tree: ThreadTree
) -> None:
    gone = History(tree._git, "0" * 39 + "1", "main")

    assert '"date":"","other":""' in build(bench, builder, tree, gone)


def test_configuration_that_reads_git_is_reloaded_for_every_commit(
    bench: SmallAstro, builder: SiteBuilder, tree: ThreadTree
) -> None:
    (tree.folder / "behaviour.mjs").write_text(
        "import { writeFileSync } from 'node:fs';\n"
        "export default ({ outDir }) => writeFileSync(new URL('index.html', outDir), `${globalThis.builds}`);\n"
    )
    builds = [build(bench, builder, tree, History(tree._git, tree.head, "main")) for _ in range(2)]
    (tree.folder / "astro.config.mjs").write_text("execSync('git rev-parse HEAD');\n")
    for number in range(2):
        tree.commit(f"Commit {number}")
        builds.append(build(bench, builder, tree, History(tree._git, tree.head, "main")))
        (tree.folder / PAGE).write_text(f"{number}\n")

    assert builds == ["1", "2", "1", "1"]


def test_job_builds_with_the_history_of_its_tree(world: World, site: SmallSite) -> None:
    tools = site.worker()
    histories: list[History] = []
    make = tools.builder.build

    def recording_build(*arguments: object, history: History, **more: object) -> object:
        histories.append(history)
        return make(*arguments, history=history, **more)  # type: ignore[arg-type]

    object.__setattr__(tools.builder, "build", recording_build)
    run_job(world.job(), tools)

    subjects = tree_of(tools)._git("log", "--format=%s", histories[0].commit).splitlines()
    assert subjects[:2] == ["Not committed yet", "The other page"]
    assert histories[0].branch == "main"
