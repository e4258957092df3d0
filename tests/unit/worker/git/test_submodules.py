"""Submodules: fetched from the project's own host, never changed, and reported if missing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.world import THREAD, World
from tests.unit.worker.small_site import PAGE, SmallSite, failing_build, run_job, tree_of
from webordinary.contract.names import branch_of
from webordinary.contract.outcomes import Result
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.git.command import GitError
from webordinary_worker.git.submodules import MAX_DEPTH, SubmoduleError, resolve_url

SITE = "https://git.example.com/shop/site.git"
Submodules = dict[str, tuple[str, str]]  # URL and commit by path


@pytest.fixture
def words(site: SmallSite) -> str:
    """The commit of a repository that is the site's submodule `words`."""
    folder = site.remote.parent / "words.git"
    commit = repository(site, folder, {"w.txt": "from elsewhere\n"})
    add_submodules(site, {"words": ("../words.git", commit)})
    return commit


def repository(site: SmallSite, bare: Path, files: dict[str, str], submodules: Submodules | None = None) -> str:
    tree = bare.with_suffix(".tree")
    site.git("init", "--quiet", "--initial-branch=main", str(tree), cwd=bare.parent)
    for name, text in files.items():
        (tree / name).write_text(text)
    commit = commit_all(site, tree, submodules or {})
    site.git("clone", "--quiet", "--bare", str(tree), str(bare), cwd=bare.parent)
    return commit


def commit_all(site: SmallSite, tree: Path, submodules: Submodules) -> str:
    """Commits a tree with submodules."""
    lines = [f'[submodule "../{path}"]\n\tpath = {path}\n\turl = {url}\n' for path, (url, _) in submodules.items()]
    if lines:
        (tree / ".gitmodules").write_text("".join(lines))
    site.git("add", "--all", cwd=tree)
    for path, (_, commit) in submodules.items():
        site.git("update-index", "--add", "--cacheinfo", f"160000,{commit},{path}", cwd=tree)
    site.git("commit", "--quiet", "-m", "A change of the developer's", cwd=tree)
    return site.git("rev-parse", "HEAD", cwd=tree).strip()


def add_submodules(site: SmallSite, submodules: Submodules) -> None:
    tree = site.remote.parent / "developer"
    if not tree.exists():
        site.git("clone", "--quiet", str(site.remote), str(tree), cwd=site.remote.parent)
    commit_all(site, tree, submodules)
    site.git("push", "--quiet", "origin", "HEAD:main", cwd=tree)


def write_a_page(_prompt: str, tree: Path) -> AgentResult:
    (tree / PAGE).write_text("changed\n")
    return AgentResult(summary="Done.")


def links_of(site: SmallSite, branch: str = branch_of(THREAD)) -> list[str]:
    listed = site.git("ls-tree", "-r", branch, cwd=site.remote).splitlines()
    return [line.split("\t")[1] for line in listed if line.startswith("160000")]


def test_submodule_of_the_same_host_is_part_of_the_build(site: SmallSite, world: World, words: str) -> None:
    seen: list[str] = []

    def build(tree: Path) -> Path:
        seen.append((tree / "words/w.txt").read_text())
        return tree

    site.build = build

    assert run_job(world.job(), site.worker()).result is Result.CHANGED
    assert seen == ["from elsewhere\n"]
    assert links_of(site) == ["words"]
    assert site.subjects() == ["Change the opening hours."]


