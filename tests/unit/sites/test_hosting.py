"""URLs map to the same keys in Python and at the edge."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.unit.sites.edge import ask
from webordinary.sites.hosting import keys_of, moved_preview, site_of

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("addresses.json").read_text(encoding="utf-8"))
THREAD = "a" * 26
PIECES = ["/", "//", ".", "..", "a", "b.c", "index.html", "404.html", ".html", "de", "pt-BR", "%2e", "%2F", "%", "%41"]
PIECES += ["%ff", "%C3%BC", "%ED%A0%80", "session", THREAD, "-", "--", "~", "+", "'", "%0A", "v1.0", "node.js", "X"]


def python_result(case: dict[str, Any]) -> dict[str, Any]:
    site = site_of(case["label"])
    if site is None or "path" not in case:
        return {"site": site and site.prefix}
    keys, moved = keys_of(site, case["path"]), moved_preview(site, case["path"])
    return {
        "site": site.prefix,
        "file": list(keys.file),
        "notFound": list(keys.not_found),
        "paths": ["/" + quote(key, safe="/-_.!~*'()") for key in keys.file],
        "moved": [moved[0].label, moved[1]] if moved else None,
    }


def expected(case: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """The expected values of a case, completed with the found ones."""
    given = {name: value for name, value in case.items() if name not in ("label", "path", "paths")}
    if "paths" in case:
        found = {**found, "paths": found["paths"][: len(case["paths"])]}
        given["paths"] = case["paths"]
    return {**found, **given}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['label']!r} {case.get('path', '')}")
def test_path_maps_to_these_keys(case: dict[str, Any]) -> None:
    found = python_result(case)

    assert {**found, **({"paths": found["paths"][:1]} if "paths" in case else {})} == expected(case, found)


def test_edge_and_python_agree_on_thousands_of_paths() -> None:
    chance = random.Random(12)  # noqa: S311  the same addresses every time
    labels = ["bakery", "a--b", f"{THREAD}--bakery", f"{THREAD}--a--b", "aaaa--bakery", "B", ""]
    others = [
        {"label": chance.choice(labels), "path": "/" + "".join(chance.choices(PIECES, k=chance.randint(0, 7)))}
        for _ in range(4000)
    ]
    questions = [*CASES, *others]

    answers = ask("address", questions)

    for question, answer in zip(questions, answers, strict=True):
        again = answer.pop("askedAgain", [])
        assert answer == python_result(question), question
        if again:
            site, *looked_for = again[0]
            assert (site, looked_for[0]) == (answer["site"], answer["file"][0]), question
            assert set(looked_for).issuperset(answer["file"]), "the edge looks elsewhere for what is missing"


def test_live_host_never_serves_a_preview() -> None:
    site = site_of("bakery")
    assert site is not None
    for path in (f"/preview/{THREAD}/", f"/../preview/{THREAD}/index.html", f"/%2e%2e/preview/{THREAD}/index.html"):
        assert all(key.startswith("bakery/live/") for key in keys_of(site, path).file)
