"""Consent in a mail."""

from __future__ import annotations

import pytest

from webordinary.mail.commands.consent import says_yes


@pytest.mark.parametrize(
    "text",
    [
        "Yes",
        "yes!",
        "Yes, please.\n\nKind regards,\nAnna",
        "OK",
        "Ja, gerne",
        "Hallo,\n\nja\n\nViele Grüße\nTom",
        "Oui",
        "Sí",
        "Sì, grazie",
        "Tak",
        "はい",
        "“Yes”",
    ],
)
def test_says_yes_accepts_consent(text: str) -> None:
    assert says_yes(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No",
        "Nein",
        "yes, but make it blue",
        "Yes. And change the phone number to 12345.",
        "not yes",
        "is it ok?\nI do not think so",
        "yes " * 100,
        "Thanks",
    ],
)
def test_says_yes_rejects_other_text(text: str) -> None:
    assert not says_yes(text)
