"""Pictures of the documentation show what the templates of today show."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from tools import architecture_picture, picture_sources
from tools.architecture_picture import PARTS, PICTURE
from tools.picture_sources import FOLDER, ROOT, SOURCES
from webordinary.contract.values import contract

MAX_RUN_BYTES = 3_000_000


def test_pictures_are_not_older_than_their_templates() -> None:
    old = [f"{picture} ({', '.join(files)})" for picture, files in picture_sources.changed_since().items()]

    assert old == [], f"Run `make screenshots` and look at the result. Changed since they were taken: {'; '.join(old)}"


@pytest.mark.parametrize("picture", SOURCES)
def test_picture_is_shown_by_a_document(picture: str) -> None:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]

    assert (FOLDER / picture).is_file()
    assert any(f"pictures/{picture}" in file.read_text(encoding="utf-8") for file in documents)


def test_every_screenshot_has_known_sources() -> None:
    taken = {file.name for file in FOLDER.iterdir() if file.suffix in (".png", ".webp")}

    assert taken == set(SOURCES)


def test_run_is_animated_and_small() -> None:
    file = FOLDER / "run.webp"

    assert file.stat().st_size <= MAX_RUN_BYTES
    with Image.open(file) as image:
        assert getattr(image, "n_frames", 1) > 8


def test_picture_of_the_architecture_is_drawn_from_its_tables() -> None:
    remedy = "Run python -m tools.architecture_picture write."
    assert PICTURE.read_text(encoding="utf-8") == architecture_picture.drawn(), remedy


def test_picture_of_the_architecture_names_real_functions() -> None:
    named = {part.words for part in PARTS if part.kind == "function"}

    assert named <= set(contract()["functions"])


def test_changed_word_makes_a_picture_old_and_spaces_do_not(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("<p>one</p>\n")
    before = picture_sources.digest("page.html", tmp_path)
    file.write_text("<p>\n  one\n</p>\n")
    assert picture_sources.digest("page.html", tmp_path) == before

    file.write_text("<p>two</p>\n")

    assert picture_sources.digest("page.html", tmp_path) != before
