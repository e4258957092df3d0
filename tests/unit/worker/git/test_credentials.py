"""Repositories with a credential: how git gets it, and that others do not."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.git_server import GitServer, git_server
from tests.support.world import PAIR, THREAD, World, client
from tests.unit.worker.small_site import PAGE, SmallSite
from webordinary.contract.outcomes import Failure
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.git.command import Git, Identity
from webordinary_worker.git.credentials import GitCredentials, RepositoryRefusedError
from webordinary_worker.git.thread_tree import ThreadTree
from webordinary_worker.git.workspace import Workspace

TOKEN = "token-of-the-bakery"
ADA = Identity("Ada", "ada@example.com")


@pytest.fixture
def server(site: SmallSite, tmp_path: Path) -> Iterator[GitServer]:
    with git_server(site.remote.parent, tmp_path, TOKEN) as running:
        yield running


@pytest.fixture
def repository(server: GitServer, site: SmallSite) -> str:
    return f"{server.address}/{site.remote.name}"


def store(world: World, value: str) -> None:
    name = world.names.project_parameter("git_credential", PAIR.project)
    client("ssm").put_parameter(Name=name, Type="SecureString", Value=value, Overwrite=True)


@pytest.fixture
def credentials(world: World, repository: str) -> GitCredentials:
    store(world, json.dumps({"token": TOKEN}))
    return GitCredentials(client("ssm"), world.names, PAIR.project, repository)


def open_tree(tmp_path: Path, repository: str, server: GitServer, credentials: GitCredentials) -> ThreadTree:
    project = ProjectConfig(project_id="bakery", domain="bakery.example.com", repository=repository, preview_url="x")
    network = {"GIT_SSL_CAINFO": str(server.certificate)}
    return Workspace(tmp_path / "work", PAIR, project, ADA, credentials, network).open(THREAD)


def test_repository_with_a_password_is_fetched_and_pushed(
    tmp_path: Path, repository: str, server: GitServer, site: SmallSite, credentials: GitCredentials
) -> None:
    tree = open_tree(tmp_path, repository, server, credentials)
    (tree.folder / PAGE).write_text("changed")
    commit = tree.commit("A change")

    assert tree.push() == commit
    assert set(server.asked) == {TOKEN}


def test_token_is_in_no_file_and_in_no_other_process(
    tmp_path: Path, repository: str, server: GitServer, credentials: GitCredentials
) -> None:
    tree = open_tree(tmp_path, repository, server, credentials)

    assert tree._git("-c", "alias.show-all=!env", "show-all").count(TOKEN) == 0
    written = [
        file for file in (tmp_path / "work").rglob("*") if file.is_file() and TOKEN.encode() in file.read_bytes()
    ]
    assert written == []


@pytest.mark.parametrize("value", [json.dumps({"token": "expired"}), "damaged"])
def test_refused_credential_is_reported_to_the_operator(
    world: World, tmp_path: Path, repository: str, server: GitServer, credentials: GitCredentials, value: str
) -> None:
    store(world, value)

    with pytest.raises(RepositoryRefusedError) as refused:
        open_tree(tmp_path, repository, server, credentials)

    assert (refused.value.failure, refused.value.detail) == (Failure.REPOSITORY_REFUSED, "")


def test_missing_credential_is_reported_to_the_operator(
    world: World, tmp_path: Path, repository: str, server: GitServer
) -> None:
    missing = GitCredentials(client("ssm"), world.names, PAIR.project, repository)

    with pytest.raises(RepositoryRefusedError):
        open_tree(tmp_path, repository, server, missing)


def test_token_is_not_sent_to_the_target_of_a_redirect(
    tmp_path: Path, site: SmallSite, repository: str, server: GitServer, credentials: GitCredentials
) -> None:
    (tmp_path / "other").mkdir()
    with git_server(site.remote.parent, tmp_path / "other", TOKEN) as other:
        server.redirect_to = other.address
        git = Git(tmp_path, ADA, None, False, credentials, {"GIT_SSL_NO_VERIFY": "1"})

        assert not git.succeeds("ls-remote", repository)
        assert other.asked == []


def test_askpass_refuses_other_hosts(credentials: GitCredentials) -> None:
    environment = {"PATH": os.environ["PATH"], **credentials.environment()}
    host = environment["WEBORDINARY_GIT_HOST"]

    def answer(prompt: str) -> tuple[int, str]:
        command = [environment["GIT_ASKPASS"], prompt]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.strip()

    assert answer(f"Username for 'https://{host}': ") == (0, "x-access-token")
    assert answer(f"Password for 'https://x-access-token@{host}': ") == (0, TOKEN)
    assert answer("Password for 'https://evil.example.com': ") == (1, "")
    assert answer(f"Password for 'https://{host}.evil.example.com': ") == (1, "")
    assert answer(f"Password for 'http://{host}': ") == (1, "")


def test_token_is_not_sent_over_http(world: World) -> None:
    store(world, json.dumps({"token": TOKEN}))
    plain = GitCredentials(client("ssm"), world.names, PAIR.project, "http://git.example.com/bakery.git")

    assert plain.environment() == {}
