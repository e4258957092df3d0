"""Names of attachments are made safe."""

from __future__ import annotations

import pytest

from webordinary.mail import safe_name


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
        ("Brötchen.jpg", "Brötchen.jpg"),
        ("CON", "attachment-CON"),
        ("nul.txt", "attachment-nul.txt"),
        ("com1.tar.gz", "attachment-com1.tar.gz"),
        (".htaccess", "htaccess"),
        ("...", "attachment"),
        ("", "attachment"),
        ("$(rm -rf).png", "(rm--rf).png"),
        ("photo\u202egnp.exe", "photognp.exe"),
        ("-rf", "rf"),
    ],
)
def test_a_name_is_made_safe(name: str, safe: str) -> None:
    assert safe_name(name) == safe


def test_a_long_name_is_cut_and_keeps_its_extension() -> None:
    safe = safe_name("x" * 300 + ".jpeg")
    assert (len(safe), safe[-5:]) == (100, ".jpeg")


def test_a_safe_name_stays_as_it_is() -> None:
    once = safe_name("../Ünser Brot (neu)!.jpg")
    assert safe_name(once) == once
