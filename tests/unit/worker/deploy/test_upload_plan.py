"""The steps of a deployment, their order, and the deploy record after a crash."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webordinary_worker.deploy.page_diff import is_page
from webordinary_worker.deploy.upload_plan import (
    Action,
    DeployRecord,
    UploadStep,
    cache_control,
    content_type,
    plan,
    stages,
)

PATHS = st.sampled_from(["index.html", "about/index.html", "_astro/a.css", "_astro/b.js", "favicon.svg", "robots.txt"])
MANIFESTS = st.dictionaries(PATHS, st.sampled_from(["one", "two"]))


@given(MANIFESTS, MANIFESTS)
def test_plan_turns_the_old_site_into_the_new_one(old: dict[str, str], new: dict[str, str]) -> None:
    site = dict(old)
    for step in plan(old, new):
        if step.action is Action.UPLOAD:
            site[step.path] = new[step.path]
        else:
            del site[step.path]
    assert site == new


@given(MANIFESTS, MANIFESTS)
def test_pages_are_uploaded_after_assets_and_before_deletions(old: dict[str, str], new: dict[str, str]) -> None:
    def rank(step: UploadStep) -> int:
        if step.action is Action.DELETE:
            return 2
        return 1 if is_page(step.path) else 0

    ranks = [rank(step) for step in plan(old, new)]

    assert ranks == sorted(ranks)


@given(MANIFESTS, MANIFESTS)
def test_stages_contain_only_steps_of_one_kind(old: dict[str, str], new: dict[str, str]) -> None:
    steps = plan(old, new)
    parts = list(stages(steps))

    assert [step for part in parts for step in part] == steps
    assert all(len({(step.action, is_page(step.path)) for step in part}) == 1 for part in parts)


def test_the_stages_of_a_deployment() -> None:
    old = dict.fromkeys(["gone.html", "_astro/gone.css", "gone.txt"], "one")
    new = dict.fromkeys(["index.html", "b.html", "_astro/a.css", "_astro/b.js", "robots.txt"], "one")

    assert [[step.path for step in part] for part in stages(plan(old, new))] == [
        ["_astro/a.css", "_astro/b.js"],
        ["robots.txt"],
        ["b.html", "index.html"],
        ["gone.html"],
        ["gone.txt"],
        ["_astro/gone.css"],
    ]


def test_unchanged_files_need_no_steps() -> None:
    same = {"index.html": "one", "_astro/a.css": "two"}

    assert plan(same, same) == []


def test_removed_page_is_deleted_before_its_assets() -> None:
    steps = plan({"_astro/a.css": "one", "old.html": "one"}, {})

    assert [step.path for step in steps] == ["old.html", "_astro/a.css"]


def test_files_of_an_unfinished_deployment_are_uploaded_again() -> None:
    crashed = DeployRecord(
        fence=3,
        job_id="mail-1",
        files={"same.txt": "one", "changed.html": "one"},
        pending={"same.txt": "one", "changed.html": "two", "new.html": "two"},
    )

    steps = plan(crashed.known_files(), {"same.txt": "one", "changed.html": "two"})

    assert steps == [UploadStep(Action.UPLOAD, "changed.html"), UploadStep(Action.DELETE, "new.html")]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("index.html", "text/html; charset=utf-8"),
        ("_astro/page.JS", "text/javascript; charset=utf-8"),
        ("font.woff2", "font/woff2"),
        ("photo.webp", "image/webp"),
        ("what.ever", "application/octet-stream"),
    ],
)
def test_content_types(path: str, expected: str) -> None:
    assert content_type(path) == expected


@pytest.mark.parametrize(
    "path",
    ["_astro/index.html", "_astro/page.C1a2b3c4.html", "_astro/notes.txt", "_astro/x.C1a2b3c4.svg", "a.C1a2b3c4.js"],
)
def test_page_or_name_without_a_hash_is_not_cached_for_long(path: str) -> None:
    assert cache_control(path) == "no-cache"


def test_edge_checks_hashed_files_again_soon() -> None:
    assert "s-maxage=300" in cache_control("_astro/page.C1a2b3c4.js")
