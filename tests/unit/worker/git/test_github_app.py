"""Repositories of a GitHub App: tokens for one repository and one hour, created by the broker."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import jwt
import pytest

from tests.support.github import Github, Installation, RefusedError, github, new_key, public_half
from tests.support.world import PAIR, THREAD, World, client
from tests.unit.worker.small_site import PAGE, SmallSite
from webordinary.contract.outcomes import Failure
from webordinary.repositories.github_app import AppRefusal, GithubApp, GithubApps, api_and_name
from webordinary.repositories.installation_tokens import RepositoryTokens
from webordinary.tables.projects import ProjectConfig, ProjectConfigs
from webordinary_worker.git.command import Identity
from webordinary_worker.git.credentials import GitCredentials, RepositoryRefusedError, TokenUnavailableError
from webordinary_worker.git.thread_tree import ThreadTree
from webordinary_worker.git.workspace import Workspace

APP, INSTALLATION = "4711", "815"


class GithubProject:
    """A project with a repository on a fake GitHub, and the worker's access to it."""

    def __init__(self, world: World, host: Github, site: SmallSite, key: str) -> None:
        self.world, self.host, self.key = world, host, key
        self.owner, self.name = site.remote.parent.name, site.remote.stem
        self.repository = f"{host.server.address}/{self.owner}/{site.remote.name}"
        host.keys[APP] = public_half(key)
        host.installations[INSTALLATION] = Installation(APP, self.owner, {self.name, "another"})
        world.onboard(repository=self.repository)
        self.store("git_credential", json.dumps({"github_app": True}))
        self.store("github_app", GithubApp(app_id=APP, installation_id=INSTALLATION, private_key=key).wire_text())
        self.tokens = RepositoryTokens(
            ProjectConfigs(world.dynamodb, world.names),
            world.names,
            lambda: client("ssm"),
            GithubApps(world.clock, str(host.server.certificate)),
        )

    def store(self, kind: str, value: str) -> None:
        name = self.world.names.project_parameter(kind, PAIR.project)
        client("ssm").put_parameter(Name=name, Type="SecureString", Value=value, Overwrite=True)

    @property
    def credentials(self) -> GitCredentials:
        return GitCredentials(
            client("ssm"),
            self.world.names,
            PAIR.project,
            self.repository,
            request_token=lambda: self.tokens.open(PAIR.project),
            clock=self.world.clock,
        )

    def tree(self, folder: Path) -> ThreadTree:
        project = ProjectConfig(
            project_id="bakery", domain="bakery.example.com", repository=self.repository, preview_url="x"
        )
        network = {"GIT_SSL_CAINFO": str(self.host.server.certificate)}
        identity = Identity("Ada", "ada@example.com")
        return Workspace(folder, PAIR, project, identity, self.credentials, network).open(THREAD)


@pytest.fixture(scope="module")
def key() -> str:
    return new_key()


@pytest.fixture
def github_project(world: World, site: SmallSite, tmp_path: Path, key: str) -> Iterator[GithubProject]:
    with github(site.remote.parent.parent, tmp_path, world.clock) as host:
        yield GithubProject(world, host, site, key)


def test_fetch_and_push_use_a_token_for_this_repository_only(github_project: GithubProject, tmp_path: Path) -> None:
    tree = github_project.tree(tmp_path / "work")
    (tree.folder / PAGE).write_text("changed")
    commit = tree.commit("A change")

    assert tree.push() == commit
    (token,) = github_project.host.issued  # one token for all commands
    assert set(github_project.host.server.asked) == {token}
    assert github_project.host.issued[token].repositories == {f"{github_project.owner}/{github_project.name}"}
    assert github_project.host.issued[token].rights == {"contents": "write"}


def test_token_that_expires_soon_is_not_used(github_project: GithubProject, tmp_path: Path) -> None:
    tree = github_project.tree(tmp_path / "work")
    github_project.world.clock.advance(49 * 60)
    tree._git("fetch", "--quiet", "origin")
    assert len(github_project.host.issued) == 1

    github_project.world.clock.advance(2 * 60)
    tree._git("fetch", "--quiet", "origin")
    assert len(github_project.host.issued) == 2


def test_expired_token_is_rejected(github_project: GithubProject, tmp_path: Path) -> None:
    """For example because clocks differ."""
    tree = github_project.tree(tmp_path / "work")
    github_project.host.clock = lambda: github_project.world.clock() + timedelta(hours=2)

    with pytest.raises(RepositoryRefusedError):
        tree._git("fetch", "--quiet", "origin")


def suspend(github_project: GithubProject) -> None:
    github_project.host.installations[INSTALLATION].is_suspended = True


def remove(github_project: GithubProject) -> None:
    del github_project.host.installations[INSTALLATION]


def remove_the_repository(github_project: GithubProject) -> None:
    github_project.host.installations[INSTALLATION].repositories.remove(github_project.name)


def make_it_read_only(github_project: GithubProject) -> None:
    github_project.host.installations[INSTALLATION].rights["contents"] = "read"


def replace_the_key(github_project: GithubProject) -> None:
    github_project.host.keys[APP] = public_half(new_key())


