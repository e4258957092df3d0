"""Partial clones: the whole history, and only the contents that a tree needs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.git_server import GitServer, git_server
from tests.support.world import PAIR, THREAD, World, client
from tests.unit.worker.small_site import FIRST, PAGE, SmallSite, run_job, tree_of, undo
from webordinary.contract.names import branch_of
from webordinary.contract.outcomes import Result
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.git.command import Git, Identity
from webordinary_worker.git.credentials import GitCredentials
from webordinary_worker.git.thread_commits import JOB
from webordinary_worker.git.work_tree import WorkTree
from webordinary_worker.git.workspace import Workspace

ADA = Identity("Ada", "ada@example.com")
TOKEN = "token-of-the-bakery"


@pytest.fixture
def server(site: SmallSite, tmp_path: Path) -> Iterator[GitServer]:
    with git_server(site.remote.parent, tmp_path, TOKEN) as running:
        yield running


def missing(tree: WorkTree) -> set[str]:
    """The ids of the contents that a clone lacks."""
    listed = tree._git("rev-list", "--objects", "--all", "--missing=print")
    return {line[1:] for line in listed.splitlines() if line.startswith("?")}


def push_three_versions(site: SmallSite) -> list[str]:
    """Pushes three versions of the thread's page. Returns the ids of their contents."""
    commits = [site.push_as_developer(PAGE, f"version {number}\n", f"Edit {number}") for number in range(3)]
    return [site.git("rev-parse", f"{commit}:{PAGE}", cwd=site.remote).strip() for commit in commits]


def test_clone_fetches_only_contents_of_the_tree(site: SmallSite) -> None:
    *older, newest = push_three_versions(site)

    tree = tree_of(site.worker())

    assert (tree.folder / PAGE).read_text() == "version 2\n"
    assert missing(tree).issuperset(older)
    assert newest not in missing(tree)
    assert len(tree.commits()) == 3


def test_server_without_partial_clone_sends_all_contents(world: World, site: SmallSite) -> None:
    site.git("config", "uploadpack.allowFilter", "false", cwd=site.remote)
    push_three_versions(site)
    worker = site.worker()

    assert missing(tree_of(worker)) == set()
    assert run_job(world.job(), worker).result is Result.CHANGED
    assert run_job(undo(world), worker).result is Result.UNDONE
    assert site.page() == "version 2\n"


@pytest.fixture
def protected_workspace(world: World, site: SmallSite, server: GitServer, tmp_path: Path) -> Workspace:
    name = world.names.project_parameter("git_credential", PAIR.project)
    client("ssm").put_parameter(Name=name, Type="SecureString", Value=json.dumps({"token": TOKEN}), Overwrite=True)
    repository = f"{server.address}/{site.remote.name}"
    credentials = GitCredentials(client("ssm"), world.names, PAIR.project, repository)
    project = ProjectConfig(project_id="bakery", domain="bakery.example.com", repository=repository, preview_url="x")
    network = {"GIT_SSL_CAINFO": str(server.certificate)}
    return Workspace(tmp_path / "work", PAIR, project, ADA, credentials, network)


def test_undo_fetches_missing_contents_with_the_projects_credential(
    site: SmallSite, protected_workspace: Workspace
) -> None:
    push_three_versions(site)
    tree = protected_workspace.open(THREAD)
    newest, *_ = tree.commits().active_changes()
    before = missing(tree)

    tree.stage_undo(newest.commit)

    assert (tree.folder / PAGE).read_text() == "version 1\n"
    assert missing(tree) < before


def test_server_that_refuses_missing_objects_is_asked_for_all(
    site: SmallSite, server: GitServer, protected_workspace: Workspace
) -> None:
    push_three_versions(site)
    server.knows_new_protocol = False

    tree = protected_workspace.open(THREAD)

    assert (tree.folder / PAGE).read_text() == "version 2\n"
    assert missing(tree) == set()


def test_checkout_of_the_base_fetches_missing_contents(site: SmallSite) -> None:
    push_three_versions(site)
    tree = tree_of(site.worker())

    with tree.checkout_base() as base:
        assert (base / PAGE).read_text() == FIRST


def test_commit_on_missing_contents_is_pushed(site: SmallSite, tmp_path: Path) -> None:
    site.push_as_developer("pictures/old.txt", "old\n", branch="main")
    site.push_as_developer("pictures/old.txt", "new\n", branch="main")
    tree = tree_of(site.worker())
    (tree.folder / PAGE).write_text("changed\n")
    commit = tree.commit(f"A change\n\n{JOB}: 1")

    assert tree.push() == commit
    assert Git(site.remote, ADA)("rev-parse", branch_of(THREAD)).strip() == commit
