"""The room diagrams in docs/architecture.md match the imports of the sources."""

from __future__ import annotations

import pytest

from tools.room_diagram import PACKAGES, PAGE, drawn, imports_between_rooms, reachable, updated, without_shortcuts

TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("package", PACKAGES)
def test_drawn_edges_are_imports_of_the_sources(package: str) -> None:
    assert drawn(package, TEXT)
    assert drawn(package, TEXT) <= imports_between_rooms(package)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_import_between_rooms_follows_drawn_edges(package: str) -> None:
    edges = drawn(package, TEXT)

    assert {
        (room, other) for room, other in imports_between_rooms(package) if other not in reachable(edges, room)
    } == set()


def test_diagrams_are_up_to_date() -> None:
    assert updated(TEXT) == TEXT, "Run python -m tools.room_diagram write."


def test_edges_implied_by_a_longer_path_are_not_drawn() -> None:
    assert without_shortcuts({("a", "b"), ("b", "c"), ("a", "c")}) == {("a", "b"), ("b", "c")}


def test_page_without_a_diagram_is_an_error() -> None:
    with pytest.raises(ValueError, match="no diagram of webordinary"):
        drawn("webordinary", "# Architecture\n")
