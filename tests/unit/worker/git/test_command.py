"""Git on an untrusted repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.worker.small_site import SmallSite
from webordinary_worker.git import command as git_module
from webordinary_worker.git.command import Git, GitError, Identity

ADA = Identity("Ada", "ada@example.com")


@pytest.fixture
def git(site: SmallSite) -> Git:
    folder = site.clone()
    return Git(folder / ".git", ADA, folder)


def test_failed_git_command_raises_with_its_output(git: Git) -> None:
    with pytest.raises(GitError, match=r"git show failed: .*no-such-commit") as refused:
        git("show", "no-such-commit")
    assert "no-such-commit" in refused.value.output
    assert not git.succeeds("show", "no-such-commit")
    assert git.succeeds("show", "HEAD")


def test_stderr_of_a_successful_command_is_not_output(git: Git) -> None:
    assert git("-c", "alias.talk=!echo out; echo warning >&2", "talk") == "out\n"


def test_git_command_times_out(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_module, "TIMEOUT_SECONDS", 0.5)

    with pytest.raises(GitError, match=r"timed out after 0\.5 seconds"):
        git.run("-c", "alias.wait=!sleep 60", "wait")


def test_git_ignores_the_users_configuration(git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".gitconfig").write_text('[alias]\n\tevil = "!echo evil"\n')
    monkeypatch.setenv("HOME", str(tmp_path))

    assert not git.succeeds("evil")


def test_hooks_of_a_repository_do_not_run(git: Git, tmp_path: Path) -> None:
    hook = tmp_path / "site/.git/hooks/post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/trace\n")
    hook.chmod(0o755)

    git("commit", "--quiet", "--allow-empty", "-m", "x")

    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize("local", [True, False])
def test_local_folder_is_a_remote_only_if_the_project_says_so(site: SmallSite, local: bool) -> None:
    folder = site.clone()
    git = Git(folder / ".git", ADA, folder, local_remote=local)

    assert git.succeeds("ls-remote", site.remote.as_uri()) is local


def test_commits_have_the_given_identity(git: Git) -> None:
    git("commit", "--quiet", "--allow-empty", "-m", "x")

    assert git("log", "-1", "--format=%an %ae %cn %ce") == "Ada ada@example.com Ada ada@example.com\n"