def test_agents_changes_to_a_submodule_are_discarded_before_the_build(
    site: SmallSite, world: World, words: str, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()

    def agent(prompt: str, tree: Path) -> AgentResult:
        for file in (tree / "words").iterdir():
            file.unlink()
        (tree / "words").rmdir()
        (tree / "words").symlink_to(tmp_path / "outside")
        return write_a_page(prompt, tree)

    site.agent = agent
    worker = site.worker()

    assert run_job(world.job(), worker).result is Result.PARTLY_CHANGED
    assert (site.page(), links_of(site)) == ("changed\n", ["words"])
    assert list((tmp_path / "outside").iterdir()) == []


def test_prompt_names_the_submodule_folders(site: SmallSite, world: World, words: str) -> None:
    run_job(world.job(), site.worker())

    assert "not changed here: words" in site.turns[0].prompt


def test_removed_submodule_leaves_no_files(site: SmallSite, world: World, words: str) -> None:
    worker = site.worker()
    run_job(world.job("mail-1"), worker)
    tree = site.remote.parent / "developer"
    site.git("fetch", "--quiet", "origin", cwd=tree)
    site.git("checkout", "--quiet", branch_of(THREAD), cwd=tree)
    site.git("rm", "--quiet", "--cached", "words", cwd=tree)
    site.git("commit", "--quiet", "-m", "Without words", cwd=tree)
    site.git("push", "--quiet", "origin", f"HEAD:{branch_of(THREAD)}", cwd=tree)

    run_job(world.job("mail-2", instruction="second line"), worker)

    assert links_of(site) == []
    assert "words/w.txt" not in site.git("ls-tree", "-r", "--name-only", branch_of(THREAD), cwd=site.remote)


def test_nested_submodules_are_fetched_up_to_a_depth(site: SmallSite) -> None:
    folder = site.remote.parent
    commit = repository(site, folder / "depth-0.git", {"text": "0\n"})
    for depth in range(1, MAX_DEPTH + 1):
        inside: Submodules = {"in/it": (f"../depth-{depth - 1}.git", commit)}
        commit = repository(site, folder / f"depth-{depth}.git", {"text": f"{depth}\n"}, inside)
    add_submodules(site, {"outer": (f"../depth-{MAX_DEPTH}.git", commit)})

    tree = tree_of(site.worker())
    tree.catch_up()

    assert (tree.folder / "outer/in/it/in/it/text").read_text() == "1\n"
    assert [one.path for one in tree.missing_submodules] == ["outer/in/it/in/it/in/it"]


def test_failed_build_names_missing_submodules(site: SmallSite, world: World) -> None:
    add_submodules(site, {"theme": ("https://elsewhere.example.com/theme.git", "1" * 40)})
    site.build = failing_build
    site.agent = write_a_page

    outcome = run_job(world.job(), site.worker())

    assert "submodule theme (https://elsewhere.example.com/theme.git) was not fetched" in outcome.detail
    assert outcome.detail.startswith("page.txt:2 is wrong")


def test_successful_build_reports_missing_submodules(site: SmallSite, world: World) -> None:
    add_submodules(site, {"theme": ("https://elsewhere.example.com/theme.git", "1" * 40)})
    site.agent = write_a_page

    outcome = run_job(world.job(), site.worker())

    assert outcome.result is Result.CHANGED
    assert outcome.empty_folders is not None
    assert outcome.empty_folders.folders == ("theme",)
    assert "theme (https://elsewhere.example.com/theme.git) was not fetched" in outcome.empty_folders.detail


def test_site_without_missing_submodules_reports_nothing(site: SmallSite, world: World, words: str) -> None:
    assert run_job(world.job(), site.worker()).empty_folders is None


def test_submodule_with_a_missing_commit_is_reported(site: SmallSite, words: str) -> None:
    add_submodules(site, {"words": ("../words.git", "2" * 40)})

    tree = tree_of(site.worker())
    tree.catch_up()

    assert [one.reason for one in tree.missing_submodules] == ["its commit no longer exists"]


def test_missing_repository_of_a_submodule_raises(site: SmallSite, words: str) -> None:
    subprocess.run(["rm", "-r", site.remote.parent / "words.git"], check=True)

    with pytest.raises(GitError):
        tree_of(site.worker()).catch_up()


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("../theme.git", "https://git.example.com/shop/theme.git"),
        ("./theme", "https://git.example.com/shop/site.git/theme"),
        ("https://git.example.com/shop/theme.git", "https://git.example.com/shop/theme.git"),
        ("https://GIT.example.com/shop/theme", "https://git.example.com/shop/theme"),
        ("https://somebody:secret@git.example.com/shop/theme", "https://git.example.com/shop/theme"),
        ("git@git.example.com:shop/theme.git", "https://git.example.com/shop/theme.git"),
        ("ssh://git@git.example.com/Shop/theme.git", "https://git.example.com/Shop/theme.git"),
        ("git://git.example.com/shop/group/theme", "https://git.example.com/shop/group/theme"),
    ],
)
def test_submodule_url_is_resolved_to_https_on_the_projects_host(written: str, url: str) -> None:
    assert resolve_url(written, SITE) == url


@pytest.mark.parametrize(
    "written",
    [
        "",
        "/etc",
        "file:///etc",
        "file://git.example.com/etc",
        "ext::sh -c touch% /tmp/x",
        "--upload-pack=touch /tmp/x",
        "-u./payload",
        "https://elsewhere.example.com/theme.git",
        "https://git.example.com@elsewhere.example.com/theme",
        "https://git.example.com.elsewhere.example.com/theme",
        "https://git.example.com:8443/theme",
        "git@elsewhere.example.com:theme.git",
        "ftp://git.example.com/theme",
        "https://git.example.com/the\nme",
        "https://git.example.com/theme?x=1;touch",
        "../$(touch x)",
    ],
)
def test_submodule_url_of_another_host_is_rejected(written: str) -> None:
    with pytest.raises(SubmoduleError):
        resolve_url(written, SITE)


@pytest.mark.parametrize(
    "written",
    [
        "https://git.example.com/other/theme.git",
        "git@git.example.com:other/theme.git",
        "../../other/theme.git",
        "../../../../theme",
    ],
)
def test_submodule_of_another_owner_is_rejected(written: str) -> None:
    with pytest.raises(SubmoduleError, match="owner"):
        resolve_url(written, SITE)