def delete_the_app(github_project: GithubProject) -> None:
    del github_project.host.keys[APP]


def change_the_owner(github_project: GithubProject) -> None:
    github_project.host.installations[INSTALLATION].owner = "somebody-else"


def damage_the_key(github_project: GithubProject) -> None:
    github_project.store(
        "github_app", GithubApp(app_id=APP, installation_id=INSTALLATION, private_key="no key").wire_text()
    )


def lose_the_key(github_project: GithubProject) -> None:
    client("ssm").delete_parameter(Name=github_project.world.names.project_parameter("github_app", PAIR.project))


def move_to_another_host(github_project: GithubProject) -> None:
    github_project.world.onboard(repository="https://git.example.com/bakery.git")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (suspend, AppRefusal.SUSPENDED),
        (remove, AppRefusal.INSTALLATION),
        (delete_the_app, AppRefusal.INSTALLATION),
        (remove_the_repository, AppRefusal.REPOSITORY),
        (make_it_read_only, AppRefusal.REPOSITORY),
        (change_the_owner, AppRefusal.REPOSITORY),
        (replace_the_key, AppRefusal.KEY),
        (damage_the_key, AppRefusal.NO_KEY),
        (lose_the_key, AppRefusal.NO_KEY),
        (move_to_another_host, AppRefusal.ADDRESS),
    ],
    ids=lambda one: getattr(one, "__name__", getattr(one, "name", "")),
)
def test_refusal_is_logged_for_the_operator_and_explained_to_the_sender(
    github_project: GithubProject,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    change: Callable[[GithubProject], None],
    why: AppRefusal,
) -> None:
    change(github_project)

    with pytest.raises(RepositoryRefusedError) as refused:
        github_project.tree(tmp_path / "work")

    assert (refused.value.failure, refused.value.detail) == (Failure.REPOSITORY_REFUSED, "")
    logged = [getattr(one, "why", None) for one in caplog.records if getattr(one, "project", None) == PAIR.project]
    assert logged[-1] == why
    assert github_project.key.splitlines()[1] not in str(refused.value)


@pytest.mark.parametrize(
    "answer",
    [RefusedError(503, "Unavailable"), RefusedError(403, "Too many", **{"Retry-After": "60"})],
    ids=["down", "rate limit"],
)
def test_temporary_error_is_not_a_refusal(github_project: GithubProject, tmp_path: Path, answer: RefusedError) -> None:
    github_project.host.fails_with = answer

    with pytest.raises(TokenUnavailableError):
        github_project.tree(tmp_path / "work")


def test_unreachable_host_is_not_a_refusal(github_project: GithubProject) -> None:
    github_project.world.onboard(repository="https://127.0.0.1:9/owner/bakery.git")

    assert github_project.tokens.open(PAIR.project).unreachable


def test_repr_hides_key_and_token(github_project: GithubProject) -> None:
    app = GithubApp(app_id=APP, installation_id=INSTALLATION, private_key=github_project.key)

    assert github_project.key[40:80] not in repr(app)
    assert github_project.tokens.open(PAIR.project).token not in repr(github_project.tokens.open(PAIR.project))


def bearer(issued_at: datetime, lifetime: timedelta, key: str, algorithm: str = "RS256") -> str:
    return "Bearer " + jwt.encode({"iat": issued_at, "exp": issued_at + lifetime, "iss": APP}, key, algorithm=algorithm)


def test_fake_github_is_as_strict_as_github(github_project: GithubProject, key: str) -> None:
    host, now = github_project.host, github_project.world.clock()
    path = f"/api/v3/app/installations/{INSTALLATION}/access_tokens"
    minutes = timedelta(minutes=1)

    def status(authorization: str, installation: str = INSTALLATION) -> int:
        headers = {"Authorization": authorization, "User-Agent": "test"}
        return host.answer(path.replace(INSTALLATION, installation), headers, b"{}")[0]

    assert status(bearer(now, 5 * minutes, key)) == 201
    assert status(bearer(now, 11 * minutes, key)) == 401
    assert status(bearer(now + minutes, minutes, key)) == 401
    assert status(bearer(now - 5 * minutes, minutes, key)) == 401
    assert status(bearer(now, 5 * minutes, "an-hmac-secret-that-is-long-enough-for-it", "HS256")) == 401
    assert status(bearer(now, 5 * minutes, new_key())) == 401
    assert status(bearer(now, 5 * minutes, key), "816") == 404


def test_api_url_is_derived_from_the_host() -> None:
    assert api_and_name("https://github.com/owner/site.git") == ("https://api.github.com", "owner/site")
    assert api_and_name("https://x@github.com/owner/site") == ("https://api.github.com", "owner/site")
    assert api_and_name("https://acme.ghe.com/owner/site") == ("https://api.acme.ghe.com", "owner/site")
    assert api_and_name("https://git.acme.com:8443/o/s.git") == ("https://git.acme.com:8443/api/v3", "o/s")


def test_project_with_a_stored_token_requests_none(github_project: GithubProject) -> None:
    github_project.store("git_credential", json.dumps({"token": "own"}))

    assert github_project.credentials.environment()["WEBORDINARY_GIT_PASSWORD"] == "own"
    assert github_project.host.issued == {}
