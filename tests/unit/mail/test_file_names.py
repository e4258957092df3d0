"""Safe names of attachments, in every script."""

from __future__ import annotations

import unicodedata
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webordinary import mail
from webordinary.mail.file_names import FALLBACK, LONGEST_NAME, LONGEST_NAME_BYTES, safe_name


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("menu.pdf", "menu.pdf"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\windows\\system.ini", "system.ini"),
        ("/absolute/path.png", "path.png"),
        ("C:\\Users\\anna\\bread.jpg", "bread.jpg"),
        ("bread\x00.php.png", "bread.php.png"),
        ("two\r\nlines.txt", "two-lines.txt"),
        ("our bread & butter.jpg", "our-bread-butter.jpg"),
        ("CON", "attachment-CON"),
        ("nul.txt", "attachment-nul.txt"),
        ("nul .txt", "attachment-nul.txt"),
        ("com1.tar.gz", "attachment-com1.tar.gz"),
        ("lpt¹.txt", "attachment-lpt¹.txt"),
        ("concert.txt", "concert.txt"),
        (".htaccess", "htaccess"),
        ("photo.jpg.", "photo.jpg"),
        ("photo.jpg. . .", "photo.jpg"),
        ("photo..jpg", "photo.jpg"),
        ("photo.", "photo"),
        ("...", "attachment"),
        ("", "attachment"),
        ("$(rm -rf).png", "rm--rf.png"),
        ("<img src=x>.png", "img-src-x.png"),
        ("photo\u202egnp.exe", "photognp.exe"),
        ("-rf", "rf"),
    ],
)
def test_safe_name_removes_unsafe_characters(name: str, safe: str) -> None:
    assert safe_name(name) == safe


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("Brötchen.jpg", "Brötchen.jpg"),
        ("Bro\u0308tchen.jpg", "Brötchen.jpg"),  # as a Mac writes it
        ("фото.jpg", "фото.jpg"),
        ("Наша пекарня №2.jpg", "Наша-пекарня-2.jpg"),
        ("照片 1.png", "照片-1.png"),
        ("صورة ٣.webp", "صورة-٣.webp"),
        ("नमस्ते.pdf", "नमस्ते.pdf"),  # vowel signs are marks that no letter contains
        ("party 🎉.jpg", "party.jpg"),
        ("🎉🎉.jpg", "attachment.jpg"),
        ("👩‍🍳.png", "attachment.png"),
        ("\u0301lonely-mark.png", "lonely-mark.png"),
        ("\u200f\u200eleft.txt", "left.txt"),
    ],
)
def test_safe_name_keeps_letters_and_digits_of_every_script(name: str, safe: str) -> None:
    assert safe_name(name) == safe


@pytest.mark.parametrize("letter", ["x", "ж", "照", "🎉", "e\u0323\u0302", "q\u0323\u0302"])
def test_long_name_is_shortened_before_its_extension(letter: str) -> None:
    safe = safe_name(letter * 300 + ".jpeg")

    assert safe.endswith(".jpeg")
    assert len(safe) <= LONGEST_NAME
    assert len(safe.encode()) <= LONGEST_NAME_BYTES


def test_long_ascii_name_uses_the_full_length() -> None:
    assert len(safe_name("x" * 300 + ".jpeg")) == LONGEST_NAME


def test_shortening_keeps_a_letter_with_its_marks() -> None:
    letter = "q\u0323\u0302"

    stem = safe_name(letter * 300)

    assert stem == letter * (len(stem) // 3)


def test_letter_with_too_many_marks_is_dropped() -> None:
    assert safe_name("q" + "\u0323" * 500 + ".jpg") == f"{FALLBACK}.jpg"


def test_long_text_after_the_last_dot_is_not_an_extension() -> None:
    assert safe_name("Prices. And more words than an ending has") == "Prices.-And-more-words-than-an-ending-has"


@given(st.text(max_size=300))
def test_safe_name_is_safe_and_idempotent_for_any_input(name: str) -> None:
    safe = safe_name(name)

    assert safe_name(safe) == safe
    assert unicodedata.normalize("NFC", safe) == safe
    assert safe[0] not in "-."
    assert safe[-1] not in "-."
    assert all(unicodedata.category(character)[0] in "LMN" or character in "-_." for character in safe)
    assert len(safe.encode()) <= LONGEST_NAME_BYTES
    assert unquote(quote(safe)) == safe


def test_mail_package_exports_safe_name() -> None:
    assert mail.safe_name is safe_name
