"""Only content and design of a site are taken over from the agent."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.support.world import World
from tests.unit.worker.small_site import PAGE, SmallSite, append_line, run_job, tree_of
from webordinary.contract.outcomes import Failure, Result, RiskKind
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.confinement.guarded_copy import GuardedCopy
from webordinary_worker.confinement.safe_copy import copy_for_user
from webordinary_worker.git.editable_paths import EditablePaths
from webordinary_worker.jobs.pair_tools import PairTools

PROTECTED = (
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    ".forgejo/workflows/x.yml",
    ".github/workflows/x.yml",
    "bitbucket-pipelines.yml",
    "azure-pipelines.yml",
    "Jenkinsfile",
    "netlify.toml",
    "vercel.json",
    "Dockerfile",
    ".gitattributes",
    ".env",
    "AGENTS.md",
    "CLAUDE.md",
    "patches/astro.patch",
    "pnpm-workspace.yaml",
    "bun.lock",
    "package.json",
    "astro.config.mjs",
    "scripts/deploy.js",
    "scripts/src/deploy.js",
    "src/.env",
    "src/package.json",
    "src/deep/Package.json",
    "public/.htaccess",
    "src/CLAUDE.md",
    "src/CLAUDE.local.md",
    "src/AGENTS.override.md",
    "src/package.yaml",
    "src/bunfig.toml",
    "SRC/pages/index.astro",
    "src",
    # The same files on other machines.
    "src/package.json.",
    "src/package.json ",
    "src/package.json::$DATA",
    "src/pac\u212aage.json",
    "src/node_modules /x.js",
    "src/x\\..\\..\\.github\\workflows\\x.yml",
    "src/\u202egpj.html",
    "src/a\n.md",
)


def paths(tmp_path: Path, *added: str, site: str = "") -> EditablePaths:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/package.json").write_text("{}")
    return EditablePaths(tmp_path, site, added)


@pytest.mark.parametrize("path", PROTECTED)
def test_file_that_is_neither_content_nor_design_is_protected(tmp_path: Path, path: str) -> None:
    assert not paths(tmp_path).allow(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/pages/index.astro",
        "public/uploads/a.webp",
        "content/menu.md",
        "web/src/pages/index.astro",
        "web/public/logo.svg",
        "web/tailwind.config.mjs",
        "shared/src/button.tsx",
    ],
)
def test_content_and_design_are_editable(tmp_path: Path, path: str) -> None:
    assert paths(tmp_path, site="web/").allow(path)


def test_project_adds_paths_without_their_protected_files(tmp_path: Path) -> None:
    editable = paths(tmp_path, "data/", "site.config.ts", "public/.well-known")

    assert all(map(editable.allow, ("data/menu/monday.json", "site.config.ts", "public/.well-known/security.txt")))
    assert not any(
        map(editable.allow, ("data/package.json", "data/.env", "database.json", "site.config.ts.bak", "data/.git/x"))
    )


@pytest.mark.parametrize("path", ["/etc", "../other", "a/../b", ".git", "", "a//b", "a\nb"])
def test_agent_path_outside_the_repository_is_refused(path: str) -> None:
    with pytest.raises(ValidationError):
        ProjectConfig(project_id="bakery", domain="a.example", repository="r", preview_url="p", agent_paths=(path,))


def test_other_changes_of_the_agent_are_reverted_and_reported(site: SmallSite, tools: PairTools, world: World) -> None:
    def agent(prompt: str, tree: Path) -> AgentResult:
        for path in (".gitlab-ci.yml", "bun.lock", "src/new.md"):
            (tree / path).parent.mkdir(exist_ok=True)
            (tree / path).write_text("from the agent")
        return append_line(prompt, tree)

    site.agent = agent
    outcome = run_job(world.job(), tools)

    assert set(outcome.changed_files) == {PAGE, "src/new.md"}
    assert (outcome.result, outcome.reverted_files) == (Result.PARTLY_CHANGED, (".gitlab-ci.yml", "bun.lock"))
    assert not (tree_of(tools).folder / ".gitlab-ci.yml").exists()


def test_change_of_protected_files_only_fails_with_the_reason(site: SmallSite, tools: PairTools, world: World) -> None:
    site.push_as_developer("netlify.toml", "theirs", branch="main")

    def agent(_prompt: str, tree: Path) -> AgentResult:
        (tree / "netlify.toml").unlink()
        (tree / ".env").symlink_to("/etc/passwd")
        return AgentResult(summary="I changed how it is deployed.")

    site.agent = agent
    outcome = run_job(world.job(), tools)

    assert (outcome.failure, outcome.summary) == (Failure.ONLY_PROTECTED_FILES, "")
    assert set(outcome.reverted_files) == {"netlify.toml", ".env"}
    assert (site.subjects(), site.builds) == ([], 0)


def test_ignored_protected_file_does_not_reach_later_builds(site: SmallSite, tools: PairTools, world: World) -> None:
    site.push_as_developer(".gitignore", ".env\n", branch="main")

    def agent(prompt: str, tree: Path) -> AgentResult:
        (tree / ".env").write_text("PUBLIC_X=evil")
        return append_line(prompt, tree)

    site.agent = agent
    run_job(world.job(), tools)

    assert not (tree_of(tools).folder / ".env").exists()


def test_forbidden_risk_ends_the_change_with_the_reason(site: SmallSite, world: World) -> None:
    site.forbidden_risks = (RiskKind.LOADED_HOST,)

    def agent(prompt: str, tree: Path) -> AgentResult:
        (tree / "src").mkdir()
        (tree / "src/page.html").write_text('<img src="https://evil.example/x.png">')
        return append_line(prompt, tree)

    site.agent = agent
    outcome = run_job(world.job(), site.worker())

    assert (outcome.failure, [risk.detail for risk in outcome.risks]) == (Failure.RISK_FORBIDDEN, ["evil.example"])
    assert (site.subjects(), site.preview_page) == ([], None)


def test_new_risk_is_reported(site: SmallSite, tools: PairTools, world: World) -> None:
    def agent(prompt: str, tree: Path) -> AgentResult:
        (tree / "src").mkdir()
        (tree / "src/page.html").write_text('<img src="https://evil.example/x.png">')
        return append_line(prompt, tree)

    site.agent = agent
    outcome = run_job(world.job(), tools)

    assert (RiskKind.LOADED_HOST, "evil.example") in [(risk.kind, risk.detail) for risk in outcome.risks]


def test_guarded_copy_keeps_what_may_not_change(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    for path in ("src/a.md", "src/b.md", "ci/run", "config/one", "apps/web/src/x.md", "apps/web/package.json"):
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text("before")
    copy_for_user(target, source, None)
    (source / "src/a.md").write_text("changed by the agent")
    (source / "src/b.md").unlink()
    (source / "src/b.md").symlink_to("../ci/run")
    (source / "ci/run").unlink()
    (source / "ci").rmdir()
    (source / "ci").write_text("a file in place of a folder")
    (source / "config/one").unlink()
    (source / "config/one").mkdir()
    (source / "config/one/more").write_text("x")
    for path in ("apps/web/src/x.md", "apps/web/package.json"):
        (source / path).unlink()
    copying = GuardedCopy(may_change=lambda path: "src" in path.split("/"))

    copying.run(source, target)

    kept = {path: (target / path).read_text() for path in ("src/b.md", "ci/run", "config/one", "apps/web/package.json")}
    assert set(kept.values()) == {"before"}
    assert (target / "src/a.md").read_text() == "changed by the agent"
    assert not (target / "apps/web/src/x.md").exists()
    assert {"src/b.md", "config/one", "apps/web/package.json"} <= set(copying.refused)
